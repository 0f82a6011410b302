"""No conversion is rounded in its own favour: each against 60 digits of mpmath."""

from __future__ import annotations

import itertools
import math

import mpmath
import pytest
from mpmath import mpf

from lib.dp.conversion import (
    advanced_composition,
    delta_of,
    epsilon_of,
    rho_in_floats,
    rho_of_pure,
    zcdp_rho,
)
from lib.dp.gaussian import gaussian_delta, gaussian_epsilon
from studies.cross_paper.cells import EPSILONS as ACROSS
from studies.synthesizers.settings import DELTA, EPSILONS

DELTAS = (5e-324, 1e-30, 1e-9, 0.5, 1 - 2**-53)
CLOSE = mpf(10) ** -13  # how far on the safe side a result may be, relatively


@pytest.fixture(autouse=True)
def digits():
    with mpmath.workdps(120):  # terms cancel: 60 digits are left
        yield


def minimised(f, slope):
    """``f`` at the zero of ``slope`` in ``u = ln(order - 1)``, by bisection."""
    low, high = mpf(-60), mpf(60)
    for _ in range(110):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(mpmath.exp(middle)) < 0 else (low, middle)
    return f(mpmath.exp(low))


def tight_epsilon(rho, delta):
    r, log = mpf(rho), -mpmath.log(mpf(delta))
    found = minimised(
        lambda x: (1 + x) * r + (log - mpmath.log1p(x)) / x + mpmath.log(x / (1 + x)),
        lambda x: r * x * x + mpmath.log1p(x) - log,
    )
    return max(mpf(0), found)


def log_delta(rho, epsilon):
    r, e = mpf(rho), mpf(epsilon)
    return minimised(
        lambda x: x * ((1 + x) * r - e + mpmath.log(x)) - (1 + x) * mpmath.log1p(x),
        lambda x: (1 + 2 * x) * r - e + mpmath.log(x) - mpmath.log1p(x),
    )


def outward(found, exact, side=1):
    """``found`` is at ``exact`` or beyond it on the safe side, by a few roundings at most."""
    gap = side * (mpf(found) - exact)
    return 0 <= gap <= CLOSE * abs(exact) + 2 * mpf(math.ulp(0.0))


@pytest.mark.parametrize("delta", DELTAS)
def test_what_a_rho_is_worth(delta):
    log = -mpmath.log(mpf(delta))
    for rho in (1e-25, 3.3e-12, 0.07, 13.0, 1e16):
        assert outward(epsilon_of(rho, delta), tight_epsilon(rho, delta))
        standard = epsilon_of(rho, delta, conversion="standard")
        assert outward(standard, rho + 2 * mpmath.sqrt(rho * log))


@pytest.mark.parametrize("delta", DELTAS)
def test_what_an_epsilon_buys(delta):
    log = -mpmath.log(mpf(delta))
    for epsilon in (1e-9, 0.05, 5.0, 1e15):
        standard = (epsilon / (mpmath.sqrt(log + epsilon) + mpmath.sqrt(log))) ** 2
        assert outward(zcdp_rho(epsilon, delta), standard, -1)
        rho = zcdp_rho(epsilon, delta, conversion="tight")
        assert tight_epsilon(rho, delta) <= epsilon
        assert tight_epsilon(rho * (1 + 1e-12), delta) > epsilon


def test_delta_of_a_rho():
    for rho, z in itertools.product((1e-25, 1e-9, 0.3, 1e4), (0.0, 0.5, 9.0, 26.0)):
        epsilon = rho + 2 * z * math.sqrt(rho)
        assert outward(delta_of(rho, epsilon), mpmath.exp(log_delta(rho, epsilon)))


def gaussian_curve(mu, epsilon):
    s, m = mpf(epsilon) / mpf(mu), mpf(mu)
    return mpmath.ncdf(m / 2 - s) - mpmath.exp(mpf(epsilon)) * mpmath.ncdf(-m / 2 - s)


@pytest.mark.parametrize("mu", [1e-30, 1e-9, 0.01, 1.0, 4.0, 60.0])
def test_the_gaussian_curve(mu):
    for t in (-38.0, -8.5, 0.0, 0.3, 12.0, 37.0):
        epsilon = max(0.0, (t + mu / 2) * mu)
        assert outward(gaussian_delta(mu, epsilon), gaussian_curve(mu, epsilon))
    for delta in (5e-324, 1e-100, 1e-9, 0.3):
        epsilon = gaussian_epsilon(mu, delta)
        assert gaussian_curve(mu, epsilon) <= delta
        if epsilon > 0:
            assert gaussian_curve(mu, epsilon * (1 - 1e-15)) > delta
    assert gaussian_delta(1e9, 1.0) == 1.0
    assert gaussian_epsilon(1e9, 1e-9) == pytest.approx(5e17, rel=1e-7)


@pytest.mark.parametrize(
    "epsilon", [1e-100, 1e-30, 1e-9, 0.999e-3, 1.001e-3, 0.1, 1.0, 30.0, 1e100]
)
def test_what_pure_dp_costs(epsilon):
    with mpmath.workdps(500):
        e = mpf(epsilon)
        assert outward(rho_of_pure(epsilon), e * e / 2)
        assert outward(rho_of_pure(epsilon, of="bounded range"), e * e / 8)
        laplace = e + mpmath.exp(-e) - 1 if e > 1e-90 else e**2 / 2 - e**3 / 6
        assert outward(rho_of_pure(epsilon, of="laplace"), laplace)
        assert outward(rho_of_pure(epsilon, of="randomised response"), e * mpmath.tanh(e / 2))


def test_sums():
    for epsilon, k, delta in itertools.product((1e-6, 0.1, 2.0), (1, 7, 10**6), (1e-30, 0.1)):
        e = mpf(epsilon)
        exact = k * e * mpmath.tanh(e / 2) + e * mpmath.sqrt(-2 * k * mpmath.log(mpf(delta)))
        assert outward(advanced_composition(epsilon, k, delta), exact)


def test_what_stored_results_were_fitted_with_keeps_its_bits_and_its_promise():
    """Two of the stored budgets are above the exact one; all are worth less than was declared."""
    bits = {
        0.01: "0x1.43c15d271aa57p-20", 0.05: "0x1.f9615828c3b6fp-16", 0.1: "0x1.f8c5c86b62e71p-14",
        0.5: "0x1.869b3a5c69718p-9", 1.0: "0x1.820b894d9be94p-7", 5.0: "0x1.14638703e69b4p-2",
    }  # fmt: skip
    assert {e: rho_in_floats(e, DELTA).hex() for e in EPSILONS} == bits
    above = [e for e in EPSILONS if rho_in_floats(e, DELTA) > zcdp_rho(e, DELTA)]
    assert above == [0.05, 5.0]
    for epsilon in {*EPSILONS, *ACROSS}:
        assert epsilon_of(rho_in_floats(epsilon, DELTA), DELTA) < 0.99 * epsilon
        assert rho_in_floats(epsilon, DELTA) == pytest.approx(zcdp_rho(epsilon, DELTA), rel=1e-15)
