"""Conversions against divergences integrated or summed, each other, and there and back."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.dp.conversion import (
    CONVERSIONS,
    delta_of,
    epsilon_of,
    rho_of_pure,
    zcdp_rho,
)
from lib.dp.gaussian import gaussian_epsilon

budgets = st.floats(-18, 9).map(math.exp)
deltas = st.floats(-600, -0.1).map(math.exp)
ORDERS = 1 + np.geomspace(1e-6, 1e5, 400)


def _randomised_response(epsilon: float, order: np.ndarray) -> np.ndarray:
    p, q = 1 / (1 + math.exp(-epsilon)), 1 / (1 + math.exp(epsilon))
    logs = np.logaddexp(
        order * math.log(p) + (1 - order) * math.log(q),
        order * math.log(q) + (1 - order) * math.log(p),
    )
    return logs / (order - 1)


def _laplace(epsilon: float, order: np.ndarray) -> np.ndarray:
    """Renyi divergence of two Laplace laws epsilon apart (Mironov, 2017, Table II)."""
    a, b = order / (2 * order - 1), (order - 1) / (2 * order - 1)
    return np.logaddexp(np.log(a) + (order - 1) * epsilon, np.log(b) - order * epsilon) / (
        order - 1
    )


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 1.0, 3.0, 10.0])
def test_pure_dp_costs_what_the_worst_mechanism_reaches(epsilon):
    for of, divergence in (("randomised response", _randomised_response), ("laplace", _laplace)):
        most = (divergence(epsilon, ORDERS) / ORDERS).max()
        assert rho_of_pure(epsilon, of=of) == pytest.approx(most, rel=2e-4)
        assert most <= rho_of_pure(epsilon, of=of) * (1 + 1e-6)
    laws = ("laplace", "randomised response", "any")
    low, middle, high = (rho_of_pure(epsilon, of=law) for law in laws)
    assert low < middle < high


@given(budgets, deltas)
def test_exact_gaussian_is_below_tight_is_below_standard(rho, delta):
    exact, tight = gaussian_epsilon(math.sqrt(2 * rho), delta), epsilon_of(rho, delta)
    standard, published = (epsilon_of(rho, delta, conversion=c) for c in ("standard", "published"))
    assert exact <= tight * (1 + 1e-9)
    assert tight <= standard * (1 + 1e-12)
    assert standard - published == pytest.approx(rho, rel=1e-6, abs=1e-9 * standard)


@given(budgets, deltas, st.sampled_from(CONVERSIONS))
def test_there_and_back(epsilon, delta, conversion):
    rho = zcdp_rho(epsilon, delta, conversion=conversion)
    assert epsilon_of(rho, delta, conversion=conversion) == pytest.approx(epsilon, rel=1e-7)


def test_the_printed_conversion_is_no_guarantee():
    """Gaussian noise of that rho has a larger epsilon than the printed one."""
    rho, delta = 50.0, 0.2
    printed = epsilon_of(rho, delta, conversion="published")
    assert gaussian_epsilon(math.sqrt(2 * rho), delta) > printed


@pytest.mark.parametrize("rho", [1e-25, 1e-9, 1.0, 1e16])
def test_a_huge_epsilon_leaves_no_delta_and_none_leaves_the_most(rho):
    assert delta_of(rho, 0.0) == pytest.approx(delta_of(rho, 1e-300))
    for epsilon in (rho + 70 * math.sqrt(rho), 1e20, 1e300):
        assert delta_of(rho, epsilon) == math.ulp(0.0)  # not 0: that would be pure DP
