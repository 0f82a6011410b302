"""Fifty runs of stratified COINPRESS at once, beside one run and one stratum at a time.

In the figures' mixtures hardly a value is clipped, which our groups' ranges
tell without looking at the values again. So there is a second table in which
every group has values to clip, and beside the plain loop (numbers, one by one)
a loop over groups that uses NumPy inside of each.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from lib.means.grouped import Interval, coinpress
from lib.rng import stream
from tests.means.plain import uvm_rec

RUNS, K, N = 50, 12, 10_000
TOLD, RHOS = Interval(low=-3.0, high=3.0, sigma=1.0), (0.125, 0.375)


def _mixtures(far: bool) -> tuple[np.ndarray, np.ndarray]:
    rng = stream(1, "benchmark means")
    sizes = np.array([1 + rng.multinomial(N - K, rng.dirichlet(np.ones(K))) for _ in range(RUNS)])
    means = rng.standard_normal((RUNS, K))
    x = np.repeat(means.ravel(), sizes.ravel()) + rng.standard_normal(RUNS * N)
    if far:
        x[::5] *= 30
    return x, sizes.ravel()


def _one_by_one(group, x: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    draws = stream(1, "noise").standard_normal((len(RHOS), sizes.size))
    parts = np.split(x, np.cumsum(sizes)[:-1])
    return np.array([group(p, TOLD, RHOS, draws[:, i]) for i, p in enumerate(parts)])


def _plain(x: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    return _one_by_one(
        lambda p, told, rhos, normals: uvm_rec(p.tolist(), told, rhos, normals.tolist()), x, sizes
    )


def _uvm_numpy(x, low, high, sigma, rho, beta, normal):
    """A step with NumPy inside of the group."""
    n = x.size
    slack = sigma * math.sqrt(2 * math.log(2 * n / beta))
    deviation = (high - low + 2 * slack) / n / math.sqrt(2 * rho)
    z = np.clip(x, low - slack, high + slack).mean() + normal * deviation
    half = math.sqrt(2 * (sigma**2 / n + deviation**2) * math.log(2 / beta))
    return z - half, z + half


def _numpy(x: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    return _one_by_one(
        lambda p, told, rhos, normals: uvm_rec(p, told, rhos, normals, uvm=_uvm_numpy), x, sizes
    )


def _batched(x: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    return coinpress(x, sizes, TOLD, RHOS, stream(1, "noise"))


WHOSE = {
    "ours": _batched,
    "plain loop": _plain,
    "NumPy loop": _numpy,
    "one reduceat": lambda x, sizes: np.add.reduceat(x, sizes.cumsum() - sizes),
}


def _check(benchmark, whose: str, far: bool) -> None:
    table = _mixtures(far)
    found = benchmark.pedantic(WHOSE[whose], args=table, rounds=5, warmup_rounds=1)
    if whose != "one reduceat":
        assert found == pytest.approx(_plain(*table), rel=1e-9)


@pytest.mark.parametrize("whose", WHOSE)
@pytest.mark.benchmark(group="StratCOINPRESS, 50 runs of 10,000 people in 12 strata")
def test_strat_coinpress(benchmark, whose):
    _check(benchmark, whose, far=False)


@pytest.mark.parametrize("whose", WHOSE)
@pytest.mark.benchmark(
    group="StratCOINPRESS, a fifth of the values thirty times as large: all strata are clipped"
)
def test_strat_coinpress_clipped(benchmark, whose):
    _check(benchmark, whose, far=True)
