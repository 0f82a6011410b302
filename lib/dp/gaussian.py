"""What Gaussian noise costs exactly: its curve of (epsilon, delta), rounded outwards."""

from __future__ import annotations

import math
from decimal import Decimal, getcontext
from functools import cache

from lib import validate
from lib.dp.conversion import digits, float_above

_MU = {"low": 1e-100, "high": 1e100}
_TAIL = 39  # the density so far out is below every float


@cache
def _pi(precision: int) -> Decimal:
    """By Machin's formula, to the ``precision`` of the context that asks."""

    def arctan_of_inverse(n: int) -> Decimal:
        term, total, k = Decimal(1) / n, Decimal(0), 1
        while total + term != total:
            total, term, k = total + term / k, -term / (n * n), k + 2
        return total

    return 4 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))


def density(t: Decimal) -> Decimal:
    """``phi(t)`` of the standard normal law."""
    return (-t * t / 2).exp() / (2 * _pi(getcontext().prec)).sqrt()


def mills(t: Decimal, precision: int) -> Decimal:
    """Mills' ratio ``Phi(-t) / phi(t)`` of the standard normal law to ``precision`` digits.

    By its power series, whose terms have one sign, for ``|t| < 10``; by Laplace's
    continued fraction beyond, of a length for the rate at which it converges.
    The series needs 25 digits more than it gives.
    """
    if t < -10:
        return 1 / density(t) - mills(-t, precision)
    if t < 10:
        term, total, k = t, Decimal(0), 1
        while total + term != total:
            total, term, k = total + term, term * t * t / (k + 2), k + 2
        return 1 / density(t) / 2 - total
    ratio = t
    for k in range(30 + precision + int((2.5 * precision / float(t)) ** 2 / 2), 0, -1):
        ratio = t + k / ratio
    return 1 / ratio


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
        return float_above(density(t) * (mills(t, precision) - mills(t + m, precision)))


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
        return float_above(e)
