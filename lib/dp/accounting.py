"""Pure, zero-concentrated and approximate differential privacy: conversions both ways, and composition.

``rho`` is a budget of zCDP (Bun and Steinke, 2016): the Renyi divergence of
order ``alpha`` between the outputs on neighbouring tables is at most
``rho alpha`` for every ``alpha > 1``. Three conversions to (epsilon, delta):

``"tight"``
    The best order of Canonne, Kamath and Steinke (2020, Proposition 12).
``"standard"``
    ``epsilon = rho + 2 sqrt(rho ln(1/delta))`` (Bun and Steinke, Proposition 1.3).
``"published"``
    ``2 sqrt(rho ln(1/delta))``, that is ``epsilon sqrt(2 ln(1/delta))`` at ``rho = epsilon^2 / 2``: as the stratified-DP
    paper prints it, without the term ``rho``. **Too small**; here so that the difference can be shown.
"""

from __future__ import annotations

import math

from scipy.optimize import brentq

from lib import validate

__all__ = [
    "CONVERSIONS",
    "rho_of_pure",
    "epsilon_of",
    "delta_of",
    "rho_of",
    "compose",
    "parallel",
    "advanced_composition",
]

CONVERSIONS = ("tight", "standard", "published")
_ROOT = {"xtol": 1e-300, "rtol": 1e-14, "maxiter": 500}
# Outside of these the best order has no sign change left to search for, or the root is rounding error.
_TIGHT_RHO, _TIGHT_EPSILON = {"low": 1e-25, "high": 1e16}, {"low": 1e-9, "high": 1e15}
# Outside of these a square underflows or overflows, or does when divided by ln(1/delta).
_PLAIN_RHO, _PLAIN_EPSILON = {"low": 1e-300, "high": 1e300}, {"low": 1e-140, "high": 1e140}


def rho_of_pure(epsilon: float, *, of: str = "any") -> float:
    """The zCDP that epsilon-DP implies.

    Parameters
    ----------
    epsilon : float
    of : {"any", "randomised response", "laplace", "bounded range"}
        ``"any"``: ``epsilon^2 / 2`` (Bun and Steinke, Proposition 1.4), which is
        what the papers use; ``"randomised response"``: ``epsilon tanh(epsilon/2)``,
        the most that any epsilon-DP mechanism can have; ``"laplace"``:
        ``epsilon + e^-epsilon - 1``, exact for Laplace noise; ``"bounded range"``:
        ``epsilon^2 / 8``, for the exponential mechanism.
    """
    e = validate.epsilon(epsilon)
    validate.choice("of", of, ("any", "randomised response", "laplace", "bounded range"))
    if of == "randomised response":
        return e * math.tanh(e / 2)
    if of == "laplace":
        # The series where the difference would cancel.
        return e**2 / 2 - e**3 / 6 + e**4 / 24 if e < 1e-3 else e + math.expm1(-e)
    return e**2 / (8 if of == "bounded range" else 2)


def _log_delta(rho: float, epsilon: float) -> float:
    """``min ln delta`` over orders ``alpha = 1 + e^u``: convex in alpha, its derivative has one zero."""

    def slope(u: float) -> float:
        x = math.exp(u)
        return (1 + 2 * x) * rho - epsilon + u - math.log1p(x)

    u = brentq(slope, -(2 * rho + 1), math.log((epsilon + 1) / (2 * rho) + 2), xtol=1e-13, rtol=1e-14, maxiter=500)
    x = math.exp(u)
    return min(0.0, x * ((1 + x) * rho - epsilon + u) - (1 + x) * math.log1p(x))


def delta_of(rho: float, epsilon: float) -> float:
    """The ``delta`` with which rho-zCDP is (epsilon, delta)-DP, by the best order.

    Parameters
    ----------
    rho : float
        In [1e-25, 1e16].
    epsilon : float
        At least 0, finite.

    Returns
    -------
    float
        0 where delta is too small for a floating-point number (below about 1e-323): no guarantee of pure DP.

    Raises
    ------
    ValueError
        If ``rho`` or ``epsilon`` is out of range.
    """
    rho = validate.budget("rho", rho, **_TIGHT_RHO)
    if epsilon != 0:
        validate.epsilon(epsilon)
    # "standard", solved for delta: exp(-(epsilon - rho)^2 / 4 rho); the least float is e^-745
    if (float(epsilon) - rho) / (2 * math.sqrt(rho)) > 30:
        return 0.0
    return math.exp(_log_delta(rho, float(epsilon)))


