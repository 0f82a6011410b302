"""Pure, zero-concentrated and approximate differential privacy: conversions and composition.

``rho`` is a budget of zCDP (Bun and Steinke, 2016): the Renyi divergence of
order ``alpha`` between the outputs on neighbouring tables is at most
``rho alpha`` for every ``alpha > 1``. Three conversions to (epsilon, delta):

``"tight"``
    The best order of Canonne, Kamath and Steinke (2020, Proposition 12).
``"standard"``
    ``epsilon = rho + 2 sqrt(rho ln(1/delta))`` (Bun and Steinke, Proposition 1.3).
``"published"``
    ``2 sqrt(rho ln(1/delta))``, that is ``epsilon sqrt(2 ln(1/delta))`` at ``rho = epsilon^2 / 2``:
    as the stratified-DP paper prints it, without the term ``rho``. **Too small**; here so that the
    difference can be shown.

What is returned is rounded outwards (but for ``"published"``): an epsilon or a
delta is never below the true one, a rho to spend never above it. The tight
conversion holds at every order; the best one is searched in floating-point
numbers, and the formula is evaluated there in decimals: a promise that is
rounded in its own favour is none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext

from scipy.optimize import brentq

from lib import validate

CONVERSIONS = ("tight", "standard", "published")
_DIGITS = 120  # some 50 of them are lost where terms cancel
_ORDERS = 60.0  # the logarithm of the best order less 1 is between this and its negative
_PURE = {"low": 1e-100, "high": 1e100}
# Outside of these the best order has no sign change left to search for.
_TIGHT_RHO, _TIGHT_EPSILON = {"low": 1e-25, "high": 1e16}, {"low": 1e-9, "high": 1e15}
# Outside of these a square underflows or overflows, or does when divided by ln(1/delta).
_PLAIN_RHO, _PLAIN_EPSILON = {"low": 1e-300, "high": 1e300}, {"low": 1e-140, "high": 1e140}


@contextmanager
def digits(precision: int) -> Iterator[None]:
    """Decimals of ``precision`` digits, without an end to their exponents."""
    with localcontext(Context(prec=precision, Emin=MIN_EMIN, Emax=MAX_EMAX)):
        yield


def float_above(x: Decimal) -> float:
    """The least float that is not below ``x``."""
    near = float(x)
    return near if Decimal(near) >= x else math.nextafter(near, math.inf)


def float_below(x: Decimal) -> float:
    """The largest float that is not above ``x``."""
    return -float_above(-x)


def rho_of_pure(epsilon: float, *, of: str = "any") -> float:
    """The zCDP that epsilon-DP implies.

    Parameters
    ----------
    epsilon : float
    of : {"any", "randomised response", "laplace", "bounded range"}
        ``"any"``: ``epsilon^2 / 2`` (Bun and Steinke, Proposition 1.4), which is
        what the papers use; ``"randomised response"``: ``epsilon tanh(epsilon/2)``, the most that
        any epsilon-DP mechanism can have; ``"laplace"``: ``epsilon + e^-epsilon - 1``, exact for
        Laplace noise; ``"bounded range"``: ``epsilon^2 / 8``, for the exponential mechanism.

    Examples
    --------
    >>> rho_of_pure(1.0)
    0.5
    """
    e = validate.budget("epsilon", epsilon, **_PURE)
    validate.choice("of", of, ("any", "randomised response", "laplace", "bounded range"))
    with digits(_DIGITS + 2 * max(0, -int(math.log10(e)))):
        exact = Decimal(e)
        if of == "randomised response":
            shrunk = (-exact).exp()  # tanh(x/2) = (1 - e^-x) / (1 + e^-x)
            return float_above(exact * (1 - shrunk) / (1 + shrunk))
        if of == "laplace":
            return float_above(exact + (-exact).exp() - 1)
        return float_above(exact * exact / (8 if of == "bounded range" else 2))


def _best_order(slope: Callable[[float], float]) -> float:
    """The ``x = order - 1`` where the rising ``slope(x)`` is 0, or the nearer end of the range."""

    def at(u: float) -> float:
        return slope(math.exp(u))

    if at(-_ORDERS) >= 0 or at(_ORDERS) <= 0:
        return math.exp(-_ORDERS if at(-_ORDERS) >= 0 else _ORDERS)
    return math.exp(brentq(at, -_ORDERS, _ORDERS, xtol=1e-13, rtol=1e-14, maxiter=500))


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
        Above 0, if only by the least float (about 5e-324): zCDP gives no guarantee of pure DP.

    Raises
    ------
    ValueError
        If ``rho`` or ``epsilon`` is out of range.

    Examples
    --------
    >>> round(delta_of(0.1, 2.0), 6)
    4e-06
    """
    rho = validate.budget("rho", rho, **_TIGHT_RHO)
    zero = validate.as_float(epsilon) == 0
    epsilon = 0.0 if zero else validate.positive("epsilon", epsilon)
    # "standard", solved for delta: exp(-(epsilon - rho)^2 / 4 rho); the least float is e^-745
    if (epsilon - rho) / (2 * math.sqrt(rho)) > 30:
        return math.ulp(0.0)
    order = _best_order(lambda x: 2 * x * rho + (rho - epsilon) - math.log1p(1 / x))
    with digits(_DIGITS):
        x = Decimal(order)
        return min(
            1.0,
            float_above(
                (
                    x * ((1 + x) * Decimal(rho) - Decimal(epsilon) + x.ln())
                    - (1 + x) * (1 + x).ln()
                ).exp()
            ),
        )


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

    Examples
    --------
    >>> round(epsilon_of(0.1, 1e-6), 3)
    2.142
    """
    validate.choice("conversion", conversion, CONVERSIONS)
    rho = validate.budget("rho", rho, **(_TIGHT_RHO if conversion == "tight" else _PLAIN_RHO))
    delta = validate.fraction("delta", delta)
    log = -math.log(delta)
    if conversion == "published":
        return 2 * math.sqrt(rho * log)
    with digits(_DIGITS):
        exact, ln = Decimal(rho), -Decimal(delta).ln()
        if conversion == "standard":
            return float_above(exact + 2 * (exact * ln).sqrt())
        x = Decimal(_best_order(lambda x: rho * x * x + math.log1p(x) - log))
        return max(0.0, float_above((1 + x) * exact + (ln - (1 + x).ln()) / x + (x / (1 + x)).ln()))


def zcdp_rho(epsilon: float, delta: float, *, conversion: str = "standard") -> float:
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

    Examples
    --------
    >>> round(zcdp_rho(1.0, 1e-6), 5)
    0.01747
    """
    validate.choice("conversion", conversion, CONVERSIONS)
    epsilon = validate.budget(
        "epsilon", epsilon, **(_TIGHT_EPSILON if conversion == "tight" else _PLAIN_EPSILON)
    )
    delta = validate.fraction("delta", delta)
    log = -math.log(delta)
    if conversion == "published":
        return epsilon**2 / (4 * log)
    with digits(_DIGITS):
        exact, ln = Decimal(epsilon), -Decimal(delta).ln()
        if conversion == "standard":
            return float_below((exact / ((ln + exact).sqrt() + ln.sqrt())) ** 2)

        def rho_at(x: float) -> float:
            return (epsilon - (log - math.log1p(x)) / x + math.log1p(1 / x)) / (1 + x)

        x = Decimal(_best_order(lambda x: rho_at(x) * x * x + math.log1p(x) - log))
        return float_below((exact - (ln - (1 + x).ln()) / x + ((1 + x) / x).ln()) / (1 + x))


