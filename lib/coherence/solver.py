"""Solve a coherence guarantee for whichever of its parameters is missing.

The values of one parameter for which a guarantee holds, the others being
given, form an interval. Usually one end of it is the parameter's own limit. It
has two ends of its own where delta > 0: a smaller epsilon eases the size
constraint, but the delta that Theorem 8 allows shrinks with epsilon (and with
more people). The ends are found to the last whole number (:func:`valid_span`).
"""

from __future__ import annotations

import math
from collections.abc import Callable

from lib import validate
from lib.coherence.answers import Solution
from lib.coherence.bounds.paper import theorem8_delta
from lib.coherence.guarantee import (
    LEAST_DELTA,
    RANGES,
    UNKNOWNS,
    WHOLE,
    Setting,
    allows_delta,
    required_size,
    size_ratio,
)


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


_SIDE = 4e-13  # within half of the tolerance for delta, which grows with the square


def _interval(s: Setting) -> tuple[float, float] | None:
    """The least and the largest valid value of the unknown of ``s``, or None."""
    name = s.unknown
    if name == "gamma":
        full = s.change(gamma=s.n)
        if size_ratio(full) < 1:
            return None
        least, most = math.ceil(required_size(full)[0]), math.floor(s.n)
        return (float(least), float(most)) if least <= most else None
    return valid_span(
        lambda value: size_ratio(s.change(**{name: value})), *_range(s, name), whole=name in WHOLE
    )


def _range(s: Setting, name: str) -> tuple[float, float]:
    """Where to look for ``name``: its range, cut to the values for which delta can be allowed.

    Parameters that are None are taken as favourable to delta as they can be.
    """
    low, high = RANGES[name]
    if name == "epsilon":
        high = s.largest_epsilon
    if name == "gamma" and s.n is not None:
        high = s.n
    if name == "n" and s.fraction is None and s.gamma is not None:
        low = max(low, s.gamma)
    if s.delta and name in ("epsilon", "n", "gamma"):
        # delta <= (epsilon beta / (120 n |C|))^2
        scale = 120 * (s.collection or 1) * math.sqrt(s.delta) / (s.beta or 1)
        if name == "epsilon":
            smallest = s.n if s.n is not None else max(RANGES["n"][0], s.gamma or 0.0)
            low = max(low, scale * smallest * (1 - _SIDE))
        elif name == "n" or s.n is None:  # a group can be no larger than the data
            high = _most_people(s, high, scale)
    return (float(math.ceil(low)), float(math.floor(high))) if name in WHOLE else (low, high)


def _most_people(s: Setting, high: float, scale: float) -> float:
    """The largest n, at most ``high``, for which Theorem 8 can allow delta."""
    epsilon = s.epsilon or s.largest_epsilon
    # the same, or next to it
    first, second = (
        math.floor(min(high, epsilon / scale * (1 + side))) for side in (1e-12, -1e-12)
    )
    allowed = allows_delta(s.delta, epsilon, s.beta or 1, first, s.collection or 1)
    return first if allowed else second


def _grows(s: Setting, name: str) -> bool:
    """Whether the best value of ``name`` is the largest."""
    return name in ("epsilon", "collection") or (name == "n" and s.fraction is None)


def solve(setting: Setting) -> Solution:
    """All valid values of the missing parameter, and the best of them.

    Parameters
    ----------
    setting : Setting

    Returns
    -------
    Solution
        With ``value`` None if no value is valid; it raises nothing.

    Examples
    --------
    >>> answer = solve(Setting(alpha=0.2, beta=0.05, gamma=250_000, collection=100, n=5_000_000))
    >>> answer.best, round(answer.value, 3)
    ('high', 0.014)
    """
    validate.instance("setting", setting, Setting)
    name, span = setting.unknown, _interval(setting)
    grows = _grows(setting, name)
    best = "high" if grows else "low"
    if span is None:
        return Solution(name, None, None, None, best, setting, spans=_ways(setting))
    low, high = span
    limits = RANGES[name]
    endless = setting.fraction is not None or setting.mode == "within"
    if name == "n" and high >= limits[1] and endless:
        high = math.inf  # the required share of the people shrinks with n, or n plays no part
    if name == "epsilon" and not setting.delta:
        low = 0.0
    value = high if grows else low
    ended = value == limits[grows] and name not in ("gamma", "epsilon")
    return Solution(name, value, low, high, best, setting.change(**{name: value}), ended)


def _ways(s: Setting) -> dict[str, tuple[float, float]]:
    """For each other parameter, changed alone, the values for which the unknown has a valid one."""
    unknown, ways = s.unknown, {}
    for other in UNKNOWNS:
        if other == unknown or getattr(s, other) is None:
            continue

        def ratio(value: float, other: str = other) -> float:
            asked = s.change(**{other: value})
            # the value of the unknown at which the rest is the easiest to meet
            easiest = _range(asked, unknown)[not _grows(asked, unknown)]
            return size_ratio(asked.change(**{unknown: easiest}))

        span = valid_span(ratio, *_range(s.change(**{other: None}), other), whole=other in WHOLE)
        if span is not None and not span[0] <= getattr(s, other) <= span[1]:
            ways[other] = span
    room = _largest_delta(s) if s.delta else None
    allowed = room is not None and LEAST_DELTA <= room < s.delta
    if allowed and _interval(s.change(delta=room)) is not None:  # on the edge rounding may fail it
        ways["delta"] = (LEAST_DELTA, room)
    return ways


def _largest_delta(s: Setting) -> float | None:
    """The largest delta with which the unknown of ``s`` has a valid value, or None."""
    span = _interval(s.change(delta=0.0))
    if span is None:
        return None
    full = s.change(**{s.unknown: span[s.unknown not in ("n", "collection")]})
    return theorem8_delta(
        epsilon=full.epsilon, beta=full.beta, n=full.n, collection=full.collection
    )
