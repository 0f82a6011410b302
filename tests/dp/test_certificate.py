"""Certified epsilons: SciPy's limits, exact laws of small curators, and false certificates."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats.contingency import odds_ratio

from lib.dp.certificate import (
    Guesses,
    ceiling,
    epsilon_limit,
    hits_p,
    least_hits,
    smallest_leak,
)


@st.composite
def tables(draw, most=200):
    people = draw(st.integers(2, most))
    named, inside = (draw(st.integers(1, people - 1)) for _ in range(2))
    low, high = max(0, named + inside - people), min(named, inside)
    return Guesses(named=named, hits=draw(st.integers(low, high)), people=people, inside=inside)


def half_named(people: int, hits: int) -> Guesses:
    """Half of the people are named, and half are inside."""
    return Guesses(named=people // 2, hits=hits, people=people, inside=people // 2)


@given(tables())
def test_one_half_gives_scipys_conditional_limit(table):
    a, r, h, n = table.hits, table.named, table.inside, table.people
    low = odds_ratio([[a, r - a], [h - a, n - r - h + a]]).confidence_interval(0.95, "greater").low
    expected = max(0.0, math.log(low)) if low > 0 else 0.0
    assert epsilon_limit([table]) == pytest.approx(expected, abs=1e-7)


@given(st.lists(tables(60), min_size=2, max_size=3), st.floats(0, 6))
@example([Guesses(named=7, hits=5, people=19, inside=14)] * 2, 2.0**-52)
def test_several_halves_have_the_law_of_the_sum(halves, epsilon):
    """By the formula in whole numbers; SciPy's law ends the process at odds of 1 + 2^-52."""
    laws = []
    for one in halves:
        ways = [
            math.comb(one.named, j) * math.comb(one.people - one.named, one.inside - j)
            for j in range(min(one.named, one.inside) + 1)
        ]
        law = np.array(ways, dtype=float) * np.exp(epsilon * np.arange(len(ways)))
        laws.append(law / law.sum())
    p = laws[0]
    for law in laws[1:]:
        p = np.convolve(p, law)
    beyond = p[sum(h.hits for h in halves) :].sum()
    assert hits_p(halves, epsilon) == pytest.approx(beyond, rel=1e-6)


def swaps(n, half, named, epsilon):
    """What a swap may change if all sets of ``named`` people with as many right names are equally
    likely: one row a kind of release, whose positive parts add up to delta at most. The columns are
    the chances of one set with ``l`` right names; and how many sets have ``l`` of them.
    """
    right = range(max(0, named + half - n), min(named, half) + 1)
    rows = []
    for i, hits in enumerate(right):
        for other, taken in ((i - 1, 1), (i + 1, 0)):  # the named one of the two goes, or comes
            if 0 <= other < len(right):
                row = np.zeros(len(right))
                row[i], row[other] = 1, -math.exp(epsilon)
                ways = math.comb(half - 1, hits - taken) * math.comb(
                    n - half - 1, named - hits + taken - 1
                )
                rows.append(ways * row)
    sets = [math.comb(half, j) * math.comb(n - half, named - j) for j in right]
    return np.array(rows), np.array(sets, dtype=float)


def extreme_laws(n, half, named, epsilon, delta):
    """The laws of right names at all corners of what (epsilon, delta)-DP allows, one a row."""
    rows, sets = swaps(n, half, named, epsilon)
    some = [c for k in range(len(rows)) for c in itertools.combinations(rows, k + 1)]
    limits = np.vstack([-np.eye(sets.size), [sum(c) for c in some]])
    at_most = np.append(np.zeros(sets.size), np.full(len(some), delta))
    tight = np.array([*itertools.combinations(range(len(limits)), sets.size - 1)])
    system = np.concatenate([limits[tight], np.tile(sets, (len(tight), 1, 1))], axis=1)
    value = np.append(at_most[tight], np.ones((len(tight), 1)), axis=1)
    regular = np.abs(np.linalg.det(system)) > 1e-9
    corners = np.linalg.solve(system[regular], value[regular][..., None])[..., 0]
    allowed = (corners @ limits.T <= at_most + 1e-11).all(axis=1)
    return np.unique((corners[allowed] * sets).round(13), axis=0)


