"""Solve a coherence guarantee for whichever of its parameters is missing.

A guarantee *holds* when the group is at least as large as the theorem's size
constraint. That is monotone in every parameter, so the missing one is found by
bisection; where no value will do, the answer says so, and what would have to
give.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context

from lib import validate
from lib.coherence.theorems import size, theorem7_terms, theorem8_delta, theorem8_terms
from lib.coherence.tightened import tightened_size
from lib.coherence.within import within_size

__all__ = ["MODES", "UNKNOWNS", "Setting", "Solution", "solve", "required_size", "rounded", "table1"]

MODES = ("theorem7", "theorem8", "tightened", "within")
UNKNOWNS = ("alpha", "beta", "gamma", "collection", "n", "epsilon")
_LARGEST_EPSILON = {"theorem7": 1.0, "theorem8": 0.5, "tightened": 64.0, "within": 8.0}
_MOST = 1e15  # people, groups: beyond any use


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
        Of the release.
    delta : float
        Theorem 8 only; 0 means "the largest that the theorem allows".
    fraction : float, optional
        In (0, 1]: the smallest group as a share of ``n``, instead of ``gamma``.
    mode : {"theorem7", "theorem8", "tightened", "within"}
        The paper's two theorems; ours, for the whole half; ours, group by group, where ``n`` plays no part.
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
            validate.fraction("fraction", self.fraction, open_ends=False)
            if self.fraction == 0 or self.gamma is not None:
                raise ValueError(f"fraction={self.fraction!r} is not allowed: above 0, and only without gamma")
        if self.delta and self.mode != "theorem8":
            raise ValueError(f"delta={self.delta!r} is not allowed: only mode='theorem8' takes one")
        missing = [name for name in UNKNOWNS if getattr(self, name) is None]
        if self.fraction is not None:
            missing = [name for name in missing if name != "gamma"]
        if len(missing) != 1:
            raise ValueError(f"{missing!r} are missing: exactly one of {', '.join(UNKNOWNS)} is to be found")
        for name in set(UNKNOWNS) - set(missing) - {"gamma"}:
            validate.positive(name, getattr(self, name))
        if self.collection is not None and self.collection != math.floor(self.collection):
            raise ValueError(f"collection={self.collection!r} is not allowed: a whole number of groups is")
        if self.gamma is not None:
            validate.positive("gamma", self.gamma)
            if self.n is not None and self.gamma > self.n:
                raise ValueError(
                    f"gamma={self.gamma!r} is not allowed: no group has more members than the n={self.n!r} people"
                )

    @property
    def unknown(self) -> str:
        """The name of the parameter to be found."""
        missing = [name for name in UNKNOWNS if getattr(self, name) is None]
        return missing[0] if self.fraction is None else next(name for name in missing if name != "gamma")

    @property
    def members(self) -> float:
        """Size of the smallest group."""
        return self.gamma if self.fraction is None else self.fraction * self.n


@dataclass(frozen=True)
class Solution:
    """The value found (None if there is none), whether it says anything, and in which other ways it could be met.

    ``ways`` maps the name of each other parameter to the value that would make
    the guarantee hold if only that one changed.
    """

    unknown: str
    value: float | None
    setting: Setting
    binding: str = ""
    message: str = ""
    ways: dict[str, float] = field(default_factory=dict)

    @property
    def met(self) -> bool:
        """Whether there is a value that the bound accepts."""
        return self.value is not None


def required_size(s: Setting) -> tuple[float, str]:
    """The size constraint of a complete setting, and the term that sets it."""
    known = {"alpha": s.alpha, "beta": s.beta, "n": s.n, "epsilon": s.epsilon, "collection": int(s.collection)}
    if s.mode == "tightened":
        return tightened_size(**known), "tightened"
    if s.mode == "within":
        del known["n"]
        return within_size(**known), "within"
    terms = theorem7_terms(**known) if s.mode == "theorem7" else theorem8_terms(**known, delta=s.delta)
    return size(terms), max(terms, key=terms.get)


def _holds(s: Setting) -> bool:
    members = s.members
    return members <= s.n and members >= required_size(s)[0]


def _with(s: Setting, name: str, value: float) -> Setting:
    """A copy of ``s`` with one field changed; unchecked, since a complete setting has no unknown."""
    full = copy(s)
    object.__setattr__(full, name, value)
    return full


def _edge(ok: Callable[[float], bool], good: float, bad: float) -> float:
    """The last value towards ``bad`` for which ``ok`` holds, given that it holds at ``good``; geometric bisection."""
    if ok(bad):
        return bad
    for _ in range(200):
        middle = math.sqrt(good) * math.sqrt(bad)
        good, bad = (middle, bad) if ok(middle) else (good, middle)
        if abs(math.log(bad / good)) < 1e-12:
            break
    return good


def _find(s: Setting) -> float | None:
    """The best value of the unknown that holds, or None."""
    name = s.unknown

    def ok(value: float) -> bool:
        return _holds(_with(s, name, value))

    if name == "gamma":
        needed = required_size(s)[0]
        return math.ceil(needed) if needed <= s.n and math.ceil(needed) <= s.n else None
    # (the end that is easiest to meet, the end one would like to reach)
    ends = {
        "alpha": (2.0, 1e-9), "beta": (1.0, 1e-300), "collection": (1.0, _MOST),
        "epsilon": (1e-12, _LARGEST_EPSILON[s.mode]),
        "n": (_MOST, 4.0) if s.fraction is not None else (max(4.0, s.gamma or 4.0), _MOST),
    }  # fmt: skip
    easy, hard = ends[name]
    if not ok(easy):
        return None
    value = _edge(ok, easy, hard)
    if name in ("n", "collection") and value >= _MOST:
        return math.inf if name == "n" and s.fraction is None else _MOST  # without end where n plays no part
    return _whole(ok, value, math.ceil(easy)) if name in ("n", "collection") else value


def _whole(ok: Callable[[float], bool], value: float, easy: int) -> float | None:
    """The whole number next to ``value``, the edge among real numbers, that is the last for which ``ok`` holds."""
    down = value >= easy  # smaller is easier
    inner, outer = (math.floor, math.ceil) if down else (math.ceil, math.floor)
    good = next((whole for whole in (inner(value), easy) if ok(float(whole))), None)
    if good is None:
        return None
    bad = outer(value * (1 + 1e-9 if down else 1 - 1e-9)) + (1 if down else -1)  # the edge is known to 1e-12 or so
    while abs(bad - good) > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if ok(float(middle)) else (good, middle)
    return float(good)


def solve(setting: Setting) -> Solution:
    """Find the missing parameter: the smallest alpha, beta, gamma (or n with a fraction), the largest epsilon or |C|."""
    name, value = setting.unknown, _find(setting)
    if value is not None:
        full = _with(setting, name, value)
        return Solution(name, value, full, required_size(full)[1], _in_words(full, name))
    ways = _ways(setting)
    told = (
        ", or ".join(f"{other} = {_way(setting, other, way)}" for other, way in ways.items())
        or "nothing that is allowed"
    )
    return Solution(
        name, None, setting, message=f"no {name} meets this ({setting.mode}); what would: {told}", ways=ways
    )


def _ways(setting: Setting) -> dict[str, float]:
    """With the unknown at its easiest, what each other parameter would have to be, alone."""
    easiest = {"alpha": 2.0, "beta": 1.0, "collection": 1.0, "epsilon": 1e-12, "n": _MOST, "gamma": setting.n}
    name, found = setting.unknown, {}
    for other in UNKNOWNS:
        if other == name or (other == "gamma" and setting.fraction is not None):
            continue
        asked = _with(_with(setting, name, easiest[name]), other, None)
        if (way := _find(asked)) is not None and way < _MOST:
            found[other] = way
    return found


def _way(setting: Setting, name: str, value: float) -> str:
    """A way out to three digits, towards the side that is easier to meet: more members, fewer groups, less epsilon."""
    more = name in ("alpha", "beta", "gamma") or (name == "n" and setting.fraction is not None)
    return rounded(value, 3, up=more)


def rounded(value: float, digits: int, *, up: bool) -> str:
    """``value`` to so many digits, not beyond it on the other side: a bound that is quoted must still hold.

    Parameters
    ----------
    up : bool
        The printed number is at least ``value``; otherwise at most.
    """
    if not math.isfinite(value):
        return f"{value:g}"
    mode = ROUND_CEILING if up else ROUND_FLOOR
    return f"{float(Context(prec=digits, rounding=mode).create_decimal(repr(float(value)))):.{digits}g}"


def _in_words(s: Setting, name: str) -> str:
    """The answer to four digits, towards the side on which it holds, and what it was asked for."""
    value = getattr(s, name)
    told = f"{value:,.0f}" if name in ("gamma", "n", "collection") else rounded(value, 4, up=name in ("alpha", "beta"))
    whole = "however many" if s.n == math.inf else f"{s.n:,.0f}"
    people = f"at least {s.members:,.0f} of {whole} people"
    promised = f"(alpha {rounded(s.alpha, 3, up=True)}, beta {rounded(s.beta, 3, up=True)})"
    text = f"{name} = {told}: {promised} for {s.collection:,.0f} groups of {people}"
    if s.mode == "theorem8":
        room = theorem8_delta(epsilon=s.epsilon, beta=s.beta, n=s.n, collection=int(s.collection))
        text += f", with delta at most {rounded(room, 3, up=False)}"
    return text


# alpha and the epsilon printed beside it; beta = e^-30, |C| = 100, gamma = .05 n, n = 5 million throughout
_TABLE1 = ((0.1, 0.003), (0.2, 0.01), (0.3, 0.02), (0.4, 0.025), (0.8, 0.056), (0.9, 0.065), (1.3, 0.09), (1.4, 0.1))


def table1(mode: str = "theorem7") -> list[dict[str, float]]:
    """Table 1 row by row: the printed epsilon, whether it satisfies the theorem, the largest that would, the slack."""
    rows = []
    for alpha, printed in _TABLE1:
        s = Setting(alpha=alpha, beta=math.exp(-30), collection=100, n=5e6, fraction=0.05, mode=mode)
        largest = solve(s).value
        holds = printed <= _LARGEST_EPSILON[mode] and _holds(_with(s, "epsilon", printed))
        rows.append({"alpha": alpha, "printed": printed, "holds": holds, "largest": largest,
                     "slack": largest / printed - 1 if largest else math.nan})  # fmt: skip
    return rows
