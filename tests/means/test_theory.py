"""Bounds against exact tails and simulation; Theorem 10 against draws; readings of alpha."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, stats

from lib.rng import stream
from studies.private_means.group_sizes import (
    alpha_by_likelihood,
    alpha_by_squares,
    expected_logs,
    log_dirichlet,
)
from studies.private_means.theory import (
    clip_slack,
    clipping_probability,
    laplace_sum_bound,
    noise_weights,
    stratified_bound,
)
from tests.conftest import FALSE_ALARM, as_often

RUNS = 200_000


@pytest.mark.parametrize("n", [10, 1000, 10**6])
@pytest.mark.parametrize("gamma", [0.5, 0.05, 1e-6])
def test_the_union_slack_suffices_and_the_printed_one_does_not(n, gamma):
    assert clipping_probability(n, gamma) <= gamma
    if gamma <= 0.05:
        assert clipping_probability(n, gamma, reading="printed") > gamma
    exact = 1 - stats.norm.cdf(clip_slack(n, gamma)) ** n
    assert clipping_probability(n, gamma) == pytest.approx(exact, rel=1e-3, abs=1e-9)


@pytest.mark.parametrize("sizes", [[1000], [500, 500], [991] + [1] * 9, [100] * 10, [2] * 500])
@pytest.mark.parametrize("gamma", [0.3, 0.01])
def test_bounds_of_the_noise_hold_as_often_as_they_say(sizes, gamma):
    """Drawn sums of Laplace variables exceed the bound in no more than a share gamma."""
    weights = noise_weights(np.array(sizes), radius=3.0, epsilon=1.0, gamma=gamma)
    rng, runs = stream(0, "theory", len(sizes), gamma), 20_000
    noise = np.abs((rng.laplace(size=(runs, len(sizes))) * weights).sum(axis=1))
    bound = stratified_bound(np.array(sizes), radius=3.0, epsilon=1.0, gamma=gamma)
    assert bound == laplace_sum_bound(weights, gamma)
    assert as_often(noise > bound, gamma, side="greater")
    if len(sizes) == 1:  # exact for one Laplace variable
        assert as_often(noise > math.log(1 / gamma) * weights[0], gamma)


@pytest.mark.parametrize(("alpha", "k"), [(0.13, 9), (1.0, 3), (5.0, 20)])
def test_theorem_10_is_an_equality(alpha, k):
    """Mean of drawn sums of logs, by log-gamma draws that do not underflow; z-test at 1e-6."""
    rng = stream(0, "theorem 10", alpha, k)
    logs = log_dirichlet(alpha, k, RUNS, rng)
    assert np.exp(logs).sum(axis=1) == pytest.approx(np.ones(RUNS))
    sums = (logs + math.log(5000)).sum(axis=1)
    z = (sums.mean() - expected_logs(alpha, k, 5000)) / (sums.std() / math.sqrt(RUNS))
    assert abs(z) < stats.norm.isf(FALSE_ALARM / 2)


@pytest.mark.parametrize("alpha", [0.2, 1.0, 4.0])
def test_readings_of_alpha_by_their_definitions(alpha):
    g = stream(0, "alpha", alpha).dirichlet(np.full(9, alpha)) + 1e-12
    g /= g.sum()
    by_squares = alpha_by_squares(g)
    assert (1 + by_squares) / (1 + 9 * by_squares) == pytest.approx((g**2).sum())
    best = optimize.minimize_scalar(
        lambda u: -stats.dirichlet(np.full(9, math.exp(u))).logpdf(g),
        bounds=(-9, 9),
        method="bounded",
        options={"xatol": 1e-9},
    )
    assert alpha_by_likelihood(g) == pytest.approx(math.exp(best.x), rel=1e-4)
    # the likelihood's stationary point is where the expected logs are the observed ones
    assert expected_logs(alpha_by_likelihood(g), 9, 1.0) == pytest.approx(np.log(g).sum(), rel=1e-4)
