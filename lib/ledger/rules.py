"""From evidence to a verdict. Each rule and its tolerance are fixed in ``data/claims`` from the
paper's text alone.

The verdict comes from the whole 95% interval. Where all of it meets the rule, the claim is
reproduced; where none of it does, it is not; where a part does, it is too close to call. Exact
evidence has no interval. A direction needs a test; since many rows are tested, the ledger adjusts
their p-values by Holm's method, on either side of zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from lib.stats.p_values import DIRECTIONS

TOO_CLOSE = "too close to call"
JUDGED = ("reproduced", TOO_CLOSE, "same direction", "not reproduced")  # from the best to the worst
VERDICTS = (*JUDGED, "not comparable", "not run")
CONTESTED = JUDGED[1:]
LEVEL = 0.05
_LAST_BITS = 1e-8  # of a share or a limit


@dataclass(frozen=True)
class Evidence:
    """What the rerun says: a number with its 95% interval, runs, data; ``p`` for directional rows;
    words for the rest.

    ``p_opposite`` is the p-value of the opposite of a stated hypothesis. ``exact`` numbers come
    from arithmetic and have no interval. ``of`` is how many runs the paper made, given only where
    that is not its usual number. ``overlap`` is the second reading of evidence from overlapping
    splits of one table: ``(low, high, p)`` of the corrected resampled interval, which covers
    another table of the same kind. ``stored`` tells evidence that was read, not measured. What is
    not ``comparable`` was measured on something that the claim does not speak of; ``detail`` says
    why. ``own_runs`` are those of the paper, so a printed number is compared with the value itself.
    A share over runs has the quantiles of its ``resampled`` values, at even steps from 0 to 1, and
    ``clear``: of :func:`studies.measures.share_of_cases`.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    runs: int = 0
    data: str = "exact computation"
    p: float = math.nan
    detail: str = ""
    reference: float = math.nan
    of: int = 0
    stored: bool = False
    comparable: bool = True
    overlap: tuple[float, float, float] | None = None
    p_opposite: float = math.nan
    own_runs: bool = False
    resampled: tuple[float, ...] = ()
    clear: tuple[float, float] | None = None

    @property
    def exact(self) -> bool:
        """Whether arithmetic settles it: no runs."""
        return self.runs == 0


# whether evidence meets a rule (None if only a part of its interval does), and whether the value
# points in the claim's direction where it does not
Found = tuple[bool | None, bool]


def _inside(e: Evidence, low: float, high: float) -> bool | None:
    """Whether the whole interval lies from ``low`` to ``high``: True, or False if none of it does,
    or None. Without an interval the value counts.
    """
    least, most = float(np.fmin(e.value, e.low)), float(np.fmax(e.value, e.high))
    if low - _LAST_BITS <= least and most <= high + _LAST_BITS:
        return True
    return False if most < low - _LAST_BITS or least > high + _LAST_BITS else None


def _same_side(e: Evidence, target: float) -> bool:
    """On the target's side of the reference, which is what a number is a change from (a baseline,
    or chance); a number that is not a change has no reference.
    """
    return (e.value - e.reference) * (target - e.reference) > 0


def _near(e: Evidence, target: float, tolerance: float) -> Found:
    """Within ``tolerance`` of ``target``; else on its side of the reference."""
    held = replace(e, low=math.nan, high=math.nan) if e.own_runs else e
    return _inside(held, target - tolerance, target + tolerance), _same_side(e, target)


def allowance(e: Evidence, tolerance: float, runs: int) -> float:
    """How far a mean over ``runs`` may lie from that of the evidence: ``tolerance``, and what two
    such means differ by in 95 of 100 pairs.
    """
    half = 0.0 if math.isnan(e.high) else e.high - e.value
    return tolerance + half * math.sqrt(1 + e.runs / runs)


def _agrees(e: Evidence, target: float, tolerance: float, runs: int) -> Found:
    """A printed mean over the paper's own ``runs``, drawn as ours: no farther from ours than two
    such means lie apart. Undecided if the reference is as near to ours, too.
    """
    far = allowance(e, tolerance, runs)
    if abs(e.value - target) > far + _LAST_BITS:
        return False, _same_side(e, target)
    return None if abs(e.value - e.reference) <= far else True, True


def _at_least(e: Evidence, threshold: float) -> Found:
    """A share of at least ``threshold``; else above one half."""
    return _inside(e, threshold, math.inf), e.value > 0.5


def opposite(e: Evidence) -> float:
    """The p-value of a mean below zero, for evidence with that of one above."""
    return e.p_opposite if not math.isnan(e.p_opposite) else 1 - e.p


def _positive(e: Evidence) -> Found:
    """Above zero, by a test that survives Holm's correction; not so if it is below by one."""
    if e.value > 0 and e.p < LEVEL:
        return True, True
    return False if e.value < 0 and opposite(e) < LEVEL else None, False


def _within(e: Evidence, margin: float) -> Found:
    """Equivalence: inside ±``margin``. Runs without an interval decide nothing."""
    if math.isnan(e.low) and not e.exact:
        return None, False
    return _inside(e, -margin, margin), False


def largest_rest(e: Evidence, margin: float, part: float) -> float:
    """What may be left of a change: ``part`` of the reference, and ``margin`` in any case."""
    return float(np.fmax(margin, part * abs(e.reference)))


def _returns(e: Evidence, margin: float, part: float = 0.0) -> Found:
    """Back at a baseline: at most ``part`` of the change before (the reference) is left, or
    ±``margin`` if that is more; else it is closer to 0 than before.
    """
    most = largest_rest(e, margin, part)
    return _inside(e, -most, most), abs(e.value) < abs(e.reference)


def _true(e: Evidence) -> Found:
    """A statement that holds (1) or does not (0)."""
    return e.value == 1, False


def _stated(e: Evidence, reference: float = 0.0) -> str:
    """A hypothesis stated beforehand, with its opposite: the mean lies on one side of the reference
    (or, two-sided, off it) by a test that survives Holm's correction.
    """
    if e.p <= LEVEL:
        side = "above" if e.value > reference else "below"
        return f"found, {side}" if math.isnan(e.p_opposite) else "supported"
    if e.p_opposite <= LEVEL:
        return "contradicted"
    return "nothing found" if reference == 0 else "not supported"


RULES: dict[str, Callable[..., Found]] = {
    "near": _near,
    "agrees": _agrees,
    "at_least": _at_least,
    "positive": _positive,
    "within": _within,
    "returns": _returns,
    "true": _true,
}
TESTED = ("positive", *DIRECTIONS)  # rules that need a p-value


def judge(rule: str, evidence: Evidence, tolerance: dict) -> str:
    """The verdict of ``rule`` on ``evidence``, whose p-values are adjusted; NaN evidence is "not
    run".
    """
    if math.isnan(evidence.value):
        return "not run"
    if not evidence.comparable:
        return "not comparable"
    if rule in DIRECTIONS:
        return _stated(evidence, **tolerance)
    met, same_direction = RULES[rule](evidence, **tolerance)
    if met is None:
        return TOO_CLOSE
    return "reproduced" if met else "same direction" if same_direction else "not reproduced"
