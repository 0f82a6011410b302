"""From evidence to a verdict. Each rule and its tolerance are fixed in ``data/claims`` from the
paper's text alone.

A directional rule needs a test; since many rows are tested, the ledger adjusts
their p-values by Holm's method and a direction counts as reproduced only if
the adjusted one is below 5%.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from lib.stats.p_values import DIRECTIONS

VERDICTS = ("reproduced", "same direction", "not reproduced", "not comparable", "not run")
CONTESTED = ("not reproduced", "same direction")
LEVEL = 0.05


@dataclass(frozen=True)
class Evidence:
    """What the rerun says: a number with its 95% interval, runs, data; ``p`` for directional rows;
    words for the rest.

    ``p_opposite`` is the p-value of the opposite of a stated hypothesis. ``exact`` numbers come
    from arithmetic and have no interval. ``of`` is the paper's number of runs where it is not that
    of its other experiments. ``overlap`` is the second reading of evidence from overlapping splits
    of one table: ``(low, high, p)`` of the corrected resampled interval, which speaks of another
    table. ``stored`` tells evidence that was read, not measured. What is not ``comparable``
    was measured on something that the claim does not speak of; ``detail`` says why.
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

    @property
    def exact(self) -> bool:
        """Whether arithmetic settles it: no runs."""
        return self.runs == 0


def _near(e: Evidence, target: float, tolerance: float) -> tuple[bool, bool]:
    """Within ``tolerance`` of ``target``; else on the target's side of the reference, for evidence
    that has one.

    A reference is what the number is a change from: a baseline, or chance. A number
    that is no change has none, and is reproduced or not.
    """
    same_side = (e.value - e.reference) * (target - e.reference) > 0
    return abs(e.value - target) <= tolerance, same_side


def _at_least(e: Evidence, threshold: float) -> tuple[bool, bool]:
    """A share: at least ``threshold``, with its whole interval if it has one; else above the
    threshold or one half.
    """
    return np.fmin(e.value, e.low) >= threshold, e.value >= threshold or e.value > 0.5


def _positive(e: Evidence) -> tuple[bool, bool]:
    """Above zero, by a test that survives Holm's correction; else above zero on average."""
    return e.value > 0 and e.p < LEVEL, e.value > 0


def _within(e: Evidence, margin: float) -> tuple[bool, bool]:
    """Equivalence: the whole interval inside ±``margin``; else the mean inside."""
    return -margin <= e.low and e.high <= margin, abs(e.value) <= margin


def _returns(e: Evidence, margin: float) -> tuple[bool, bool]:
    """Back at a baseline: the mean inside ±``margin``; else closer to 0 than the reference, which
    it came from.

    For means of a paper's own runs, which its figure draws, where an interval can be wider than the
    margin.
    """
    return abs(e.value) <= margin, abs(e.value) < abs(e.reference)


def _true(e: Evidence) -> tuple[bool, bool]:
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


# whether the evidence reproduces the claim, and whether it at least points in its direction
RULES: dict[str, Callable[..., tuple[bool, bool]]] = {
    "near": _near,
    "at_least": _at_least,
    "positive": _positive,
    "within": _within,
    "returns": _returns,
    "true": _true,
}
TESTED = ("positive", *DIRECTIONS)  # rules that need a p-value


def judge(rule: str, evidence: Evidence, tolerance: dict, adjusted_p: float | None = None) -> str:
    """The verdict of ``rule`` on ``evidence``; NaN evidence is "not run"."""
    if math.isnan(evidence.value):
        return "not run"
    if not evidence.comparable:
        return "not comparable"
    if adjusted_p is not None:
        evidence = replace(evidence, p=adjusted_p)
    if rule in DIRECTIONS:
        return _stated(evidence, **tolerance)
    reproduced, same_direction = RULES[rule](evidence, **tolerance)
    return "reproduced" if reproduced else "same direction" if same_direction else "not reproduced"
