"""Decimal numbers of as many digits as it takes, and the float on the safe side of one.

A promise that is rounded in its own favour is none: a conversion finds its best
order in floating-point numbers, evaluates its formula there in decimals, and
rounds outwards.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, getcontext, localcontext
from functools import cache


@contextmanager
def digits(precision: int) -> Iterator[None]:
    """Decimals of ``precision`` digits, without an end to their exponents."""
    with localcontext(Context(prec=precision, Emin=MIN_EMIN, Emax=MAX_EMAX)):
        yield


def up(x: Decimal) -> float:
    """The least float that is not below ``x``."""
    near = float(x)
    return near if Decimal(near) >= x else math.nextafter(near, math.inf)


def down(x: Decimal) -> float:
    """The largest float that is not above ``x``."""
    return -up(-x)


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
