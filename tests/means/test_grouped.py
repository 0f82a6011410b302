"""All groups at once against one at a time, privacy by exact divergences and by attack, edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.means.grouped import (
    Interval,
    coinpress,
    coinpress_path,
    laplace_means,
    recombine,
)
from lib.rng import stream
from tests.conftest import as_often
from tests.means.plain import uvm_rec

TOLD = Interval(low=-5.0, high=5.0, sigma=1.0)


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=6),
    st.lists(st.floats(0.01, 5), min_size=1, max_size=4),
    st.floats(0.1, 10),
    st.integers(0, 2**32),
)
def test_all_groups_at_once_are_the_plain_algorithm_one_by_one(sizes, rhos, sigma, seed):
    """With the same normal draws, step by step and group by group."""
    told = Interval(low=-5.0, high=9.0, sigma=sigma)
    x = stream(seed, "values").normal(2, 3, sum(sizes))
    batched = coinpress(x, np.array(sizes), told, tuple(rhos), stream(seed, "noise"))
    draws = stream(seed, "noise").standard_normal((len(rhos), len(sizes)))
    for i, part in enumerate(np.split(x, np.cumsum(sizes)[:-1])):
        assert batched[i] == pytest.approx(
            uvm_rec(part.tolist(), told, rhos, draws[:, i].tolist()), rel=1e-9, abs=1e-9
        )


def test_clipped_means_of_many_blocks_against_each_group(rng):
    """Groups larger and smaller than what is clipped at a time; some are cut, some are not."""
    sizes = np.concatenate([[40_000, 0, 1], rng.integers(0, 300, 400), [17_000]])
    x = rng.standard_cauchy(sizes.sum())
    low = np.where(rng.random(sizes.size) < 0.5, -1.0, -1e12)
    found = laplace_means(x, sizes, low, 1e12, 1.0, None)
    parts = np.split(x, np.cumsum(sizes)[:-1])
    expected = [
        np.clip(p, a, 1e12).mean() if len(p) else (a + 1e12) / 2
        for p, a in zip(parts, low, strict=True)
    ]
    assert found == pytest.approx(expected)


def _deviation(path: np.ndarray, step: int, n: int, beta: float, sigma: float) -> float:
    """Standard deviation of a step's noise, from the width of the interval that it released."""
    half = np.diff(path[step, :, 0])[0] / 2
    return math.sqrt(half**2 / (2 * math.log(2 / beta)) - sigma**2 / n)


@pytest.mark.parametrize("rhos", [(0.5,), (0.125, 0.375), (0.1, 0.2, 0.2)])
@pytest.mark.parametrize("n", [1, 2, 30])
def test_each_step_costs_its_rho_exactly(rhos, n):
    """The worst neighbours are ``rho`` apart: Gaussians, means over deviation."""
    told = TOLD
    low = coinpress_path(np.full(n, -1e9), np.array([n]), told, rhos, None)
    moved = np.full(n, -1e9)
    moved[0] = 1e9
    high = coinpress_path(moved, np.array([n]), told, rhos, None)
    betas = [told.beta / (4 * (len(rhos) - 1)) for _ in rhos[:-1]] + [told.beta / 4]
    deviation = _deviation(low, 1, n, betas[0], told.sigma)
    gap = high[1].mean() - low[1].mean()
    assert gap**2 / (2 * deviation**2) == pytest.approx(rhos[0], rel=1e-9)
    assert deviation == pytest.approx(_deviation(high, 1, n, betas[0], told.sigma))
    # given the interval released before, the same holds for each later step
    for step in range(2, len(rhos) + 1):
        slack = told.sigma * math.sqrt(2 * math.log(2 * n / betas[step - 1]))
        width = np.diff(low[step - 1, :, 0])[0] + 2 * slack
        ratio = width / n / _deviation(low, step, n, betas[step - 1], told.sigma)
        assert ratio**2 / 2 == pytest.approx(rhos[step - 1])


def test_estimates_are_near_the_mean_and_the_interval_covers_it():
    """Over 20,000 groups the last interval misses the mean no more often than beta."""
    groups, n = 20_000, 100
    rng = stream(0, "coverage")
    mu = rng.uniform(-3, 3, groups)
    x = np.repeat(mu, n) + rng.standard_normal(groups * n)
    low, high = coinpress_path(
        x, np.full(groups, n), Interval(low=-5.0, high=5.0, sigma=1.0, beta=0.05), (0.25, 0.75), rng
    )[-1]
    assert as_often((mu < low) | (mu > high), 0.05, side="greater")
    assert np.abs((low + high) / 2 - mu).mean() < 0.15


def test_empty_one_row_and_constant_groups():
    sizes = np.array([0, 1, 30])
    x = np.concatenate([[2.0], np.full(30, 1.5)])
    found = coinpress(
        x, sizes, Interval(low=0.0, high=4.0, sigma=1.0), (100.0, 1e9), stream(0, "edges")
    )
    assert found[0] == 2.0  # the middle of what was declared: there is nothing to learn from
    assert found[1:] == pytest.approx([2.0, 1.5], abs=0.01)
    assert laplace_means(x, sizes, 0.0, 4.0, 1e9, stream(0, "edges"))[0] == 2.0


def test_each_group_may_have_an_interval_of_its_own():
    """As if it had been the only one; the noise is that of its own width."""
    x = np.array([-9.0, 1.0, 4.0, 9.0])
    sizes = np.array([2, 0, 2])
    low = np.array([-1.0, 0, 0])
    high = np.array([1.0, 8, 5])
    both = laplace_means(x, sizes, low, high, 2.0, stream(0, "own"))
    draws = stream(0, "own").laplace(0.0, 1.0, 3)
    assert both == pytest.approx([0.0 + draws[0] * 2 / 4, 4.0, 4.5 + draws[2] * 5 / 4])


def test_recombination_right_and_as_printed():
    assert recombine(np.array([1.0, 5.0]), np.array([3, 1])) == 2.0
    assert recombine(np.array([1.0, 5.0]), np.array([3, 1]), printed=True) == 1.0
    runs = np.array([[1.0, 5.0], [0.0, 2.0]])
    assert recombine(runs, np.array([1.0, 1.0])).tolist() == [3.0, 1.0]
