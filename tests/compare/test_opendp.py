"""Scales, budgets, conversions and samplers beside OpenDP's. `make compare`."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from lib.dp import Gaussian, Laplace, PrivacyAccountant, epsilon_of
from lib.rng import stream
from tests.conftest import FALSE_ALARM

pytestmark = pytest.mark.compare


@pytest.fixture(scope="module")
def dp():
    prelude = pytest.importorskip("opendp.prelude")
    prelude.enable_features("contrib")
    return prelude


def _space(dp):
    return dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 20.0])
@pytest.mark.parametrize("sensitivity", [0.001, 1.0, 50.0])
def test_laplace_scale_and_price(dp, epsilon, sensitivity):
    scale = float(Laplace(sensitivity=sensitivity, epsilon=epsilon).scale)
    assert dp.m.make_laplace(*_space(dp), scale=scale).map(sensitivity) == pytest.approx(
        epsilon, rel=1e-9
    )


@pytest.mark.parametrize("rho", [1e-4, 0.5, 10.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.01])
def test_gaussian_price_and_conversion(dp, rho, delta):
    sigma = float(Gaussian(sensitivity=2.0, rho=rho).sigma)
    noise = dp.m.make_gaussian(*_space(dp), scale=sigma)
    assert noise.map(2.0) == pytest.approx(rho, rel=1e-9)
    profile = dp.c.make_zCDP_to_approxDP(noise).map(2.0)
    assert epsilon_of(rho, delta) == pytest.approx(profile.epsilon(delta), rel=1e-3, abs=1e-6)


def test_rhos_add_up(dp):
    one = dp.m.make_gaussian(*_space(dp), scale=3.0)
    accountant = PrivacyAccountant(1.0)
    for _ in range(3):
        accountant.spend("a look", Gaussian(sensitivity=1.0, rho=1 / 18).rho)
    composed = dp.c.make_composition([one, one, one]).map(1.0)
    assert composed == pytest.approx(accountant.spent)


@pytest.mark.parametrize("name", ["laplace", "gaussian"])
def test_same_law_of_noise(dp, name):
    """Two-sample Kolmogorov-Smirnov test of 20,000 draws each."""
    ours, size, make = {
        "laplace": (Laplace(sensitivity=1.0, epsilon=0.5), "scale", dp.m.make_laplace),
        "gaussian": (Gaussian(sensitivity=1.0, rho=0.125), "sigma", dp.m.make_gaussian),
    }[name]
    assert math.isclose(float(getattr(ours, size)), 2.0)
    theirs = make(*_space(dp), scale=2.0)
    drawn = np.array([theirs(0.0) for _ in range(20_000)])
    released = ours.release(np.zeros(20_000), stream(1, "opendp", name))
    assert stats.ks_2samp(released, drawn).pvalue > FALSE_ALARM
