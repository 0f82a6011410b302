"""Answers of the solver in words; every printed number still satisfies the guarantee."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from functools import cached_property

from lib import validate
from lib.coherence.bounds.paper import theorem8_delta
from lib.coherence.guarantee import WHOLE, Setting


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
    spans : dict
        If nothing is valid: the values of each other parameter that would help alone.
    """

    unknown: str
    value: float | None
    low: float | None
    high: float | None
    best: str
    setting: Setting
    search_ended: bool = False
    spans: Mapping[str, tuple[float, float]] = field(default_factory=dict, compare=False)

    @property
    def met(self) -> bool:
        """Whether there is a value that the bound accepts."""
        return self.value is not None

    @property
    def ways(self) -> dict[str, float]:
        """If nothing is valid: the nearest value of each other parameter that helps alone."""
        return {name: nearest(self.setting, name, span) for name, span in self.spans.items()}

    @cached_property
    def message(self) -> str:
        """The answer in a sentence; numbers are rounded to the side on which the guarantee holds.

        Examples
        --------
        >>> from lib.coherence.solver import solve
        >>> asked = Setting(alpha=0.2, beta=0.05, gamma=250_000, collection=100, n=5_000_000)
        >>> solve(asked).message.partition(":")[0]
        'epsilon = 0.01397 (every epsilon up to this is valid)'
        """
        return sentence(self)


def round_outward(value: float, digits: int, *, up: bool) -> str:
    """``value`` to so many digits, rounded to one side only: a bound that is quoted must hold.

    Parameters
    ----------
    up : bool
        The printed number is at least ``value``; otherwise at most.

    Examples
    --------
    >>> round_outward(0.21551, 3, up=False), round_outward(0.21551, 3, up=True)
    ('0.215', '0.216')
    """
    validate.integer("digits", digits, low=1, high=100)
    if not math.isfinite(value):
        return f"{value:g}"
    mode = ROUND_CEILING if up else ROUND_FLOOR
    number = float(Context(prec=digits, rounding=mode).create_decimal(repr(float(value))))
    return f"{number:.{digits}g}"


def _number(
    name: str, value: float, *, up: bool, within: tuple[float, float], digits: int = 4
) -> str:
    """``value`` to so many digits, or as many more as keep it in ``within``.

    Whole numbers are printed in full if they are not too long.
    """
    if name in WHOLE and value < 1e15:
        return f"{value:,.0f}"
    while digits < 17 and not within[0] <= float(round_outward(value, digits, up=up)) <= within[1]:
        digits += 1
    return round_outward(value, digits, up=up)


def nearest(s: Setting, name: str, span: tuple[float, float]) -> float:
    """The end of ``span`` that is nearest to the value of ``name`` in ``s``."""
    validate.choice("name", name, vars(s))
    return span[0] if getattr(s, name) < span[0] else span[1]


def sentence(solution: Solution) -> str:
    """The best value, all valid values and what they promise; or what would help."""
    return _promise(solution) if solution.met else _advice(solution)


def _advice(solution: Solution) -> str:
    s, parts = solution.setting, []
    for name, span in solution.spans.items():
        value = nearest(s, name, span)
        number = _number(name, value, up=math.isclose(value, span[0]), within=span, digits=3)
        parts.append(f"{name} = {number}")
    words = ", or ".join(parts)
    helps = f"this would help: {words}" if words else "no change of one other number would help"
    return f"no {solution.unknown} is valid ({s.mode}); {helps}"


def _promise(solution: Solution) -> str:
    s, name, ends = solution.setting, solution.unknown, (solution.low, solution.high)
    low, high = (
        _number(name, end, up=up, within=ends) for end, up in zip(ends, (True, False), strict=True)
    )
    if solution.high == math.inf:
        valid = f"every {name} from {low} on is valid"
    elif solution.low == 0:
        valid = f"every {name} up to this is valid"
    else:
        valid = f"valid from {low} to {high}"
    if solution.search_ended:
        valid += "; the search ends there"
    people, members = (f"{x:,.0f}" if x < 1e15 else f"{x:.3g}" for x in (s.n, s.members))
    alpha, beta = (round_outward(x, 3, up=True) for x in (s.alpha, s.beta))
    text = (
        f"{name} = {high if solution.best == 'high' else low} ({valid}):"
        f" (alpha {alpha}, beta {beta}) for {s.collection:,.0f} groups of at least {members} of"
        f" {'however many' if s.n == math.inf else people} people"
    )
    if s.delta:
        return text + f", with delta {s.delta:g}"
    if s.mode == "theorem8":
        room = theorem8_delta(epsilon=s.epsilon, beta=s.beta, n=s.n, collection=int(s.collection))
        return text + f", with delta at most {round_outward(room, 3, up=False)}"
    return text
