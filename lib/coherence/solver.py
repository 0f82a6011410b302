"""Solve a coherence guarantee for whichever of its parameters is missing.

A guarantee *holds* when the group is at least as large as the theorem's size
constraint and, for Theorem 8, delta is at most what the theorem allows. The
values of one parameter for which it holds, the others being given, form an
interval. Usually one end of it is the parameter's own limit. It has two ends
of its own where delta > 0: a smaller epsilon eases the size constraint, but
the delta that Theorem 8 allows shrinks with epsilon (and with more people).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from functools import cached_property
from typing import Any

from lib import validate
from lib.coherence.bounds.paper import size, theorem7_terms, theorem8_delta, theorem8_terms
from lib.coherence.bounds.tightened import tightened_size
from lib.coherence.bounds.within_group import within_size

__all__ = [
    "MODES",
    "UNKNOWNS",
    "Setting",
    "Solution",
    "solve",
    "holds",
    "required_size",
    "rounded",
    "table1",
]

MODES = ("theorem7", "theorem8", "tightened", "within")
UNKNOWNS = ("alpha", "beta", "gamma", "collection", "n", "epsilon")
_LARGEST_EPSILON = {
    "theorem7": 1.0,
    "theorem8": 0.5,
    "tightened": validate.EPSILON_MAX,
    "within": validate.EPSILON_MAX,
}
# what may be given and what is searched: wide enough for every use, and no step of the arithmetic
# leaves the floats
_RANGES = {
    "alpha": (1e-60, 2.0),
    "beta": (1e-300, 1.0),
    "gamma": (1.0, 1e60),
    "collection": (1.0, 1e15),
    "n": (4.0, 1e60),
    "epsilon": (1e-100, validate.EPSILON_MAX),
}
_WHOLE = ("gamma", "n", "collection")
_LEAST_DELTA = 1e-300
_ROOM = 1 + 1e-12  # the tolerance of theorem8_terms when it compares delta
_SIDE = 4e-13  # within half of it: delta grows with the square


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What a curator knows; exactly one of the six is None, the one to be found.

    Parameters
    ----------
    alpha : float
        W1 distance in (0, 2] not to be exceeded.
    beta : float
        Probability in (0, 1] of exceeding it.
    gamma : float
        Members of the smallest group; or its ``fraction`` of ``n``.
    collection : int
        ``|C|``, the number of groups.
    n : int
        People in the data set (the curator sees half).
    epsilon : float
        Of the release. An epsilon beyond what the theorem covers (1 for Theorem 7, 1/2 for Theorem
        8) has no solution.
    delta : float
        Theorem 8 only: of the release. 0 means that the solution names the largest delta that the
        theorem allows.
    fraction : float, optional
        In (0, 1]: the smallest group as a share of ``n``, instead of ``gamma``.
    mode : {"theorem7", "theorem8", "tightened", "within"}
        The paper's two theorems; ours, for the whole half; ours, group by group, where ``n`` plays
        no part.

    Raises
    ------
    ValueError
        Unless one of the six is missing and every other is a number in its range.
    """

    alpha: float | None = None
    beta: float | None = None
    gamma: float | None = None
    collection: int | None = None
    n: float | None = None
    epsilon: float | None = None
    delta: float = 0.0
    fraction: float | None = None
    mode: str = "theorem7"

    def __post_init__(self) -> None:
        validate.choice("mode", self.mode, MODES)
        if self.fraction is not None:
            validate.positive("fraction", self.fraction)
            if self.fraction > 1 or self.gamma is not None:
                raise ValueError(
                    "fraction must be in (0, 1] and stand alone, without gamma, got"
                    f" {self.fraction!r}"
                )
        if not (self.delta == 0 and not isinstance(self.delta, bool)):
            validate.fraction("delta", self.delta)
            if self.mode != "theorem8":
                raise ValueError(f"delta must be 0 unless mode is 'theorem8', got {self.delta!r}")
            if self.delta < _LEAST_DELTA:
                raise ValueError(
                    f"delta must be 0 or at least {_LEAST_DELTA:g}, got {self.delta!r}"
                )
        missing = [name for name in UNKNOWNS if getattr(self, name) is None]
        if self.fraction is not None:
            missing = [name for name in missing if name != "gamma"]
        if len(missing) != 1:
            raise ValueError(
                f"exactly one of {', '.join(UNKNOWNS)} must be missing, got {len(missing)}:"
                f" {missing!r}"
            )
        for name in set(UNKNOWNS) - set(missing):
            if (value := getattr(self, name)) is not None:
                low, high = _RANGES[name]
                number = validate.positive(name, value)
                if not low <= number <= high:
                    raise ValueError(
                        f"{name} must be a number from {low:g} to {high:g}, got {value!r}"
                    )
        if self.collection is not None and self.collection != math.floor(self.collection):
            raise ValueError(
                f"collection must be a whole number of groups, got {self.collection!r}"
            )
        if self.gamma is not None and self.n is not None and self.gamma > self.n:
            raise ValueError(
                f"gamma must be at most n={self.n!r}, the number of people, got {self.gamma!r}"
            )

    @property
    def unknown(self) -> str:
        """The name of the parameter to be found."""
        missing = [name for name in UNKNOWNS if getattr(self, name) is None]
        return (
            missing[0]
            if self.fraction is None
            else next(name for name in missing if name != "gamma")
        )

    @property
    def members(self) -> float:
        """Size of the smallest group."""
        return self.gamma if self.fraction is None else self.fraction * self.n


