"""Households that are inside or left out as wholes: the test keeps its level, weights count."""

from __future__ import annotations

import numpy as np
import pytest

from lib.coherence.distances import Design, reshuffling_p, split_distance
from lib.coherence.experiment import halves
from lib.rng import stream
from lib.stats.summary import clopper_pearson

TRIALS = 2000


def rejected(sizes: list[int], key: str, *, known: bool) -> int:
    """How often 5% reject predictions that are alike in a household and ask nobody's half."""
    count = 0
    for i in range(TRIALS):
        rng = stream(8, "households", key, i)
        cluster = np.repeat(np.arange(60), rng.choice(sizes, 60))
        values = np.round(np.tanh(rng.normal(size=60)[cluster]), 6)
        inside = (rng.permutation(60) < 30)[cluster]
        design = Design(cluster=cluster) if known else Design()
        count += reshuffling_p(values, inside, draws=99, enough=100, rng=rng, design=design) <= 0.05
    return count


@pytest.mark.thorough("long statistics")
@pytest.mark.parametrize("sizes", [[1], [2], [3], [4], [5], [6], [1, 2, 3, 4, 5, 6]], ids=str)
def test_a_test_of_whole_households_keeps_its_level(sizes):
    low, high = clopper_pearson(rejected(sizes, str(sizes), known=True), TRIALS, level=1 - 1e-6)
    assert low <= 0.05
    assert high < 0.09  # the simulation would have seen what is above


def test_halves_have_whole_clusters():
    cluster = np.repeat(np.arange(11), np.arange(1, 12))
    a, b = halves(cluster.size, stream(1, "halves"), cluster)
    assert len({*cluster[a]}) == len({*cluster[b]}) == 5
    assert not {*cluster[a]} & {*cluster[b]}
    for half in (a, b):
        assert half.size == np.isin(cluster, cluster[half]).sum()


def test_a_weight_of_two_counts_as_two_people():
    rng = stream(5, "weights")
    values, inside, weight = rng.random(30), rng.random(30) < 0.5, rng.integers(1, 4, 30)
    twice = np.repeat(np.arange(30), weight)
    found = split_distance(values, inside, weight=weight.astype(float))
    assert float(found) == pytest.approx(float(split_distance(values[twice], inside[twice])))
