"""Certified epsilons: SciPy's limits, exact laws of small curators, and false certificates."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binomtest, hypergeom, nchypergeom_fisher
from scipy.stats.contingency import odds_ratio

from lib.dp.certificate import Guesses, ceiling, epsilon_limit, hits_p, smallest_leak
from lib.rng import stream

SEED = 20261125


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


def curators(n, half, epsilon, rng, count):
    """Random tables ``P(release | half)``: log weights that swapping one person moves by at most
    epsilon / 2, normalised, so epsilon-DP; and names for each release.
    """
    subsets = [frozenset(s) for s in itertools.combinations(range(n), half)]
    for _ in range(count):
        centres = [frozenset(rng.permutation(n)[:half].tolist()) for _ in range(3)]
        log = np.array([[epsilon / 2 * len(s & c) for c in centres] for s in subsets])
        names = [frozenset(rng.permutation(n)[: rng.integers(1, n)].tolist()) for _ in centres]
        p = np.exp(log)
        yield (
            subsets,
            p / p.sum(axis=1, keepdims=True),
            [c if rng.random() < 0.7 else t for c, t in zip(centres, names, strict=True)],
        )


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_no_small_curator_has_more_hits_than_the_law(epsilon):
    n, half, rng = 6, 3, stream(SEED, "curators", epsilon)
    for subsets, p, names in curators(n, half, epsilon, rng, 40):
        by_size = {}
        for s, row in zip(subsets, p, strict=True):
            for named, chance in zip(names, row, strict=True):
                law = by_size.setdefault(len(named), np.zeros(n + 1))
                law[len(s & named)] += chance / len(subsets)
        for size, law in by_size.items():
            for hits in range(max(0, size + half - n), min(size, half) + 1):
                table = Guesses(named=size, hits=hits, people=n, inside=half)
                assert law[hits:].sum() / law.sum() <= hits_p([table], epsilon) * (1 + 1e-9)


def test_a_curator_that_publishes_names_by_its_half_reaches_the_law():
    n, half, epsilon = 8, 4, 1.3
    subsets = [frozenset(s) for s in itertools.combinations(range(n), half)]
    weights = np.array([math.exp(epsilon * len(subsets[0] & t)) for t in subsets])
    weights /= weights.sum()  # the same sum for every half: epsilon-DP, and no less
    hits = np.array([len(subsets[0] & t) for t in subsets])
    for least in range(half + 1):
        limit = hits_p([half_named(n, least)], epsilon)
        assert weights[hits >= least].sum() == pytest.approx(limit, rel=1e-9)


@given(st.floats(0, 2), st.floats(0, 0.01), st.integers(1, 4))
def test_delta_covers_a_curator_that_sometimes_publishes_its_half(epsilon, delta, least):
    table = [half_named(8, least)]
    sometimes = (1 - delta) * hits_p(table, epsilon) + delta
    assert sometimes <= hits_p(table, epsilon, delta=delta) * (1 + 1e-9)


def test_the_factor_of_delta_at_the_size_of_the_sample():
    """Half of 25,900 people are named, and 1 in 20 such audits has so many hits by chance."""
    table = [half_named(25_900, 6_542)]
    more = hits_p(table, 0.0, delta=1e-6) - hits_p(table, 0.0)
    assert more / 1e-6 == pytest.approx(73.9, abs=0.1)


@pytest.mark.parametrize("epsilon", [0.0, 1.0])
def test_false_certificates_are_as_rare_as_stated(epsilon):
    """A thousand audits of the curator that reaches the law, of three halves each."""
    rng, audits, n = stream(SEED, "false", epsilon), 1000, 40
    hits = nchypergeom_fisher.rvs(n, 20, 20, math.exp(epsilon), size=(audits, 3), random_state=rng)
    totals = hits.sum(axis=1).tolist()
    limit = {t: epsilon_limit([half_named(n, h) for h in _spread(t)]) for t in set(totals)}
    false = sum(limit[total] > epsilon for total in totals)
    assert binomtest(false, audits, 0.05, "greater").pvalue > 1e-6


def _spread(total):
    return [total // 3 + (i < total % 3) for i in range(3)]


def test_two_tempting_rules_refute_true_claims():
    """People are no independent coins; and names may not get fewer after luck."""
    # of two people one is inside: both guesses are right half of the time, not a quarter
    assert hits_p([half_named(2, 1)], 0.0) == pytest.approx(0.5)
    table, law = partial(half_named, 2000), hypergeom(2000, 1000, 1000)

    def is_enough(*hits: int) -> bool:
        return hits_p([*map(table, hits)], 0.0) <= 0.05

    one = next(x for x in range(450, 600) if is_enough(x))
    two = next(x for x in range(950, 1100) if is_enough(x // 2, x - x // 2))
    first = np.arange(400, one)
    false = law.sf(one - 1) + (law.pmf(first) * law.sf(two - first - 1)).sum()
    assert false == pytest.approx(0.077, abs=0.0005)  # "stop if the first half is enough"


def test_what_can_be_certified_is_known_before():
    assert [ceiling(people) > 0 for people in (6, 8)] == [False, True]
    sixteen = 1 - 0.05 / 16
    assert [ceiling(people, level=sixteen) > 0 for people in (10, 12)] == [False, True]
    assert ceiling(25_900) == pytest.approx(17.25, abs=0.01)
    # of six people three are right by chance in exactly 5%, which refutes nothing
    assert smallest_leak(4) == smallest_leak(6) == math.inf
    assert ceiling(6) == 0 < ceiling(7)
    for people, splits in ((100, 1), (100, 7), (1001, 2)):
        leak = smallest_leak(people, splits=splits)
        assert leak == pytest.approx(10 / math.sqrt(people * splits), rel=0.1)


@given(tables(40), st.floats(0.5, 0.99))
def test_more_hits_never_certify_less(table, level):
    if table.hits < min(table.named, table.inside):
        more = replace(table, hits=table.hits + 1)
        limits = [epsilon_limit([one], level=level) for one in (table, more)]
        assert limits[0] <= limits[1] + 1e-9