@dataclass(frozen=True)
class Solution:
    """All valid values of the unknown, the best of them, and, if there is none, what would help.

    Parameters
    ----------
    unknown : str
        The parameter that was asked for.
    value : float or None
        The best valid value: the smallest alpha, beta, gamma, or n with a fraction; the largest
        epsilon, collection, or n with a fixed gamma. None if no value is valid.
    low, high : float or None
        The valid values are those from ``low`` to ``high`` (whole numbers for gamma, n and
        collection). ``low`` is 0 for an epsilon that may be as small as one likes; ``high`` is
        infinity only where every larger n is valid.
    best : {"low", "high"}
        Which end ``value`` is.
    setting : Setting
        The question, completed by ``value`` if there is one.
    search_ended : bool
        The search ended at ``value``; better values may be valid.
    """

    unknown: str
    value: float | None
    low: float | None
    high: float | None
    best: str
    setting: Setting
    search_ended: bool = False

    @property
    def met(self) -> bool:
        """Whether there is a value that the bound accepts."""
        return self.value is not None

    @cached_property
    def binding(self) -> str:
        """The term of the size constraint that is the largest at ``value``; empty without one."""
        return required_size(self.setting)[1] if self.met and math.isfinite(self.value) else ""

    @cached_property
    def _ways(self) -> dict[str, tuple[float, float]]:
        return {} if self.met else _ways(self.setting)

    @property
    def ways(self) -> dict[str, float]:
        """If nothing is valid: each other parameter that could be changed alone, and the nearest
        value that helps.
        """
        return {name: _nearest(self.setting, name, span) for name, span in self._ways.items()}

    @cached_property
    def message(self) -> str:
        """The answer in a sentence; every printed number is rounded to the side on which the
        guarantee holds.
        """
        if self.met:
            return _in_words(self)
        told = ", or ".join(
            f"{name} = {_quoted(self.setting, name, span)}" for name, span in self._ways.items()
        )
        helps = f"this would help: {told}" if told else "no change of one other number would help"
        return f"no {self.unknown} is valid ({self.setting.mode}); {helps}"


def required_size(s: Setting) -> tuple[float, str]:
    """The size constraint of a complete setting, and the term that sets it."""
    known: dict[str, Any] = {
        "alpha": s.alpha,
        "beta": s.beta,
        "n": s.n,
        "epsilon": s.epsilon,
        "collection": int(s.collection),
    }
    if s.mode == "tightened":
        return tightened_size(**known), "tightened"
    if s.mode == "within":
        del known["n"]
        return within_size(**known), "within"
    terms = (
        theorem7_terms(**known) if s.mode == "theorem7" else theorem8_terms(**known, delta=s.delta)
    )
    return size(terms), max(terms, key=terms.__getitem__)


def holds(setting: Setting, **values: float) -> bool:
    """Whether the guarantee holds with ``values`` in place of those of ``setting``; all six must
    then be known.

    Examples
    --------
    >>> asked = Setting(alpha=0.2, beta=0.05, gamma=250_000, collection=100, n=5_000_000)
    >>> holds(asked, epsilon=0.01), holds(asked, epsilon=0.1)
    (True, False)
    """
    full = _with(setting, **values)
    if missing := [
        name
        for name in UNKNOWNS
        if getattr(full, name) is None and not (name == "gamma" and full.fraction)
    ]:
        raise ValueError(f"all of {', '.join(UNKNOWNS)} must be known, got {missing!r} missing")
    return _ratio(full) >= 1


def _ratio(s: Setting) -> float:
    """Members per required member of a complete setting; 0 where the theorem does not apply."""
    members = s.members
    if members > s.n or s.n < _RANGES["n"][0] or s.epsilon > _LARGEST_EPSILON[s.mode]:
        return 0.0
    if s.delta and not _allows(s.delta, s.epsilon, s.beta, s.n, s.collection):
        return 0.0
    needed = required_size(s)[0]
    return members / needed if members >= needed else min(members / needed, 1 - 1e-16)


def _allows(delta: float, epsilon: float, beta: float, n: float, collection: int) -> bool:
    return n > 0 and delta <= _ROOM * theorem8_delta(
        epsilon=epsilon, beta=beta, n=n, collection=collection
    )


