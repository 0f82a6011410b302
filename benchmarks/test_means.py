"""Fifty runs of stratified COINPRESS at once, beside one run and one stratum at a time."""

from __future__ import annotations

import numpy as np
import pytest

from lib.means.grouped import Interval, coinpress
from lib.rng import stream
from tests.means.plain import uvm_rec

RUNS, K, N = 50, 12, 10_000
TOLD, RHOS = Interval(low=-3.0, high=3.0), (0.125, 0.375)


@pytest.fixture(scope="module")
def mixtures() -> tuple[np.ndarray, np.ndarray]:
    rng = stream(1, "benchmark means")
    sizes = np.array([1 + rng.multinomial(N - K, rng.dirichlet(np.ones(K))) for _ in range(RUNS)])
    means = rng.standard_normal((RUNS, K))
    return np.repeat(means.ravel(), sizes.ravel()) + rng.standard_normal(RUNS * N), sizes.ravel()


def _plain(x: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    draws = stream(1, "noise").standard_normal((len(RHOS), sizes.size))
    parts = np.split(x, np.cumsum(sizes)[:-1])
    return np.array([uvm_rec(p.tolist(), TOLD, RHOS, draws[:, i].tolist()) for i, p in enumerate(parts)])


def _batched(x: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    return coinpress(x, sizes, TOLD, RHOS, stream(1, "noise"))


@pytest.mark.parametrize("whose", ["ours", "plain loop"])
@pytest.mark.benchmark(group="StratCOINPRESS, 50 runs of 10,000 people in 12 strata")
def test_strat_coinpress(benchmark, mixtures, whose):
    found = benchmark.pedantic(
        {"ours": _batched, "plain loop": _plain}[whose], args=mixtures, rounds=5, warmup_rounds=1
    )
    assert found == pytest.approx(_plain(*mixtures), rel=1e-9)