SMALL = [(4, 2, 1), (4, 2, 2), (5, 2, 2), (5, 3, 2), (6, 3, 3)]


@pytest.mark.parametrize("halves", [*([kind] * n for kind in SMALL for n in (1, 2, 3)), SMALL[3:]])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("delta", [0.001, 0.02, 0.1])
def test_no_curators_of_several_halves_have_more_hits_than_delta_allows(halves, epsilon, delta):
    """Every combination of corners: a tail of independent halves is largest at one of them. Of
    unequal halves, each is asked for what the other cannot supply.
    """
    laws = np.ones((1, 1))
    for kind in halves:
        corners = extreme_laws(*kind, epsilon, delta)
        laws = np.array([np.convolve(a, b) for a in np.unique(laws, axis=0) for b in corners])
    worst = laws[:, ::-1].cumsum(axis=1)[:, ::-1].max(axis=0)
    none = [
        Guesses(named=named, hits=max(0, named + half - n), people=n, inside=half)
        for n, half, named in halves
    ]
    for total, chance in enumerate(worst):
        tables, left = [], total
        for one in none:
            more = min(left, one.most - one.least)
            tables.append(replace(one, hits=one.least + more))
            left -= more
        limit = hits_p(tables, epsilon, delta=delta)
        assert chance <= limit * (1 + 1e-9) + 1e-11
        assert len(halves) > 1 or chance == pytest.approx(limit, abs=1e-9)


@pytest.mark.parametrize("delta", [1e-5, 1e-4, 1e-3])
def test_with_delta_right_names_of_everybody_give_what_the_ceiling_says(delta):
    """Of 20 splits, 19 test. A ceiling was said that no audit with delta could reach."""
    for people in (100, 25_900):
        tables = [half_named(people, people // 2)] * 19
        limit = epsilon_limit(tables, delta=delta)
        assert limit == ceiling(people, splits=19, delta=delta)
        assert 0.98 * ceiling(people, splits=19) < limit < ceiling(people, splits=19)


def test_with_delta_the_limit_is_the_largest_epsilon_that_is_refuted():
    """A p-value that is too large at 0 may be small enough later, which refutes what is before."""
    tables = [half_named(2000, 700)] * 19  # others can supply all that one half has not
    assert hits_p(tables, 0.0, delta=1e-4) > 0.05 > hits_p(tables, 1.0, delta=1e-4)
    limit = epsilon_limit(tables, delta=1e-4)
    assert 1 < limit < epsilon_limit(tables)
    assert hits_p(tables, limit, delta=1e-4) == pytest.approx(0.05, rel=1e-6)
    assert min(hits_p(tables, limit + x, delta=1e-4) for x in (1e-6, 0.01, 0.1, 1)) > 0.05


@given(tables(40), st.integers(1, 3), st.sampled_from([0.0, 1e-4, 0.01]), st.floats(0.6, 0.99))
def test_least_hits_are_the_fewest_with_a_limit(table, splits, delta, level):
    halves = [replace(table, hits=table.least)] * splits
    asked = {"level": level, "delta": delta}
    found = least_hits(halves, **asked)

    def limit(hits):
        return epsilon_limit(_tables(table, hits, splits), **asked)

    if found is None:
        assert limit(splits * table.most) == 0
    else:
        assert limit(found) > 0
        assert found == splits * table.least or limit(found - 1) == 0


def _tables(table, total, splits):
    each, more = divmod(total - splits * table.least, splits)
    high, low = (replace(table, hits=table.least + each + i) for i in (more > 0, 0))
    return [high] * more + [low] * (splits - more)


def test_what_can_be_certified_is_known_before():
    """Of six people three are right by chance in exactly 5%, which refutes nothing."""
    assert smallest_leak(4) == smallest_leak(6) == math.inf
    assert ceiling(6) == 0 < ceiling(7)
    assert [ceiling(people, level=1 - 0.05 / 16) > 0 for people in (10, 12)] == [False, True]
    assert ceiling(2, splits=4) == 0 < ceiling(2, splits=5)
    for people, splits in ((100, 1), (100, 7), (1001, 2)):
        leak = smallest_leak(people, splits=splits)
        assert leak == pytest.approx(10 / math.sqrt(people * splits), rel=0.1)