def _with(s: Setting, **values: float | None) -> Setting:
    """A copy of ``s`` with some fields changed; unchecked, since a complete setting has no
    unknown.
    """
    full = copy(s)
    for name, value in values.items():
        object.__setattr__(full, name, value)
    return full


# --- the interval of valid values
# -------------------------------------------------------------------------------------


def _interval(s: Setting) -> tuple[float, float] | None:
    """The least and the largest valid value of the unknown of ``s``, or None."""
    name = s.unknown
    if name == "gamma":
        full = _with(s, gamma=s.n)
        if _ratio(full) < 1:
            return None
        least, most = math.ceil(required_size(full)[0]), math.floor(s.n)
        return (float(least), float(most)) if least <= most else None
    low, high = _range(s, name)
    return _span(lambda value: _ratio(_with(s, **{name: value})), low, high, whole=name in _WHOLE)


def _range(s: Setting, name: str) -> tuple[float, float]:
    """Where to look for ``name``: its range, cut to the values for which delta can be allowed.

    Parameters that are None are taken as favourable to delta as they can be.
    """
    low, high = _RANGES[name]
    if name == "epsilon":
        high = _LARGEST_EPSILON[s.mode]
    if name == "gamma" and s.n is not None:
        high = s.n
    if name == "n" and s.fraction is None and s.gamma is not None:
        low = max(low, s.gamma)
    if s.delta and name in ("epsilon", "n", "gamma"):
        # delta <= (epsilon beta / (120 n |C|))^2
        smallest = s.n if s.n is not None else max(_RANGES["n"][0], s.gamma or 0.0)
        scale = 120 * (s.collection or 1) * math.sqrt(s.delta) / (s.beta or 1)
        if name == "epsilon":
            low = max(low, scale * smallest * (1 - _SIDE))
        elif name == "n" or s.n is None:  # a group can be no larger than the data
            epsilon = s.epsilon or _LARGEST_EPSILON[s.mode]
            most = [
                math.floor(min(high, epsilon / scale * (1 + side))) for side in (1e-12, -1e-12)
            ]  # the same, or next to it
            high = (
                most[0]
                if _allows(s.delta, epsilon, s.beta or 1, most[0], s.collection or 1)
                else most[1]
            )
    return (float(math.ceil(low)), float(math.floor(high))) if name in _WHOLE else (low, high)


def _span(
    ratio: Callable[[float], float], low: float, high: float, *, whole: bool
) -> tuple[float, float] | None:
    """Ends of the interval in [low, high] on which ``ratio`` is at least 1, for a quasi-concave
    ``ratio``; or None.
    """
    if low > high:
        return None

    def ok(value: float) -> bool:
        return ratio(value) >= 1

    inside = next((value for value in (low, high) if ok(value)), None)
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
    """The last value towards ``bad`` for which ``ok`` holds, given that it holds at ``good``;
    geometric bisection.
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
    """The last whole number from ``inside`` towards ``end`` for which ``ok`` holds, ``edge``
    being the last real one.
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
    """Where a quasi-concave ``ratio`` is the largest, or a value at which it is at least 1;
    golden section of ln.
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
    >>> found = solve(Setting(alpha=0.2, beta=0.05, gamma=250_000, collection=100, n=5_000_000))
    >>> found.best, round(found.value, 3)
    ('high', 0.014)
    """
    name, found = setting.unknown, _interval(setting)
    growing = name in ("epsilon", "collection") or (name == "n" and setting.fraction is None)
    best = "high" if growing else "low"
    if found is None:
        return Solution(name, None, None, None, best, setting)
    low, high = found
    if (
        name == "n"
        and high >= _RANGES["n"][1]
        and (setting.fraction is not None or setting.mode == "within")
    ):
        high = math.inf  # the required share of the people shrinks with n, or n plays no part
    if name == "epsilon" and not setting.delta:
        low = 0.0
    value = high if growing else low
    limit = _RANGES[name][1 if growing else 0]
    ended = (
        value == limit
        and name in ("alpha", "beta", "collection", "n")
        and value not in (0, math.inf)
    )
    return Solution(name, value, low, high, best, _with(setting, **{name: value}), ended)


# --- what would help
# ----------------------------------------------------------------------


def _easiest(s: Setting, name: str) -> float:
    """The value of ``name`` at which the rest of ``s`` is the easiest to meet."""
    low, high = _range(s, name)
    return (
        low if name in ("collection", "epsilon") or (name == "n" and s.fraction is None) else high
    )