def rho_in_floats(epsilon: float, delta: float) -> float:
    """``zcdp_rho(epsilon, delta)`` as floats round it: up to four units in the last place off.

    Stored results were fitted with it and keep it. What they promise is not in doubt: the tight
    conversion of this rho is well below ``epsilon``.

    >>> round(rho_in_floats(1.0, 1e-6), 5)
    0.01747
    """
    delta = validate.fraction("delta", delta)
    log = -math.log(delta)
    epsilon = validate.budget("epsilon", epsilon, **_PLAIN_EPSILON)
    return (epsilon / (math.sqrt(log + epsilon) + math.sqrt(log))) ** 2


def advanced_composition(epsilon: float, k: int, delta: float) -> float:
    """The epsilon of ``k`` epsilon-DP looks together, at the cost of ``delta``.

    It is ``k epsilon tanh(epsilon/2) + epsilon sqrt(2 k ln(1/delta))``.
    Source: Dwork, Rothblum and Vadhan (2010) with the tight mean of Kairouz,
    Oh and Viswanath (2015). No better than ``k epsilon`` for few looks.
    """
    k = validate.integer("k", k, low=1, high=validate.INTEGER_MAX)
    mean = rho_of_pure(epsilon, of="randomised response")
    delta = validate.fraction("delta", delta)
    with digits(_DIGITS):
        return float_above(
            k * Decimal(mean) + Decimal(float(epsilon)) * (-2 * k * Decimal(delta).ln()).sqrt()
        )
