"""What the parameters of the bounds may be: one table, and one check before every bound."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import NamedTuple, TypeVar

from lib import validate

_T = TypeVar("_T", bound=Callable)


class Range(NamedTuple):
    """Numbers of one kind, ``int`` or ``float``, with both ends."""

    kind: type
    low: float
    high: float


# beyond every use, and no step of the arithmetic leaves the floats
RANGES: dict[str, Range] = {
    "alpha": Range(float, 1e-100, 2),
    "beta": Range(float, 1e-300, 1),
    "epsilon": Range(float, 1e-100, 1e30),
    "delta": Range(float, 0, 1),
    "n": Range(float, 0.5, 1e60),  # half of one person may be what a curator sees
    "collection": Range(int, 1, validate.INTEGER_MAX),
    "counts": Range(int, 1, validate.INTEGER_MAX),
    "members": Range(float, 0, 1e200),
    "eta": Range(float, 1e-320, 1),
    "zeta": Range(float, 0, math.inf),
    "mu": Range(float, 1e-300, 1e300),
    "t": Range(float, 0, 1e100),
    "delta_hat": Range(float, 1e-300, 1e300),
    "log_p": Range(float, -1e250, 0),
}


def in_range(*positional: str, **own: Range) -> Callable[[_T], _T]:
    """Refuse arguments of a bound outside of :data:`RANGES`, or of the ``own`` ranges it states.

    ``positional`` names the parameters that may come without their names, in order. A bound works
    on numbers of Python's, whatever was given.

    Examples
    --------
    >>> @in_range("epsilon", epsilon=Range(float, 1e-100, 0.5))
    ... def bound(epsilon, *, n): ...
    >>> bound(0.7, n=10)
    Traceback (most recent call last):
    ...
    ValueError: epsilon must be a number >= 1e-100 and <= 0.5 for bound, got 0.7
    """
    ranges = RANGES | own

    def decorate(function: _T) -> _T:
        def taken(name: str, value):
            known = name in ranges
            return _taken(name, value, ranges[name], function.__name__) if known else value

        @wraps(function)
        def bounded(*args, **named):
            first = [taken(name, value) for name, value in zip(positional, args, strict=False)]
            named = {name: taken(name, value) for name, value in named.items()}
            return function(*first, *args[len(first) :], **named)

        return bounded  # type: ignore[return-value]

    return decorate


def _taken(name: str, value: object, allowed: Range, whose: str) -> float:
    number, whole = validate.as_float(value), validate.whole(value)
    if (allowed.kind is int and not whole) or not allowed.low <= number <= allowed.high:
        words = "an integer" if allowed.kind is int else "a number"
        what = f"{words} >= {allowed.low:g} and <= {allowed.high:g} for {whose}"
        raise validate.refusal(name, what, value)
    return int(value) if whole and number < math.inf else number  # type: ignore[call-overload]
