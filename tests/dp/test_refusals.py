"""What the package refuses by name: above all what would be released as NaN, or at half the noise."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from lib.dp import Exponential, Gaussian, Laplace, PrivacyAccountant, choose, noisy, rho_of_pure
from lib.dp.accounting import CONVERSIONS, advanced_composition, delta_of, epsilon_of, zcdp_rho
from lib.dp.certificate import Guesses, ceiling, epsilon_limit, hits_p, smallest_leak
from lib.dp.gaussian import gaussian_delta
from lib.means import Interval, strat_coinpress, strat_laplace
from lib.means.grouped import coinpress
from lib.rng import stream
from studies.privacy_audit.empirical_delta import Promise, delta_exceeds, mean_exceeds

VALUES, GROUPS, TOLD = np.arange(6.0), np.array([0, 1, 0, 1, 1, 0]), Interval(low=-5.0, high=5.0)
LAPLACE, PICK = Laplace(sensitivity=1.0, epsilon=1.0), Exponential(sensitivity=1.0, epsilon=1.0)
RNG, NAN, INF = np.random.default_rng(0), math.nan, math.inf
GUESS = Guesses(named=1, hits=1, people=2, inside=1)
TINY = (5e-324, 1e-310, 1e-200, 1e-155, 1e-101)
HUGE = (1e101, 1e155, 1e300, 1.7e308)


def spend(cost=0.5, **more):
    return PrivacyAccountant(1.0).spend("x", cost, **more)


def parallel(costs):
    return PrivacyAccountant(1.0).spend_parallel("x", costs)


# fmt: off
REFUSED = [
    (lambda: Laplace(sensitivity=1.0, epsilon=1.0).release([1.0], None), r"rng must be .*, got None"),
    (lambda: PrivacyAccountant(1.0).spend("rows", 0.1, by="sex", sensitivity={"replace within a group": 1.0}), "by must be a list or a tuple, got 'sex'"),
    (lambda: ceiling(10, named="3"), "named must be an integer .*, got '3'"),
    (lambda: delta_of(1.0, False), "epsilon must be .*, got False"),
    (lambda: PrivacyAccountant(0.0), r"rho must be .*, got 0.0"),
    (lambda: PrivacyAccountant(1.0, unit="euro"), r"unit must be .*, got 'euro'"),
    (lambda: PrivacyAccountant(1.0, unit="epsilon").rho, "unit of an accountant with a rho must be .*, got 'epsilon'"),
    (lambda: PrivacyAccountant(1.0, relation="replace within a group"), r"^by must be"),
    (lambda: PrivacyAccountant(1.0, by=["sex"]), r"^relation must be"),
    (lambda: spend(-1.0), r"rho must be .*, got -1.0"),
    (lambda: spend(NAN), r"rho must be .*, got nan"),
    (lambda: spend(sensitivity={"replace within a group": 1.0}), r"^by must be the names of the columns of the groups"),
    (lambda: parallel({}), "costs must be .*, got {}"),
    (lambda: parallel({"a": 0.1, "b": 0.0}), r"rho of 'b' must be .*, got 0.0"),
    (lambda: parallel({"a": PrivacyAccountant(1.0, unit="epsilon")}), r"^the accountant of each part must be in rho, got one in epsilon"),
    *((lambda budget=b, note=n: note(budget), "rho") for b in (1e-310, 5e-324, 1.7e308) for n in (PrivacyAccountant, spend, lambda b: parallel({"a": b}))),
    (lambda: epsilon_of(1e-26, 1e-6), r"^rho must be a number >= 1e-25 and <= 1e\+16, got 1e-26"),
    (lambda: epsilon_of(1e18, 1e-6), r"^rho must be .*, got 1e\+18"),
    (lambda: epsilon_of(-1.0, 0.1), "^rho must be"),
    (lambda: epsilon_of(1.0, 0.0), "^delta must be"),
    (lambda: epsilon_of(1.0, 1.0), "^delta must be"),
    (lambda: epsilon_of(1.0, 0.1, conversion="best"), "^conversion must be"),
    (lambda: delta_of(1e-300, 0.0), r"^rho must be .*, got 1e-300"),
    (lambda: delta_of(1e300, 1e300), r"^rho must be .*, got 1e\+300"),
    (lambda: delta_of(1.0, -1.0), "^epsilon must be"),
    (lambda: zcdp_rho(1e-15, 1e-9, conversion="tight"), r"^epsilon must be .*, got 1e-15"),
    (lambda: zcdp_rho(1e18, 1e-9, conversion="tight"), r"^epsilon must be .*, got 1e\+18"),
    (lambda: zcdp_rho(INF, 0.1), "^epsilon must be"),
    *((lambda bad=b, f=f, c=c: f(bad, 1e-6, conversion=c), rf"^{name} must be a number >= .* and <= .*, got")
      for b in (1e-308, 1e-301, 1e301, 1e308, 10**400) for f, name in ((epsilon_of, "rho"), (zcdp_rho, "epsilon")) for c in CONVERSIONS),
    (lambda: rho_of_pure(0.0), "^epsilon must be"),
    (lambda: rho_of_pure(1.0, of="gauss"), "^of must be"),
    (lambda: gaussian_delta(0.0, 1.0), "^mu must be"),
    (lambda: advanced_composition(1.0, 0, 0.1), "^k must be"),
    (lambda: Laplace(sensitivity=0.0, epsilon=1.0), "^sensitivity"),
    (lambda: Laplace(sensitivity=np.array([]), epsilon=1.0), "^sensitivity"),
    (lambda: Laplace(sensitivity=1.0, epsilon=INF), "^epsilon"),
    (lambda: Gaussian(sensitivity=1.0, rho=-1.0), "^rho"),
    (lambda: Exponential(sensitivity=NAN, epsilon=1.0), "^sensitivity"),
    (lambda: PICK.log_probabilities(np.zeros((3, 0))), "^scores"),
    (lambda: PICK.select([INF], RNG), "^scores"),
    (lambda: LAPLACE.release([NAN], RNG), "^values"),
    # a law given twice has to agree: a caller may round, and may not draw less noise than is paid for
    (lambda: Gaussian(sensitivity=1.0, rho=0.5, sigma=0.5), r"^sigma must be .* up to rounding, got 0\.\d"),
    (lambda: Laplace(sensitivity=1.0, epsilon=1.0, scale=0.5), r"^scale must be .* up to rounding, got 0\.\d"),
    (lambda: Exponential(sensitivity=1.0, epsilon=1.0, rho=0.1), r"^rho must be .* up to rounding, got 0\.\d"),
    # three sensitivities for one value would give three noisy copies of it
    (lambda: noisy(Laplace(sensitivity=np.ones(3), epsilon=1.0), 1.0, RNG, "x"), r"^sensitivity must have at most the shape of values \(\), got \(3,\)"),
    (lambda: Promise(), "must"),
    (lambda: Promise(rho=1.0, epsilon=1.0), "must"),
    (lambda: Promise(rho=0.0), "must"),
    (lambda: mean_exceeds(np.array([1.1]), 0.5, 0.1), "must"),
    (lambda: mean_exceeds(np.array([]), 0.5, 0.1), "must"),
    (lambda: mean_exceeds(np.array([0.5]), 0.5, 1.0), "must"),
    (lambda: delta_exceeds(np.array([NAN]), 0.5, 0.1, 0.1), "must"),
    (lambda: Guesses(named=3, hits=4, people=6, inside=5), "hits must be"),
    (lambda: Guesses(named=7, hits=1, people=6, inside=5), "named must be"),
    (lambda: Guesses(named=5, hits=1, people=6, inside=4), "hits must be"),
    (lambda: hits_p([], 0.0), "guesses must be"),
    *((lambda e=e: hits_p([GUESS], e), "epsilon must be") for e in (-1.0, NAN)),
    (lambda: hits_p([GUESS], 1.0, delta=1.0), "delta must be"),
    (lambda: epsilon_limit([], level=0.95), "guesses must be"),
    (lambda: ceiling(0), "people must be"),
    (lambda: ceiling(10, splits=0), "splits must be"),
    (lambda: smallest_leak(10, power=1.0), "power must be"),
]
# of the library's funnels: nothing is paid for what cannot be drawn
UNPAID = [
    (lambda a: noisy(LAPLACE, [NAN], RNG, "x", a), "^values must be finite"),
    (lambda a: noisy(LAPLACE, ["1"], RNG, "x", a), "^values must be"),
    (lambda a: noisy(LAPLACE, [1.0], np.random.RandomState(0), "x", a), "^rng must be"),
    (lambda a: choose(PICK, [], RNG, "x", a), "^scores must"),
    (lambda a: choose(PICK, [INF, 0.0], RNG, "x", a), "^scores must"),
    *((lambda a, stated=s: noisy(LAPLACE, [1.0], RNG, "x", a, stated), "^sensitivity must be")  # not the mechanism's
      for s in ({"replace": 10.0}, {"add or remove": 0.1}, {"add or remove": 1 + 1e-9}, {})),
    (lambda a: a.spend("x", 0.5, kind="look"), r"kind must be .*, got 'look'"),
    (lambda a: a.spend("x", 0.5, sensitivity={}), "sensitivity"),
    (lambda a: a.spend("x", 0.5, sensitivity={"swap": 1.0}), r"relation must be .*, got 'swap'"),
    (lambda a: a.spend("x", 0.5, sensitivity={"add or remove": 0.0}), "sensitivity"),
    (lambda a: a.spend("x", 0.5, sensitivity={"add or remove": 1.0, "replace": -1.0}), "sensitivity must"),
]
# fmt: on


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_it_is_refused_by_name(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize(("call", "words"), UNPAID)
def test_it_is_refused_and_not_noted(call, words):
    accountant = PrivacyAccountant(100.0, unit="epsilon")
    with pytest.raises(ValueError, match=words):
        call(accountant)
    assert accountant.entries == []


@pytest.mark.parametrize("budget", [*TINY, *HUGE])
def test_a_budget_whose_noise_is_no_number_is_refused_before_it_is_spent(budget):
    rng, data = stream(0, "budgets"), {"values": VALUES, "groups": GROUPS, "k": 2}
    for unit, fit, own in (
        ("rho", strat_coinpress, {"prior": TOLD, "rho": budget}),
        ("epsilon", strat_laplace, {"low": -5, "high": 5, "epsilon": budget}),
    ):
        accountant = PrivacyAccountant(1e300, unit=unit)
        for paid in ({}, {"accountant": accountant, "by": ["g"]}):
            with pytest.raises(ValueError, match=r"^(rhos?|epsilon|sensitivity)\b"):
                fit(**data, **own, **paid, rng=rng)
        assert not accountant.entries
    for law, name in ((Laplace, "epsilon"), (Gaussian, "rho"), (Exponential, "epsilon")):
        with pytest.raises(ValueError, match=f"^{name} must be .*, got {re.escape(repr(budget))}"):
            law(sensitivity=1.0, **{name: budget})
    with pytest.raises(ValueError, match=f"^rho must be .*, got {re.escape(repr(budget))}"):
        Exponential.of_rho(budget, sensitivity=1.0)
    assert rng.random() == stream(0, "budgets").random()


@pytest.mark.parametrize("rhos", [(0.5, 1e-155), (1e-90,) * 9, (0.5, 1e99, 1e99)])
def test_a_later_step_of_coinpress_is_refused_before_the_first_is_spent(rhos):
    accountant, thin = PrivacyAccountant(1e300), Interval(low=0.0, high=1e-90, sigma=1e-130)
    with pytest.raises(ValueError, match=r"^(rho|sensitivity)"):
        coinpress(VALUES, np.array([6]), thin, rhos, stream(0, "steps"), accountant, ["g"])
    assert accountant.entries == []
