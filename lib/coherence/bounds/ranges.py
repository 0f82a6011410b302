"""What the parameters of the bounds may be: one table, and one check before every bound."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import TypeVar

import numpy as np

from lib import validate
from lib.validate.annotations import argument_wise

# beyond every use, and no step of the arithmetic leaves the floats; two integers ask for an integer
RANGES: dict[str, tuple[float, float]] = {
    "alpha": (1e-100, 2.0),
    "beta": (1e-300, 1.0),
    "epsilon": (1e-100, 1e30),
    "delta": (0.0, 1.0),
    "n": (0.5, 1e60),  # half of one person may be what a curator sees
    "collection": (1, validate.INTEGER_MAX),
    "counts": (1, validate.INTEGER_MAX),
    "members": (0.0, 1e200),
    "eta": (1e-320, 1.0),
    "zeta": (0.0, math.inf),
    "mu": (1e-300, 1e300),
    "t": (0.0, 1e100),
    "delta_hat": (1e-300, 1e300),
    "log_p": (-1e250, 0.0),
}


_T = TypeVar("_T", bound=Callable)


def in_range(**own: tuple[float, float]) -> Callable[[_T], _T]:
    """Refuse arguments of a bound outside of :data:`RANGES`, or of the ``own`` ranges it states.

    Examples
    --------
    >>> @in_range(epsilon=(1e-100, 0.5))
    ... def bound(*, epsilon, n): ...
    >>> bound(epsilon=0.7, n=10)
    Traceback (most recent call last):
    ...
    ValueError: epsilon must be a number >= 1e-100 and <= 0.5 for bound, got 0.7
    """
    ranges = RANGES | own

    def decorate(function: _T) -> _T:
        def bounded(name: str, value):
            if name not in ranges:
                return value
            return _bounded(name, value, *ranges[name], function.__name__)

        return argument_wise(function, bounded)

    return decorate


def _bounded(name: str, value, low: float, high: float, whose: str):
    """``value`` as a number of Python's, whatever its bits, if it is in its range."""
    plain = type(value) is int or (type(value) is float and not isinstance(low, int))
    if plain and low <= value <= high and value <= 1e308:
        return value  # a solver asks a bound thousands of times
    kind, words = (Integral, "an integer") if isinstance(low, int) else (Real, "a number")
    what = f"{words} >= {low:g} and <= {high:g} for {whose}"
    good = isinstance(value, kind) and not isinstance(value, bool | np.timedelta64)
    if good:
        value = int(value) if isinstance(value, Integral) else float(value)
    most = 1e308 if isinstance(value, Integral) else math.inf  # that a float can hold
    validate.require(good and low <= value <= min(high, most), name, what, value)
    return value
