"""What would be released as NaN, at half the noise or without its mask is refused by name,
before anything is spent.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from lib.dp import Exponential, Gaussian, Laplace, PrivacyAccountant, choose, noisy
from lib.means import Interval, recombine, strat_coinpress, strat_laplace
from lib.means.grouped import coinpress, laplace_means
from lib.rng import stream
from lib.synth import AIM, GEM, MST, Stratified
from lib.synth.group_sizes import size_items
from studies.private_means.group_sizes import log_sums
from studies.private_means.theory import laplace_sum_bound, noise_weights, stratified_bound

VALUES, GROUPS, TOLD = np.arange(6.0), np.array([0, 1, 0, 1, 1, 0]), Interval(low=-5.0, high=5.0)
MASKED = np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False])
TINY = (5e-324, 1e-310, 1e-200, 1e-155, 1e-101)
HUGE = (1e101, 1e155, 1e300, 1.7e308)


@pytest.mark.parametrize("budget", [*TINY, *HUGE])
def test_a_budget_whose_noise_is_no_number_is_refused_before_it_is_spent(budget):
    rng = stream(0, "budgets")
    for unit, fit in (
        (
            "rho",
            lambda **more: strat_coinpress(VALUES, GROUPS, 2, TOLD, rho=budget, rng=rng, **more),
        ),
        (
            "epsilon",
            lambda **more: strat_laplace(
                VALUES, GROUPS, 2, low=-5, high=5, epsilon=budget, rng=rng, **more
            ),
        ),
    ):
        rich = {"accountant": PrivacyAccountant(1e300, unit=unit), "by": ["g"]}
        for accountant in ({}, rich):
            with pytest.raises(ValueError, match=r"^(rhos?|epsilon|sensitivity)\b"):
                fit(**accountant)
            assert not rich["accountant"].entries
    for law in (
        lambda: Laplace(sensitivity=1.0, epsilon=budget),
        lambda: Gaussian(sensitivity=1.0, rho=budget),
        lambda: Exponential(sensitivity=1.0, epsilon=budget),
        lambda: Exponential.of_rho(budget, sensitivity=1.0),
    ):
        with pytest.raises(
            ValueError, match=f"^(epsilon|rho) must be .*, got {re.escape(repr(budget))}"
        ):
            law()
    assert rng.random() == stream(0, "budgets").random()


@pytest.mark.parametrize("budget", [1e-310, 5e-324, 1.7e308])
def test_a_ledger_keeps_no_budget_whose_sums_are_rounded_away(budget):
    for note in (
        lambda: PrivacyAccountant(budget),
        lambda: PrivacyAccountant(1.0).spend("x", budget),
        lambda: PrivacyAccountant(1.0).spend_parallel("x", {"a": budget}),
    ):
        with pytest.raises(ValueError, match="rho"):
            note()
    with pytest.raises(
        ValueError, match=r"^the accountant of each part must be in rho, got one in epsilon"
    ):
        PrivacyAccountant(1.0).spend_parallel("x", {"a": PrivacyAccountant(1.0, unit="epsilon")})


@pytest.mark.parametrize("rhos", [(0.5, 1e-155), (1e-90,) * 9, (0.5, 1e99, 1e99)])
def test_a_later_step_of_coinpress_is_refused_before_the_first_is_spent(rhos):
    accountant, rng, thin = (
        PrivacyAccountant(1e300),
        stream(0, "steps"),
        Interval(low=0.0, high=1e-90, sigma=1e-130),
    )
    with pytest.raises(ValueError, match=r"^(rho|sensitivity)"):
        coinpress(VALUES, np.array([6]), thin, rhos, rng, accountant, ["g"])
    assert accountant.entries == []


@pytest.mark.parametrize("text", ["False", "no", 0, 1, None, 1.0])
def test_a_text_is_no_boolean(text):
    """``"False"`` is true for Python."""
    for call, name in (
        (lambda: recombine([1.0], [1.0], printed=text), "printed"),
        (lambda: noise_weights([5.0], radius=1.0, epsilon=1.0, gamma=0.1, own=text), "own"),
        (lambda: MST(compress=text), "compress"),
    ):
        with pytest.raises(
            ValueError, match=f"^{name} must be True or False, got {re.escape(repr(text))}$"
        ):
            call()


RNG = np.random.default_rng(0)
MASKS = {
    "laplace": lambda: Laplace(sensitivity=MASKED, epsilon=1.0),
    "gaussian": lambda: Gaussian(sensitivity=MASKED, rho=1.0),
    "values": lambda: noisy(Gaussian(sensitivity=1.0, rho=1.0), MASKED, RNG, "x"),
    "scores": lambda: choose(Exponential(sensitivity=1.0, epsilon=1.0), MASKED, RNG, "x"),
    "clipped mean": lambda: laplace_means(MASKED, [3], 0.0, 1.0, 1.0, RNG),
    "its bounds": lambda: laplace_means(VALUES, [1, 2, 3], MASKED - 9, 9.0, 1.0, RNG),
    "coinpress": lambda: coinpress(MASKED, [3], TOLD, (1.0,), RNG),
    "sizes": lambda: coinpress(VALUES, MASKED.astype(int), TOLD, (1.0,), RNG),
    "strata": lambda: strat_coinpress(MASKED, [0, 0, 1], 2, TOLD, rho=1.0, rng=RNG),
    "split": lambda: strat_coinpress(
        VALUES, GROUPS, 2, TOLD, rho=1.0, rng=RNG, split=np.ma.masked_array([0.5, 0.5], [0, 1])
    ),
    "weights": lambda: recombine(VALUES[:3], MASKED),
    "estimates": lambda: recombine(MASKED, VALUES[:3] + 1),
    "group sizes": lambda: size_items(MASKED, 1),
    "theory": lambda: stratified_bound(MASKED, radius=1.0, epsilon=1.0, gamma=0.1),
    "a sum of laplaces": lambda: laplace_sum_bound(MASKED, 0.1),
    "log sums": lambda: log_sums(MASKED),
}


@pytest.mark.parametrize("name", MASKS)
def test_a_mask_is_not_dropped(name):
    with pytest.raises(ValueError, match="mask"):
        MASKS[name]()


def test_one_value_is_not_released_many_times_at_the_price_of_one():
    """Three sensitivities for one value would give three noisy copies of it."""
    many = Laplace(sensitivity=np.ones(3), epsilon=1.0)
    with pytest.raises(
        ValueError, match=r"^sensitivity must have at most the shape of values \(\), got \(3,\)"
    ):
        noisy(many, 1.0, np.random.default_rng(0), "x")


@pytest.mark.parametrize("share", [1e-300, 5e-324, 1e-10, 1 - 1e-12])
def test_a_share_that_buys_no_noise_is_refused(share):
    for call, name in (
        (lambda: GEM(alpha=share), "alpha"),
        (lambda: GEM(count_share=share), "count_share"),
        (lambda: AIM(alpha=share), "alpha"),
        (lambda: MST(parts=(min(share, 1 - share), 1.0, 1.0)), "parts"),
        (lambda: Stratified(inner=MST(), by=("a",), count_share=share), "count_share"),
    ):
        with pytest.raises(ValueError, match=f"^{name}"):
            call()


def test_nothing_is_paid_for_what_cannot_be_drawn():
    """Wrong values, scores or generators, at the funnel itself."""
    accountant, law, pick = (
        PrivacyAccountant(1.0),
        Gaussian(sensitivity=1.0, rho=0.5),
        Exponential(sensitivity=1.0, epsilon=1.0),
    )
    rng = np.random.default_rng(0)
    for call, words in (
        (lambda: noisy(law, [np.nan], rng, "x", accountant), "^values must be finite"),
        (lambda: noisy(law, ["1"], rng, "x", accountant), r"^values must be"),
        (lambda: noisy(law, [1.0], np.random.RandomState(0), "x", accountant), r"^rng must be"),
        (lambda: noisy(law, [1.0], None, "x", accountant), r"^rng must be"),
        (lambda: choose(pick, [], rng, "x", accountant), "^scores must"),
        (lambda: choose(pick, [np.inf, 0.0], rng, "x", accountant), "^scores must"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    assert accountant.entries == []
