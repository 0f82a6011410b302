"""Every look is paid for with its type, shown to an observer, and drawn as it always was."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from lib import validate
from lib.dp import Exponential, Gaussian, Laplace, Noise, PrivacyAccountant, choose, noisy, observed
from lib.rng import stream

GAUSSIAN, LAPLACE = Gaussian(sensitivity=1.0, rho=0.3), Laplace(sensitivity=2.0, epsilon=0.7)
PICK = Exponential.of_rho(0.2, sensitivity=1.0)
SCORES = np.array([3.0, 1.0, 2.5, -4.0])


class Spy:
    """Records each look, and forces an answer if it has one."""

    def __init__(self, answer=None) -> None:
        self.answer, self.seen = answer, []

    def look(self, entry, mechanism, exact, draw):
        drawn = draw()
        self.seen.append((entry, mechanism, exact, drawn))
        return drawn if self.answer is None else self.answer


def looks(rng, accountant=None):
    return noisy(GAUSSIAN, [1.0, 2.0], rng, "cells", accountant), choose(
        PICK, SCORES, rng, "which", accountant
    )


def test_an_observer_sees_all_and_changes_nothing():
    plain = looks(stream(0, "looks"))
    with observed(Spy()) as spy:
        seen = looks(stream(0, "looks"))
    assert (seen[0] == plain[0]).all()
    assert seen[1] == plain[1]
    (one, law, exact, drawn), (two, pick, scores, index) = spy.seen
    assert (one.kind, one.cost, two.kind, two.cost) == ("measurement", 0.3, "selection", 0.2)
    assert (law, pick, index) == (GAUSSIAN, PICK, plain[1])
    assert exact.tolist() == [1.0, 2.0]
    assert (drawn == plain[0]).all()
    assert (scores == SCORES).all()
    looks(stream(0, "looks"))
    assert len(spy.seen) == 2  # nobody looks any more


def test_the_ledger_pays_before_anything_is_drawn_or_shown():
    accountant, rng = PrivacyAccountant(0.25), stream(2, "poor")
    with observed(Spy()) as spy, pytest.raises(ValueError, match="is left"):
        looks(rng, accountant)
    assert (spy.seen, accountant.entries) == ([], [])
    assert rng.random() == stream(2, "poor").random()
    words = "accountant must be in a unit in which a Gaussian look has a price, got one in epsilon"
    with pytest.raises(ValueError, match=words):
        looks(rng, PrivacyAccountant(9.0, unit="epsilon"))
    rich = PrivacyAccountant(5.0, unit="epsilon")
    noisy(LAPLACE, [0.0], rng, "count", rich)
    choose(PICK, SCORES, rng, "which", rich)
    assert rich.spent == pytest.approx(0.7 + math.sqrt(8 * 0.2))


def test_draws_are_numpys():
    """The streams of the stored results: NumPy's own normal, Laplace and choice."""
    ours, theirs = stream(3, "draws"), stream(3, "draws")
    for law, noise in (
        (GAUSSIAN, theirs.normal(0, GAUSSIAN.sigma, 5)),
        (LAPLACE, theirs.laplace(0, 1, 5) * LAPLACE.scale),
    ):
        assert (noisy(law, np.arange(5), ours, "x") == np.arange(5) + noise).all()
    weights = np.exp(PICK.epsilon / 2 * SCORES - (PICK.epsilon / 2 * SCORES).max())
    for _ in range(50):
        assert choose(PICK, SCORES, ours, "x") == theirs.choice(4, p=weights / weights.sum())


@dataclass(frozen=True)
class Geometric(Noise):
    """The two-sided geometric mechanism for counts (Ghosh, Roughgarden and Sundararajan 2009)."""

    epsilon: float
    sensitivity: float = 1.0

    def price(self, unit, times=1.0):
        return self.epsilon * times if unit == "epsilon" else math.inf

    def checked(self, values):
        return validate.codes("values", values, 10**9)

    def release(self, values, rng):
        up, down = rng.geometric(1 - math.exp(-self.epsilon), (2, *np.shape(values)))
        return values + up - down


def test_noise_of_ones_own_is_refused_paid_and_drawn_like_the_packages():
    law, accountant = Geometric(0.5), PrivacyAccountant(1.0, unit="epsilon")
    with pytest.raises(ValueError, match=r"^values must be"):
        noisy(law, [0.5], stream(5, "own"), "counts", accountant)
    assert accountant.entries == []
    answers = noisy(law, np.full(9, 3), stream(5, "own"), "counts", accountant)
    assert np.array_equal(answers, law.release(np.full(9, 3), stream(5, "own")))
    assert (accountant.left, accountant.price("replace")) == (0.5, 1.0)
