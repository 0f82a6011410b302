"""What Gaussian noise costs exactly: its curve of (epsilon, delta), rounded outwards."""

from __future__ import annotations

import math
from decimal import Decimal

from lib import validate
from lib.dp.exact import density, digits, mills, up

_MU = {"low": 1e-100, "high": 1e100}
_TAIL = 39  # the density so far out is below every float


def _precision(mu: float) -> int:
    """Digits of Mills' ratios whose difference has 60 of its own."""
    return 80 + 2 * max(0, -int(math.log10(mu)))


def gaussian_delta(mu: float, epsilon: float) -> float:
    """The least ``delta``: ``Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu)`` (Balle and Wang,
    2018, Theorem 8).

    Parameters
    ----------
    mu : float
        Sensitivity over standard deviation, in [1e-100, 1e100]; ``rho = mu^2 / 2``.
    epsilon : float
        At least 0.

    Returns
    -------
    float
        Above 0, if only by the least float (about 5e-324).

    Examples
    --------
    >>> round(gaussian_delta(1.0, 1.0), 4)
    0.1269
    """
    mu = validate.budget("mu", mu, **_MU)
    if validate.as_float(epsilon) != 0:
        validate.positive("epsilon", epsilon)
    precision = _precision(mu)
    with digits(precision + 40):
        m, e = Decimal(mu), Decimal(float(epsilon))
        t = e / m - m / 2
        if abs(t) > _TAIL:
            return math.ulp(0.0) if t > 0 else 1.0
        # e^eps phi(t + mu) = phi(t): both terms have one density, and no power of e overflows
        return up(density(t) * (mills(t, precision) - mills(t + m, precision)))


def gaussian_epsilon(mu: float, delta: float) -> float:
    """The least ``epsilon`` at ``delta`` in (0, 1); ``mu`` as in :func:`gaussian_delta`.

    By Newton's method on ``ln delta``, which falls and is concave in epsilon: from zCDP's epsilon,
    which is too large, it comes down to the root and never below it.

    >>> round(gaussian_epsilon(1.0, 1e-6), 3)
    4.887
    """
    mu = validate.budget("mu", mu, **_MU)
    precision = _precision(mu)
    with digits(precision + 40):
        m, goal = Decimal(mu), Decimal(validate.fraction("delta", delta)).ln()
        e = m * m / 2 + m * (-2 * goal).sqrt()
        for _ in range(200):
            t = e / m - m / 2
            right = mills(t + m, precision)
            gap = mills(t, precision) - right
            step = ((density(t) * gap).ln() - goal) * gap / right
            if e + step <= 0:
                return 0.0
            e += step
            if -step <= e.scaleb(-25):
                break
        return up(e)