def epsilon_of(rho: float, delta: float, *, conversion: str = "tight") -> float:
    """The ``epsilon`` with which rho-zCDP is (epsilon, delta)-DP.

    Parameters
    ----------
    rho : float
        In [1e-25, 1e16]; in [1e-300, 1e300] for the two conversions that are not ``"tight"``.
    delta : float
        In (0, 1).
    conversion : {"tight", "standard", "published"}
        See the module. ``"published"`` is no guarantee.

    Returns
    -------
    float
        At least 0; never above ``"standard"``.

    Raises
    ------
    ValueError
        If ``rho`` or ``delta`` is out of range or ``conversion`` is not known.
    """
    validate.choice("conversion", conversion, CONVERSIONS)
    rho = validate.budget("rho", rho, **(_TIGHT_RHO if conversion == "tight" else _PLAIN_RHO))
    log = -math.log(validate.fraction("delta", delta))
    root = 2 * math.sqrt(rho * log)
    if conversion != "tight":
        return root + (rho if conversion == "standard" else 0.0)
    if _log_delta(rho, 0.0) <= -log:
        return 0.0
    return float(brentq(lambda e: _log_delta(rho, e) + log, 0.0, rho + root, **_ROOT))


def rho_of(epsilon: float, delta: float, *, conversion: str = "standard") -> float:
    """The largest ``rho`` whose zCDP is (epsilon, delta)-DP by ``conversion``: the budget to spend.

    ``"standard"`` is what the synthesizers' papers spend; ``"tight"`` allows more.

    Parameters
    ----------
    epsilon : float
        In [1e-140, 1e140]; in [1e-9, 1e15] for ``"tight"``.
    delta : float
        In (0, 1).
    conversion : {"tight", "standard", "published"}
        See the module.

    Returns
    -------
    float
        Above 0.

    Raises
    ------
    ValueError
        If ``epsilon`` or ``delta`` is out of range or ``conversion`` is not known.
    """
    validate.choice("conversion", conversion, CONVERSIONS)
    epsilon = validate.budget("epsilon", epsilon, **(_TIGHT_EPSILON if conversion == "tight" else _PLAIN_EPSILON))
    log = -math.log(validate.fraction("delta", delta))
    if conversion == "published":
        return epsilon**2 / (4 * log)
    standard = (epsilon / (math.sqrt(log + epsilon) + math.sqrt(log))) ** 2
    if conversion == "standard":
        return standard
    high = 2 * standard
    while _log_delta(high, epsilon) < -log:
        high *= 2
    return float(brentq(lambda r: _log_delta(r, epsilon) + log, standard, high, **_ROOT))


def compose(*budgets: float) -> float:
    """Looks at the same data, one after the other, even adaptively: epsilons of pure DP, or rhos of zCDP, add up."""
    return math.fsum(validate.positive("budget", b) for b in budgets)


def parallel(*budgets: float) -> float:
    """Looks at disjoint parts: one added or removed record is in one part only, so the largest budget is the price.

    The same holds for neighbours that replace a record's value and leave it in
    its part (as in :mod:`lib.means`). If it may change parts, the price is that of two.
    """
    return max((validate.positive("budget", b) for b in budgets), default=0.0)


def advanced_composition(epsilon: float, k: int, delta: float) -> float:
    """Epsilon of ``k`` epsilon-DP looks at the cost of ``delta``: ``k epsilon tanh(epsilon/2) + epsilon sqrt(2 k ln(1/delta))``.

    Source: Dwork, Rothblum and Vadhan (2010) with the tight mean of Kairouz,
    Oh and Viswanath (2015). No better than ``k epsilon`` for few looks.
    """
    epsilon, k = validate.epsilon(epsilon), validate.integer("k", k, low=1)
    log = -math.log(validate.fraction("delta", delta))
    return k * epsilon * math.tanh(epsilon / 2) + epsilon * math.sqrt(2 * k * log)
