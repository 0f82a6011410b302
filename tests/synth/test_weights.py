"""Group sizes: what exact ones give away, what others keep, and the prices, exactly."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from lib.domain import Domain
from lib.dp import Exponential, observed
from lib.rng import stream
from lib.synth import AIM, GEM, MST, Stratified
from lib.synth.group_sizes import (
    cut_at_zero,
    project_sizes,
)
from tests.conftest import FALSE_ALARM

DOMAIN = Domain.of({"g": 3, "x": 2, "y": 3})


def town(lone: bool) -> pd.DataFrame:
    """Nobody in group 2, or one person."""
    rng = stream(5, "town")
    table = pd.DataFrame(
        {"g": rng.integers(0, 2, 200), "x": rng.integers(0, 2, 200), "y": rng.integers(0, 3, 200)}
    )
    more = pd.DataFrame({"g": [2], "x": [1], "y": [2]})
    return (pd.concat([table, more], ignore_index=True) if lone else table).astype(np.int16)


def pair(**more):
    return [
        Stratified(inner=MST(), by=("g",), **more).fit(
            town(one), DOMAIN, rho=1e-6, rng=stream(1, "w")
        )
        for one in (False, True)
    ]


def test_counted_sizes_tell_of_one_person_and_the_ledger_says_so():
    without, lone = pair()
    assert (without.marginal(("g",))[2], lone.marginal(("g",))[2]) == (0.0, pytest.approx(1 / 201))
    assert (without.total, lone.total) == (200, 201)
    assert lone.accountant.entries[0].kind == "exact count"
    assert lone.accountant.promise == ("replace within a group", lone.cost_within, ("g",))
    assert math.isinf(lone.accountant.price("add or remove"))


def test_declared_sizes_do_not_depend_on_the_table():
    without, lone = pair(sizes={(0,): 120, (1,): 80, (2,): 1})
    for model in (without, lone):
        assert [s.codes for s in model.strata] == [(0,), (1,), (2,)]
        assert model.marginal(("g",)) == pytest.approx(np.array([120, 80, 1]) / 201)
        assert model.total == 201
        assert model.accountant.spent == pytest.approx(1e-6)
        assert model.accountant.promise == ("add or remove", pytest.approx(1e-6), ())
    # the person's own stratum is fitted either way, under its budget
    for one, other in zip(without.strata[:2], lone.strata[:2], strict=True):
        assert (one.fitted.marginal(("x", "y")) == other.fitted.marginal(("x", "y"))).all()


def test_a_group_of_declared_size_0_is_never_looked_at():
    without, lone = pair(sizes=np.array([1.0, 1.0, 0.0]))
    for columns in (("g", "x"), ("x", "y")):
        assert (without.marginal(columns) == lone.marginal(columns)).all()
    assert [s.codes for s in lone.strata] == [(0,), (1,)]


every = pytest.mark.parametrize(
    "inner",
    [MST(), AIM(rounds_per_column=2), GEM(rounds=2, steps=2, batch=8, hidden=(4,))],
    ids=lambda s: s.name,
)


# --- the price of a changed row, on a table of 20 people and two columns of two codes


class Tally:
    """Sums what a fit's looks cost if a row changes, by the kind of look and not by any text."""

    def __init__(self) -> None:
        self.least = 0.0

    def look(self, entry, mechanism, exact, draw):
        number_of_rows = exact.shape == () and exact == 3
        times = 4 if isinstance(mechanism, Exponential) else 0 if number_of_rows else 2
        self.least += times * mechanism.rho
        return draw()


HOSTILE = ("cell phone", "cell 3 of x", "select", "number of rows")


@every
def test_no_price_is_read_off_a_name(inner):
    """Columns called what the accountant calls its looks: the price of a changed row is the same."""
    found = []
    for names in (("p", "q", "r", "s"), HOSTILE):
        domain = Domain.of(dict.fromkeys(names, 2))
        data = pd.DataFrame(np.eye(3, 4, dtype=np.int16), columns=list(names))
        with observed(Tally()) as tally:
            model = inner.fit(data, domain, rho=0.3, rng=stream(6, "names"))
        assert model.accountant.price("add or remove") == pytest.approx(0.3)
        assert model.accountant.price("replace") == pytest.approx(tally.least)
        grouped = Stratified(inner=inner, by=names[:1]).fit(
            data, domain, rho=0.3, rng=stream(6, "groups")
        )
        found.append((model.accountant.price("replace"), grouped.cost_within))
    assert found[0] == found[1]


@pytest.mark.parametrize("weights", ["noisy", "projected", "public"])
def test_exact_counts_inside_are_passed_on(weights):
    """A wrapper whose own counts are noisy promises no more than what it wraps."""
    sizes = {0: 1, 1: 1, 2: 1} if weights == "public" else None
    inner = Stratified(inner=MST(), by=("x",))
    outer = Stratified(inner=inner, by=("g",), weights=weights, sizes=sizes)
    model = outer.fit(town(True), DOMAIN, rho=0.3, rng=stream(7, weights))
    prices = [model.accountant.price(r) for r in ("add or remove", "replace")]
    # who stays in g and changes x is seen for certain
    assert [*prices, model.cost_within] == [math.inf] * 3
    relation, price, by = model.accountant.promise
    assert (relation, set(by)) == ("replace within a group", {"g", "x"})
    # one column is left, which MST only measures; noisy counts of groups do not move within them
    assert price == pytest.approx(2 * 0.3 * (1.0 if weights == "public" else 0.95))


def test_mst_within_groups_costs_eight_thirds():
    """Two thirds of the budget measure, one selects: 2 * 2/3 + 4 * 1/3."""
    model = Stratified(inner=MST(), by=("g",)).fit(
        town(True), DOMAIN, rho=0.3, rng=stream(3, "within")
    )
    assert model.accountant.spent == pytest.approx(0.3)
    assert model.cost_within == pytest.approx(0.3 * 8 / 3)


# --- noisy counts


def test_the_projection_is_the_nearest_point_with_the_same_sum():
    noisy = np.array([50.0, -30.0, 4.0, 20.0, -10.0])
    found = project_sizes(noisy)
    assert found.sum() == pytest.approx(noisy.sum())
    assert (found >= 0).all()
    others = stream(4, "simplex").dirichlet(np.ones(5), 2000) * noisy.sum()
    assert (np.square(others - noisy).sum(axis=1) >= np.square(found - noisy).sum()).all()
    assert project_sizes(np.array([-3.0, -5.0])).tolist() == [1.0, 0.0]


def test_projected_totals_are_unbiased_and_cut_ones_are_not():
    rng, k, n, sigma, runs = stream(4, "totals"), 18, 10_000, 500.0, 2000
    exact = np.zeros(k)
    exact[:2] = n / 2
    noisy = exact + rng.normal(0, sigma, (runs, k))
    cut, proj = (
        np.mean([rule(row).sum() for row in noisy]) for rule in (cut_at_zero, project_sizes)
    )
    near = norm.isf(FALSE_ALARM / 4) * sigma * math.sqrt(k / runs)  # two tests, two sides
    assert proj == pytest.approx(n, abs=near)
    assert cut - n == pytest.approx((k - 2) * sigma / math.sqrt(2 * math.pi), abs=near)
