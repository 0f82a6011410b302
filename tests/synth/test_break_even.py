"""Who gets a model of their own: the size from which on, and who shares a model below it."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.domain import Domain
from lib.rng import stream
from lib.synth import AIM, GEM, MST, Stratified, break_even
from lib.synth.group_sizes import group_sizes
from tests.refusals import each, refused
from tests.synth.conftest import DOMAIN, people

SIZES = st.lists(st.integers(2, 30), min_size=2, max_size=8)


@pytest.mark.parametrize("parts", [(1, 1, 1), (0.5, 0.1, 0.4)])
def test_noise_on_a_pair_at_the_break_even_size_is_a_quarter_of_the_people(parts, table):
    """Of the noise that a fit to a group really has."""
    mst, rho = MST(parts=parts, compress=False, iterations=3), 0.2
    model = Stratified(inner=mst, by=("a",)).fit(table, DOMAIN, rho=rho, rng=stream(1, "b"))
    pairs = [m for m in model.strata[0].fitted.inner.measurements if len(m.columns) == 2]
    [sigma] = {float(m.sigma) for m in pairs}
    n = break_even(DOMAIN, by=("a",), rho=rho, mechanism=mst)
    cells = np.mean([3 * 4, 3 * 2, 4 * 2])  # of b, c, d
    noise = stream(1, "noise").normal(0, sigma, (200_000, 13)) / n
    moved = np.abs(noise).mean() * cells
    assert moved == pytest.approx(1 / 4, rel=0.01)  # 5 standard deviations: 0.2%


@given(SIZES, st.floats(1e-6, 1e3), st.integers(2, 9))
def test_it_hangs_on_the_columns_that_are_fitted_and_on_the_budget_alone(sizes, rho, groups):
    columns = {f"c{i}": size for i, size in enumerate(sizes)}
    n = break_even(Domain.of({"g": groups} | columns), by=("g",), rho=rho)
    other = Domain.of(dict(reversed(columns.items())) | {"g": 2})
    assert break_even(other, by=("g",), rho=4 * rho, mechanism=AIM()) == pytest.approx(n / 2)


def test_one_column_that_is_left_gets_the_whole_budget():
    n = break_even(Domain.of({"g": 2, "x": 7}), by=("g",), rho=0.5, mechanism=GEM())
    assert n == pytest.approx(4 * math.sqrt(2 / math.pi) * 7)  # sigma is 1


REFUSED = [
    *each(break_even, {"domain": DOMAIN, "by": ("a",), "rho": 0.1}, domain=({"a": 2},),
          by=(("z",), "a", ("a", "b", "c", "d")), rho=(0, -1, math.nan, "1")),
    *each(Stratified, {"inner": MST(), "by": ("a",)}, threshold=(0, -1, math.inf, "auto", None, True)),
    (lambda: Stratified(inner=MST(), by=("a",), threshold="break-even", small="drop"), "small"),
    (lambda: Stratified(inner=MST(), by=("a",), threshold=1.0, small="drop"), "threshold"),
    (lambda: Stratified(inner=MST(), by=("a",), threshold=50.0), "threshold"),  # people are no share
]  # fmt: skip


@pytest.mark.parametrize(("call", "name"), REFUSED)
def test_it_is_refused_by_name(call, name):
    refused(call, name)


def crowd(*sizes: int) -> pd.DataFrame:
    """``sizes[g]`` people whose ``a`` is ``g``."""
    return people(sum(sizes)).assign(a=np.repeat(np.arange(len(sizes)), sizes))


GROUPS = Domain.of({"a": 5, "b": 3, "c": 4, "d": 2})
RHO = 0.1


def pooled(table, **more):
    wrapper = Stratified(inner=MST(iterations=3), by=("a",), threshold="break-even", **more)
    return wrapper.fit(table, GROUPS, rho=RHO, rng=stream(2, "pool"))


def _own_and_pooled(model) -> tuple[list, list]:
    own = [s.codes[0] for s in model.strata if s.codes is not None]
    return own, [code for (code,) in model.pooled]


@pytest.mark.parametrize(
    ("sizes", "own", "shared"),
    [
        ({0: 900, 1: 120, 2: 80, 3: 60, 4: 700}, [0, 4], [1, 2, 3]),  # 260 of them
        ({0: 900, 1: 30, 2: 20, 3: 800, 4: 700}, [0, 3], [1, 2, 4]),  # 50 would be too few
        ({0: 900, 1: 800, 2: 700, 3: 600, 4: 500}, [0, 1, 2, 3, 4], []),
        ({0: 50, 1: 40, 2: 30, 3: 20, 4: 10}, [], [0, 1, 2, 3, 4]),
        ({0: 900, 1: 0, 2: 0, 3: 120, 4: 120}, [0], [3, 4]),  # nobody is there
    ],
)
def test_who_shares_a_model(sizes, own, shared):
    """A group below the size, and the next smallest until those who share are enough."""
    n = break_even(GROUPS, by=("a",), rho=RHO)
    assert 120 < n < 240
    model = pooled(crowd(0, 0, 0, 0, 1), sizes=sizes)
    assert _own_and_pooled(model) == (own, shared)
    assert model.least == pytest.approx(n)
    weights = [sizes[g] for g in own] + [sum(sizes[g] for g in shared)] * bool(shared)
    assert [s.weight for s in model.strata] == pytest.approx(np.array(weights) / sum(weights))


def test_both_ends_are_what_there_was_before():
    """Everybody in one pool is the plain model, nobody in it the stratified one: bit for bit."""
    table, columns = crowd(500, 400, 300, 250, 300), GROUPS.columns
    plain = MST(iterations=3).fit(table, GROUPS, rho=RHO, rng=stream(2, "pool").spawn(1)[0])
    for more in ({"threshold": 1}, {"threshold": 7.5}):
        wrapper = Stratified(inner=MST(iterations=3), by=("a",), small="merge", **more)
        one = wrapper.fit(table, GROUPS, rho=RHO, rng=stream(2, "pool"))
        np.testing.assert_array_equal(one.marginal(columns), plain.marginal(columns))
    alone = Stratified(inner=MST(iterations=3), by=("a",))
    split = alone.fit(table, GROUPS, rho=RHO, rng=stream(2, "pool"))
    same = pooled(table, weights="public")
    np.testing.assert_array_equal(same.marginal(columns), split.marginal(columns))


def test_sizes_are_noisy_and_paid_for_unless_they_are_declared():
    table = crowd(500, 400, 300, 250, 300)
    noisy, known = pooled(table), pooled(table, sizes=dict.fromkeys(range(5), 300))
    assert [e.cost for e in noisy.accountant.entries] == pytest.approx([0.05 * RHO, 0.95 * RHO])
    for model in (noisy, known):
        assert model.accountant.promise.relation == "add or remove"
        assert model.accountant.promise.price == pytest.approx(RHO)
    exact = group_sizes(table, GROUPS, ("a",))
    found = np.array([noisy.sizes[(g,)] for g in range(5)])
    # five draws of a Gaussian
    assert 0 < np.abs(found - exact).max() < 6 * math.sqrt(1 / (2 * 0.05 * RHO))
    assert noisy.least == pytest.approx(break_even(GROUPS, by=("a",), rho=0.95 * RHO))


@pytest.mark.parametrize(
    "more", [{"threshold": "break-even"}, {"small": "merge", "threshold": 0.1}]
)
def test_people_whose_group_comes_out_empty_are_in_the_shared_model(more):
    """One of them more moves that model and no other."""
    table = crowd(2000, 3, 3, 3, 100)
    one = pd.concat([table, people(1).assign(a=2)], ignore_index=True)

    def fit(rows, seed):
        mst = MST(iterations=3, compress=False)
        wrapper = Stratified(inner=mst, by=("a",), weights="projected", **more)
        return wrapper.fit(rows, GROUPS, rho=0.5, rng=stream(seed, "empty"))

    seen = 0
    for seed in range(6):
        with_one, without = fit(one, seed), fit(table, seed)
        if with_one.sizes[(2,)] == without.sizes[(2,)] == 0:
            seen += 1
            assert (2,) in with_one.pooled
            same = [
                bool((x.fitted.marginal(("b", "c")) == y.fitted.marginal(("b", "c"))).all())
                for x, y in zip(with_one.strata, without.strata, strict=True)
            ]
            assert same == [True, False]
    assert seen > 0  # one seed in three, whatever the machine
