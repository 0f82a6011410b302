"""What Gaussian noise costs exactly: the curve of (epsilon, delta), without a detour through zCDP."""

from __future__ import annotations

import math

from scipy.optimize import brentq
from scipy.special import log_ndtr

from lib import validate

__all__ = ["gaussian_delta", "gaussian_epsilon"]


def _log_delta(mu: float, epsilon: float) -> float:
    left, right = log_ndtr(mu / 2 - epsilon / mu), epsilon + log_ndtr(-mu / 2 - epsilon / mu)
    return float(left + math.log(-math.expm1(min(right - left, -1e-300)))) if right < left else -math.inf


def gaussian_delta(mu: float, epsilon: float) -> float:
    """The least ``delta``: ``Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu)`` (Balle and Wang, 2018, Theorem 8).

    Parameters
    ----------
    mu : float
        Sensitivity over standard deviation; ``rho = mu^2 / 2``.
    epsilon : float
        At least 0.
    """
    mu = validate.positive("mu", mu)
    if epsilon != 0:
        validate.epsilon(epsilon)
    return math.exp(_log_delta(mu, float(epsilon)))


def gaussian_epsilon(mu: float, delta: float) -> float:
    """The least ``epsilon`` at ``delta`` in (0, 1)."""
    mu, log = validate.positive("mu", mu), math.log(validate.fraction("delta", delta))
    if _log_delta(mu, 0.0) <= log:
        return 0.0
    most = mu**2 / 2 + mu * math.sqrt(-2 * log)  # by way of zCDP
    return float(brentq(lambda e: _log_delta(mu, e) - log, 0.0, most, xtol=1e-300, rtol=1e-13, maxiter=500))
