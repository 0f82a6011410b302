"""Distances against scipy and against slow loops; the null against its exact law."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from lib.coherence.distances import (
    DISTANCES,
    Design,
    _chosen_distances,
    reshuffling_p,
    shuffled_distances,
    split_distance,
    wasserstein1,
)
from lib.rng import stream
from tests.conftest import FALSE_ALARM, as_often

# of predictions in [-1, 1]
LARGEST = {"wasserstein": 2.0, "total variation": 1.0}
values = st.lists(
    st.one_of(st.floats(-1, 1), st.sampled_from([-1.0, -0.5, 0.0, 1.0])), min_size=1, max_size=40
)
apart = values.map(lambda found: [round(x, 9) for x in found])  # equal, or well apart


@given(values, values)
@settings(max_examples=200)
def test_wasserstein_is_scipys(a, b):
    scipys = stats.wasserstein_distance(a, b)
    assert wasserstein1(np.array(a), np.array(b)) == pytest.approx(scipys, rel=0, abs=1e-12)


@given(apart, apart)
@settings(max_examples=100)
def test_total_variation_by_its_definition(a, b):
    both = np.array(a + b)
    inside = np.arange(both.size) < len(a)
    points = np.unique(both)
    pmf = np.array([[np.mean(np.array(x) == p) for p in points] for x in (a, b)])
    by_hand = np.abs(pmf[0] - pmf[1]).sum() / 2
    assert split_distance(both, inside, "total variation") == pytest.approx(by_hand, abs=1e-12)
    for name in DISTANCES:
        found = split_distance(both, inside, name)
        assert 0 <= found <= LARGEST[name] + 1e-12
        assert found == pytest.approx(split_distance(both, ~inside, name), abs=1e-12)


def test_predictions_that_differ_by_last_bits_are_one_value():
    """A sum of tenths is 0.6 or 0.6000000000000001; both halves say the same."""
    said = np.array([0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1])
    assert said[0] != said[1]
    assert split_distance(said, np.array([True, False]), "total variation") == 0


@pytest.mark.parametrize("counted", [False, True])
def test_the_null_has_the_hypergeometric_law(rng, counted):
    """4 of 10 say +1, five go to half a: W1 = 2 |2 W - 4| / 5 with W hypergeometric; chi-square."""
    h = np.repeat([1.0, -1.0], [4, 6])
    found = shuffled_distances(h, 5, draws=20_000, rng=rng, design=Design(counted=counted))
    w = np.arange(5)
    law = stats.hypergeom(10, 4, 5).pmf(w)
    distance = np.round(2 * np.abs(2 * w - 4) / 5, 9)
    support = np.unique(distance)
    expected = np.array([law[distance == d].sum() for d in support]) * found.size
    observed = np.array([(np.round(found, 9) == d).sum() for d in support])
    assert observed.sum() == found.size
    assert stats.chisquare(observed, expected).pvalue > FALSE_ALARM


def test_counted_people_of_equal_weights_have_the_law_of_the_others(rng):
    h, weight = rng.integers(-2, 3, 60) / 2, rng.choice([1.0, 1.5, 4.0], 60)
    found = [
        shuffled_distances(h, 30, draws=4000, rng=rng, design=Design(weight=weight, counted=how))
        for how in (False, True)
    ]
    assert stats.ks_2samp(*found).pvalue > FALSE_ALARM
    inside = rng.permutation(60) < 30
    exact = split_distance(h, inside, weight=weight)
    p = [
        reshuffling_p(h, inside, draws=4000, enough=4000, rng=rng, design=Design(None, weight, how))
        for how in (False, True)
    ]
    assert exact > 0
    assert p[0] == pytest.approx(p[1], abs=0.06)  # five standard errors


def test_a_sequential_p_value_is_the_full_one_where_there_is_a_difference():
    inside = np.arange(60) < 30
    how = {"draws": 999, "enough": 20, "rng": stream(7, "apart")}
    apart = np.where(inside, 1.0, -1.0)
    assert reshuffling_p(apart, inside, **how) == 1 / 1000
    assert reshuffling_p(np.zeros(60), inside, **how) == 1
    assert np.isnan(reshuffling_p(np.zeros(60), np.ones(60, dtype=bool), **how))


def test_a_sequential_p_value_is_valid_and_cheap():
    """Where nobody was seen, p <= t in a share t at most; most reshufflings are saved."""
    rng, found, spent = stream(7, "sequential"), [], 0

    def counted(values, n_a, *, draws, **more):
        nonlocal spent
        spent += draws
        return _chosen_distances(values, n_a, draws=draws, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lib.coherence.distances._chosen_distances", counted)
        for _ in range(400):
            h, inside = rng.uniform(-1, 1, 20), rng.permutation(20) < 10
            found.append(reshuffling_p(h, inside, draws=400, enough=5, rng=rng))
    for level in (0.05, 0.2, 0.5):
        assert as_often(np.array(found) <= level, level, side="greater")
    assert 0 < spent < 400 * 400 / 2


def test_a_null_of_random_keys_has_the_law_of_the_permuted_one(rng):
    """Two samples of the same law, by Kolmogorov and Smirnov; and the choice is of n_a people."""
    values = rng.random(60).round(1)
    chosen = _chosen_distances(values, 23, draws=20_000, rng=rng)
    permuted = shuffled_distances(values, 23, draws=20_000, rng=rng)
    assert stats.ks_2samp(chosen.round(9), permuted.round(9)).pvalue > FALSE_ALARM
    ends = _chosen_distances(np.array([0.0, 0.0, 1.0]), 1, draws=50, rng=rng)
    assert set(ends.round(9)) == {0.5, 1.0}
