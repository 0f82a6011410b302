"""What the package refuses by name: above all what would be released as NaN, or at half the noise."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from lib.dp import Exponential, Gaussian, Laplace, PrivacyAccountant, choose, noisy, rho_of_pure
from lib.dp.certificate import Guesses, ceiling, epsilon_limit, hits_p, smallest_leak
from lib.dp.conversion import CONVERSIONS, advanced_composition, delta_of, epsilon_of, zcdp_rho
from lib.dp.gaussian import gaussian_delta
from lib.means import Interval, strat_coinpress, strat_laplace
from lib.means.grouped import coinpress
from lib.rng import stream
from studies.privacy_audit.empirical_delta import mean_exceeds
from tests.refusals import each, refused

VALUES, GROUPS, TOLD = (
    np.arange(6.0),
    np.array([0, 1, 0, 1, 1, 0]),
    Interval(low=-5.0, high=5.0, sigma=1.0),
)
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
PURE, ZCDP = {"sensitivity": 1.0, "epsilon": 1.0}, {"sensitivity": 1.0, "rho": 0.5}
NAMED = {"named": 5, "hits": 3, "people": 6, "inside": 5}
BUDGETS = (-1.0, INF, 1e-301, 1e301, 10**400)
REFUSED = [
    (lambda: LAPLACE.release([1.0], None), "rng"),
    (lambda: LAPLACE.release([NAN], RNG), "values"),
    *((lambda scores=s: PICK.select(scores, RNG), "scores") for s in ([INF], np.zeros((3, 0)))),
    # a law given twice has to agree: a caller may round, and may not draw less noise than is paid for
    *each(Laplace, PURE, sensitivity=(np.array([]),), epsilon=(INF,), scale=(0.5,)),
    *each(Gaussian, ZCDP, sensitivity=(0.0,), rho=(-1.0,), sigma=(0.5,)),
    *each(Exponential, PURE, sensitivity=(NAN,), rho=(0.1,)),
    # three sensitivities for one value would give three noisy copies of it
    (lambda: noisy(Laplace(sensitivity=np.ones(3), epsilon=1.0), 1.0, RNG, "x"), "sensitivity"),
    *each(PrivacyAccountant, {"budget": 1.0}, unit=("euro",)),
    (lambda: PrivacyAccountant(1.0, unit="epsilon").rho, "unit"),
    (lambda: PrivacyAccountant(1.0, relation="replace within a group"), "by"),
    (lambda: PrivacyAccountant(1.0, by=["sex"]), "relation"),
    *each(spend, {"sensitivity": {"replace within a group": 1.0}}, by=((), "sex")),
    (lambda: parallel({}), "costs"),
    (lambda: parallel({"a": PrivacyAccountant(1.0, unit="epsilon")}), "the accountant of each part"),
    (lambda: PrivacyAccountant(1.0).require("x", NAN), "rho"),
    *((lambda pay=pay, cost=c: pay(cost), "rho") for c in (0.0, -1.0, NAN, 1e-310, 1.7e308)
      for pay in (PrivacyAccountant, spend, lambda cost: parallel({"a": 0.1, "b": cost}))),
    *(one for c in CONVERSIONS for one in (
        *each(epsilon_of, {"delta": 1e-6, "conversion": c}, rho=BUDGETS), *each(zcdp_rho, {"delta": 1e-6, "conversion": c}, epsilon=BUDGETS))),
    *each(epsilon_of, {"rho": 1.0, "delta": 0.1}, delta=(0.0, 1.0), conversion=("best",), rho=(1e-26,)),
    *each(zcdp_rho, {"delta": 1e-9, "conversion": "tight"}, epsilon=(1e18,)),
    *each(delta_of, {"rho": 1.0, "epsilon": 1.0}, rho=(1e300,), epsilon=(-1.0,)),
    *each(rho_of_pure, {"epsilon": 1.0}, epsilon=(0.0,), of=("gauss",)),
    (lambda: gaussian_delta(0.0, 1.0), "mu"),
    (lambda: advanced_composition(1.0, 0, 0.1), "k"),
    (lambda: mean_exceeds(np.array([1.1]), 0.5, 0.1), ""),
    *each(Guesses, NAMED, hits=(6,), named=(7,)),
    (lambda: Guesses(**NAMED | {"hits": 1, "inside": 4}), "hits"),  # one at most is not inside
    *each(hits_p, {"guesses": [GUESS], "epsilon": 1.0}, guesses=([],), epsilon=(NAN,), delta=(1.0,)),
    (lambda: epsilon_limit([]), "guesses"),
    *each(ceiling, {"people": 10}, people=(0,), named=("3",), splits=(0,)),
    *each(smallest_leak, {"people": 10}, power=(1.0,)),
]
# nothing is paid for what cannot be drawn, or is not the mechanism's
UNPAID = [
    (lambda a: noisy(LAPLACE, [NAN], RNG, "x", a), "values"),
    (lambda a: noisy(LAPLACE, [1.0], np.random.RandomState(0), "x", a), "rng"),
    (lambda a: choose(PICK, [INF, 0.0], RNG, "x", a), "scores"),
    *((lambda a, stated=s: noisy(LAPLACE, [1.0], RNG, "x", a, stated), "sensitivity")
      for s in ({"replace": 10.0}, {"add or remove": 0.1}, {"add or remove": 1 + 1e-9}, {})),
    (lambda a: a.spend("x", 0.5, kind="look"), "kind"),
    (lambda a: a.spend("x", 0.5, sensitivity={"swap": 1.0}), "relation"),
    (lambda a: a.spend("x", 0.5, sensitivity={"add or remove": 1.0, "replace": -1.0}), "sensitivity"),
]
# fmt: on


@pytest.mark.parametrize(("call", "name"), REFUSED)
def test_it_is_refused_by_name(call, name):
    refused(call, name)


@pytest.mark.parametrize(("call", "name"), UNPAID)
def test_it_is_refused_and_not_noted(call, name):
    accountant = PrivacyAccountant(100.0, unit="epsilon")
    refused(lambda: call(accountant), name)
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
