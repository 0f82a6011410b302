"""Scales, prices and conversions beside OpenDP's. `make compare`."""

from __future__ import annotations

import pytest

from lib.dp import Gaussian, Laplace, epsilon_of

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
