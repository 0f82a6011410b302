"""Strata: one row touches one fit, weights and their price, what becomes of small groups."""

from __future__ import annotations

import numpy as np
import pytest

from lib.rng import stream
from lib.synth import MST, Stratified
from lib.synth.group_sizes import group_sizes
from tests.synth.conftest import DOMAIN, people


def test_strata_pay_in_parallel_and_counts_before(table):
    """And a stratum weighs what its group's share is, as it is in the rows."""
    public = Stratified(inner=MST(), by=("a", "d")).fit(table, DOMAIN, rho=0.2, rng=stream(1, "p"))
    sizes, entry = public.accountant.entries
    assert (sizes.kind, sizes.cost) == ("exact count", 0.0)
    assert entry.parts == pytest.approx({f"a={a},d={d}": 0.2 for a in range(2) for d in range(2)})
    exact = group_sizes(table, DOMAIN, ("a", "d"))
    assert public.marginal(("a", "d")) == pytest.approx(exact.reshape(2, 2) / exact.sum())
    rows = public.sample(len(table), stream(1, "rows"))
    assert np.abs(group_sizes(rows, DOMAIN, ("a", "d")) - exact).max() <= 1
    for weights in ("noisy", "projected"):
        by_a = Stratified(inner=MST(), by=("a",), weights=weights, count_share=0.1)
        noisy = by_a.fit(table, DOMAIN, rho=0.2, rng=stream(1, "n"))
        assert [e.cost for e in noisy.accountant.entries] == pytest.approx([0.02, 0.18])
        assert all(s.fitted.accountant.spent == pytest.approx(0.18) for s in noisy.strata)


@pytest.fixture
def lopsided():
    table = people(3000)
    table["d"] = 0
    table.loc[table.index[:2], "d"] = 1
    return table


def test_small_groups_are_kept_dropped_or_merged(lopsided):
    def fit(small):
        by_d = Stratified(inner=MST(), by=("d",), small=small)
        return by_d.fit(lopsided, DOMAIN, rho=0.2, rng=stream(1, small))

    fits = {small: fit(small) for small in ("keep", "drop", "merge")}
    assert [s.codes for s in fits["keep"].strata] == [(0,), (1,)]
    assert [s.codes for s in fits["drop"].strata] == [(0,)]
    assert fits["drop"].dropped == ((1,),)
    assert set(fits["drop"].sample(1000, stream(1, "rows"))["d"]) == {0}
    assert [s.codes for s in fits["merge"].strata] == [(0,), None]
    assert fits["merge"].strata[1].weight == pytest.approx(2 / 3000)
    assert fits["merge"].marginal(("d",)).sum() == pytest.approx(1.0)


def test_a_table_with_a_shuffled_index_has_the_same_answer(table, rng):
    shuffled = table.set_axis(rng.permutation(len(table)))
    by_a = Stratified(inner=MST(), by=("a",))
    one, other = (by_a.fit(t, DOMAIN, rho=0.1, rng=stream(1, "s")) for t in (table, shuffled))
    rest = ("b", "c", "d")
    for x, y in zip(one.strata, other.strata, strict=True):
        assert (x.codes, x.weight) == (y.codes, y.weight)
        np.testing.assert_array_equal(x.fitted.marginal(rest), y.fitted.marginal(rest))