def _ways(s: Setting) -> dict[str, tuple[float, float]]:
    """For each other parameter, changed alone, the values for which the unknown has a valid
    value.
    """
    unknown, found = s.unknown, {}
    for other in UNKNOWNS:
        if other == unknown or getattr(s, other) is None:
            continue

        def ratio(value: float, other: str = other) -> float:
            asked = _with(s, **{other: value})
            return _ratio(_with(asked, **{unknown: _easiest(asked, unknown)}))

        span = _span(ratio, *_range(_with(s, **{other: None}), other), whole=other in _WHOLE)
        if span is not None and not span[0] <= getattr(s, other) <= span[1]:
            found[other] = span
    if s.delta and (span := _interval(_with(s, delta=0.0))) is not None:
        full = _with(
            s, delta=0.0, **{unknown: span[0] if unknown in ("n", "collection") else span[1]}
        )
        room = theorem8_delta(
            epsilon=full.epsilon, beta=full.beta, n=full.n, collection=full.collection
        )
        if _LEAST_DELTA <= room < s.delta:
            found["delta"] = (_LEAST_DELTA, room)
    return found


def _nearest(s: Setting, name: str, span: tuple[float, float]) -> float:
    return span[0] if getattr(s, name) < span[0] else span[1]


# --- in words
# ----------------------------------------------------------------------


def rounded(value: float, digits: int, *, up: bool) -> str:
    """``value`` to so many digits, not beyond it on the other side: a bound that is quoted must
    still hold.

    Parameters
    ----------
    up : bool
        The printed number is at least ``value``; otherwise at most.
    """
    if not math.isfinite(value):
        return f"{value:g}"
    mode = ROUND_CEILING if up else ROUND_FLOOR
    return f"{float(Context(prec=digits, rounding=mode).create_decimal(repr(float(value)))):.{digits}g}"


def _number(
    name: str, value: float, *, up: bool, within: tuple[float, float], digits: int = 4
) -> str:
    """``value`` to so many digits, or as many more as keep it in ``within``; whole numbers in
    full if they are not too long.
    """
    if name in _WHOLE and value < 1e15:
        return f"{value:,.0f}"
    while digits < 17 and not within[0] <= float(rounded(value, digits, up=up)) <= within[1]:
        digits += 1
    return rounded(value, digits, up=up)


def _quoted(s: Setting, name: str, span: tuple[float, float]) -> str:
    """A way out to three digits, towards the values that help."""
    value = _nearest(s, name, span)
    return _number(name, value, up=value == span[0], within=span, digits=3)


def _in_words(found: Solution) -> str:
    """The best value, all valid values, and what is promised by it."""
    s, name, ends = found.setting, found.unknown, (found.low, found.high)
    low, high = (
        _number(name, end, up=up, within=ends) for end, up in zip(ends, (True, False), strict=True)
    )
    if found.high == math.inf:
        valid = f"every {name} from {low} on is valid"
    elif found.low == 0:
        valid = f"every {name} up to this is valid"
    else:
        valid = f"valid from {low} to {high}"
    if found.search_ended:
        valid += "; the search ends there"
    whole = "however many" if s.n == math.inf else f"{s.n:,.0f}" if s.n < 1e15 else f"{s.n:.3g}"
    members = f"{s.members:,.0f}" if s.members < 1e15 else f"{s.members:.3g}"
    promised = f"(alpha {rounded(s.alpha, 3, up=True)}, beta {rounded(s.beta, 3, up=True)})"
    text = (
        f"{name} = {high if found.best == 'high' else low} ({valid}): {promised} for"
        f" {s.collection:,.0f} groups of at least {members} of {whole} people"
    )
    if s.delta:
        text += f", with delta {s.delta:g}"
    elif s.mode == "theorem8":
        room = theorem8_delta(epsilon=s.epsilon, beta=s.beta, n=s.n, collection=int(s.collection))
        text += f", with delta at most {rounded(room, 3, up=False)}"
    return text


# alpha and the epsilon printed beside it; beta = e^-30, |C| = 100, gamma = .05 n, n = 5 million
# throughout
_TABLE1 = (
    (0.1, 0.003),
    (0.2, 0.01),
    (0.3, 0.02),
    (0.4, 0.025),
    (0.8, 0.056),
    (0.9, 0.065),
    (1.3, 0.09),
    (1.4, 0.1),
)


def table1(mode: str = "theorem7") -> list[dict[str, float]]:
    """Table 1 row by row: the printed epsilon, whether it satisfies the theorem, the largest
    that would, the slack.
    """
    rows = []
    for alpha, printed in _TABLE1:
        s = Setting(
            alpha=alpha, beta=math.exp(-30), collection=100, n=5e6, fraction=0.05, mode=mode
        )
        largest = solve(s).value
        valid = holds(s, epsilon=printed)
        rows.append(
            {
                "alpha": alpha,
                "printed": printed,
                "holds": valid,
                "largest": largest,
                "slack": largest / printed - 1 if largest else math.nan,
            }
        )
    return rows
