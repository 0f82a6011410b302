"""What runs prove about privacy: never more than is true, and enough to be of use."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lib.dp import gaussian_delta, gaussian_epsilon, rho_of_pure
from lib.rng import stream
from studies.privacy_audit.empirical_delta import (
    MULTIPLES,
    Promise,
    certified_epsilon,
    delta_exceeds,
    delta_lower_bound,
    mean_exceeds,
    proves_violation,
)

LEVEL = 1e-8


def gaussian_losses(mu: float, runs: int, *key: object) -> np.ndarray:
    """Exact losses of Gaussian noise that a neighbour moves by ``mu`` deviations."""
    return stream(1, "losses", *key).normal(mu**2 / 2, mu, runs)


@pytest.mark.parametrize(
    "law",
    [
        lambda rng: rng.random(100) < 0.05,
        lambda rng: rng.beta(0.2, 2.0, 100),
        lambda rng: 0.02 * rng.random(100),
        lambda rng: np.full(100, 0.3),
        lambda rng: rng.random(100) ** 0.1,
    ],
    ids=["rare", "skewed", "small", "constant", "large"],
)
def test_a_true_mean_is_seldom_refuted(law):
    """Of 1,000 tests at level 0.2, at most 200 on average; 280 with probability below 1e-8."""
    rng = stream(2, "means")
    mean = np.mean([law(rng).mean() for _ in range(5000)])
    draws = [law(rng).astype(float) for _ in range(1000)]
    assert sum(mean_exceeds(x, mean * 1.02, 0.2) for x in draws) < 280


def test_a_false_mean_is_refuted():
    x = stream(3, "x").random(500)
    assert mean_exceeds(x, 0.35, 1e-6)
    assert not mean_exceeds(x, x.mean(), 1e-6)
    assert mean_exceeds(np.array([0.0, 1e-12]), 0.0, 1e-6)
    assert not mean_exceeds(np.zeros(9), 0.0, 1e-6)


@pytest.mark.parametrize("mu", [0.3, 1.0, 2.0])
def test_gaussian_noise_is_certified_up_to_what_it_costs(mu):
    """Three sizes of noise, at most its exact epsilon, and at least 80% of it (70% of delta)."""
    losses, promise = gaussian_losses(mu, 20_000, mu), Promise(rho=mu**2 / 2)
    exact, delta = gaussian_epsilon(mu, 0.01), gaussian_delta(mu, 0.5)
    found = certified_epsilon(losses, promise, 0.01, LEVEL)
    assert 0.8 * exact < found <= exact < promise.epsilon_at(0.01)
    assert 0.7 * delta < delta_lower_bound(losses, 0.5, LEVEL) <= delta
    assert not proves_violation(losses, promise, 0.01, LEVEL)


def test_half_the_noise_breaks_the_promise():
    assert proves_violation(gaussian_losses(2.0, 1000), Promise(rho=0.5), 0.01, LEVEL)


def test_a_pure_promise_allows_no_loss_above_it():
    promise, losses = Promise(epsilon=1.0), np.where(np.arange(400) % 3, 1.0, -1.0)
    assert [promise.delta(e) for e in (0.0, 1.0, 2.0)] == pytest.approx([math.tanh(0.5), 0.0, 0.0])
    assert not proves_violation(losses, promise, 0.01, LEVEL)
    assert certified_epsilon(losses, promise, 0.01, LEVEL) == max(m for m in MULTIPLES if m < 1)
    assert proves_violation(np.append(losses, 1.001), promise, 0.01, LEVEL)
    assert promise.epsilon_at(0.01) == 1.0
    assert promise.delta(0.3) <= gaussian_delta(math.sqrt(2 * rho_of_pure(3.0)), 0.3)


def test_what_is_not_covered_is_an_infinite_loss():
    losses = np.where(stream(4, "uncovered").random(1000) < 0.2, math.inf, 0.0)
    assert delta_exceeds(losses, 50.0, 0.1, LEVEL)
    promise = Promise(rho=0.5)
    most = max(MULTIPLES) * promise.epsilon_at(0.01)
    assert certified_epsilon(losses, promise, 0.01, LEVEL) == most
