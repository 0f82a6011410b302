"""The interval on which a quasi-concave function is at least 1, to the last whole number."""

from __future__ import annotations

import math
from collections.abc import Callable


def valid_span(
    ratio: Callable[[float], float], low: float, high: float, *, whole: bool
) -> tuple[float, float] | None:
    """Ends of the interval in [low, high] on which ``ratio`` is at least 1; None if it is empty.

    ``ratio`` is quasi-concave. ``whole``: only whole numbers count.

    Examples
    --------
    >>> valid_span(lambda x: 7 / x, 1.0, 100.0, whole=True)
    (1.0, 7.0)
    """
    if low > high:
        return None

    def ok(value: float) -> bool:
        return ratio(value) >= 1

    inside = next(filter(ok, (low, high)), None)
    if inside is None:
        peak = _peak(ratio, low, high)
        near = (peak, float(math.floor(peak)), float(math.ceil(peak))) if whole else (peak,)
        inside = next((value for value in near if ok(value) and not (whole and value % 1)), None)
        if inside is None:
            return None
    ends = [_edge(ok, inside, end) for end in (low, high)]
    if whole:
        ends = [_whole(ok, edge, inside, end) for edge, end in zip(ends, (low, high), strict=True)]
    return ends[0], ends[1]


def _edge(ok: Callable[[float], bool], good: float, bad: float) -> float:
    """The last value towards ``bad`` for which ``ok`` holds, given that it holds at ``good``.

    Found by geometric bisection.
    """
    if good == bad or ok(bad):
        return bad
    for _ in range(400):
        middle = math.sqrt(good) * math.sqrt(bad)
        good, bad = (middle, bad) if ok(middle) else (good, middle)
        if abs(math.log(bad / good)) < 1e-12:
            break
    return good


def _whole(ok: Callable[[float], bool], edge: float, inside: float, end: float) -> float:
    """The last whole number from ``inside`` towards ``end`` for which ``ok`` holds.

    ``edge`` is the last real number for which it does.
    """
    if edge == end or inside == end:
        return end
    step = 1 if end > inside else -1
    good = math.floor(edge) if step > 0 else math.ceil(edge)
    if not ok(float(good)):
        good = int(inside)
    bad = good + step * (1 + math.ceil(abs(good) * 1e-9))  # the edge is known to 1e-12 or so
    while abs(bad - good) > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if ok(float(middle)) else (good, middle)
    return float(good)


def _peak(ratio: Callable[[float], float], low: float, high: float) -> float:
    """Where a quasi-concave ``ratio`` is the largest, or a value at which it is at least 1.

    Found by golden section of the logarithm.
    """
    golden = (math.sqrt(5) - 1) / 2
    a, b = math.log(low), math.log(high)
    c, d = b - golden * (b - a), a + golden * (b - a)
    at_c, at_d = ratio(math.exp(c)), ratio(math.exp(d))
    while b - a > 1e-9 and max(at_c, at_d) < 1:
        if at_c >= at_d:
            b, d, at_d = d, c, at_c
            c = b - golden * (b - a)
            at_c = ratio(math.exp(c))
        else:
            a, c, at_c = c, d, at_d
            d = a + golden * (b - a)
            at_d = ratio(math.exp(d))
    return math.exp(c if at_c >= at_d else d)
