"""DemCoh: one W1 beside scipy's, the null of a group, and a hundred published forests on two
cores.
"""

from __future__ import annotations

import numpy as np
import pytest
from joblib import Parallel, delayed
from scipy import stats

from lib.coherence.distances import _chosen_distances, shuffled_distances, wasserstein1
from lib.rng import stream
from studies.coherence.section5 import SEED, Cell, published_labels
from studies.coherence.table import load_section5

MILLION, SPLITS, CORES = 1_000_000, 100, 2
W1 = {
    "ours": wasserstein1,
    "SciPy": stats.wasserstein_distance,
    "one sort": lambda *halves: np.sort(np.concatenate(halves)),
}


@pytest.fixture(scope="module")
def predictions() -> tuple[np.ndarray, np.ndarray]:
    rng = stream(1, "benchmark coherence")
    return rng.uniform(-1, 1, MILLION // 2), rng.uniform(-1, 0.9, MILLION // 2)


@pytest.mark.parametrize("whose", W1)
@pytest.mark.benchmark(group="W1 of two halves of a million predictions")
def test_w1(benchmark, predictions, whose):
    found = benchmark.pedantic(W1[whose], args=predictions, rounds=5, warmup_rounds=1)
    if whose != "one sort":
        assert found == pytest.approx(W1["SciPy"](*predictions), rel=0, abs=1e-12)


def _ours(h: np.ndarray, draws: int) -> np.ndarray:
    return shuffled_distances(h, h.size // 2, draws=draws, rng=stream(1, "benchmark null"))


def _by_keys(h: np.ndarray, draws: int) -> np.ndarray:
    return _chosen_distances(h, h.size // 2, draws=draws, rng=stream(1, "benchmark null"))


def _one_by_one(h: np.ndarray, draws: int) -> np.ndarray:
    rng = stream(1, "benchmark null")
    orders = (rng.permutation(h) for _ in range(draws))
    return np.array(
        [stats.wasserstein_distance(x[: h.size // 2], x[h.size // 2 :]) for x in orders]
    )


NULLS = {"ours by random keys": _by_keys, "ours permuted": _ours, "SciPy": _one_by_one}


@pytest.mark.parametrize("whose", NULLS)
@pytest.mark.benchmark(group="null of 1,000 reshufflings, a group of 1,521")
def test_null(benchmark, predictions, whose):
    args = predictions[0][:1521], 1000
    found = benchmark.pedantic(NULLS[whose], args=args, rounds=5, warmup_rounds=1)
    assert found.shape == (1000,)


@pytest.mark.benchmark(group="the published forest on a hundred splits, two processes")
def test_published_splits(benchmark):
    """Section 5's protocol: a forest of 50 trees for each of 100 splits, both halves predicted."""
    section5 = load_section5()

    def every_split() -> list:
        one = delayed(published_labels)
        cells = (Cell(variant="published", split=i) for i in range(SPLITS))
        return Parallel(n_jobs=CORES)(
            one(section5, cell, stream(SEED, "section 5", 0, cell.split)) for cell in cells
        )

    found = benchmark.pedantic(every_split, rounds=1, warmup_rounds=0)
    assert len(found) == SPLITS
