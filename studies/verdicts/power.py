"""The chances of a rule: how often it passes if the paper is right, and if it is not.

They speak of a rerun like ours: with as many runs, which scatter as ours do. What "right" and "not"
mean is one alternative for each kind of rule (:data:`ALTERNATIVES`). A rule that passes in less
than half of the first case, or often in the second, would be no fair judge.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from lib.ledger.rules import LEVEL, Evidence, left
from lib.stats.summary import clopper_pearson

ALTERNATIVES = {
    "near": ("the paper's number is a mean of such runs", "the mean is that of the reference, or"
             " twice the tolerance away where there is none"),
    "agrees": ("the paper's number is a mean of such runs", "the mean is that of the reference, or"
               " twice the allowed distance away where there is none"),
    "at_least": ("every case holds, as clearly as each now does or does not", "half as many cases"
                 " hold as the rule asks for"),
    "positive": ("the mean is as far from 0 as ours, and above", "the mean is 0"),
    "within": ("the mean is 0", "the mean is twice the margin"),
    "returns": ("the mean is 0", "the whole change is left"),
}  # fmt: skip


def chances(
    rule: str, evidence: Evidence, tolerance: dict, *, paper: int = 0, level: float = LEVEL
) -> tuple[float, float]:
    """The probability that ``rule`` gives *reproduced* if the paper is right, and if it is not, by
    :data:`ALTERNATIVES`.

    1 and 0 for exact evidence; NaN where runs have no interval, and for statements that runs only
    check: nothing says how far from its opposite a statement is. ``paper`` is its number of runs,
    where it is not that of the evidence: a mean is judged as if we had as many. ``level`` is the
    one of a directional test after the correction for many.

    Examples
    --------
    >>> e = Evidence(0.48, 0.475, 0.485, runs=20, reference=0.44)
    >>> right, wrong = chances("near", e, {"target": 0.48, "tolerance": 0.015})
    >>> round(right, 2), round(wrong, 2)
    (1.0, 0.0)
    """
    if evidence.exact or (rule == "near" and evidence.own_runs):
        return 1.0, 0.0
    if math.isnan(evidence.high) or not evidence.comparable or rule not in ALTERNATIVES:
        return math.nan, math.nan
    if rule == "at_least":
        return _of_share(evidence, **tolerance)
    runs = max(paper or evidence.runs, 2)
    # of a mean over the paper's runs; that of bounds on one side only is their width
    error = (evidence.high - evidence.low) / 2 / stats.t.ppf(0.975, max(evidence.runs - 1, 1))
    error = max(error * math.sqrt(evidence.runs / runs), 1e-300)
    half = error * stats.t.ppf(0.975, runs - 1)
    if rule == "positive":
        critical, distance = stats.t.isf(level, runs - 1), abs(evidence.value) / error
        return float(stats.nct.sf(critical, runs - 1, distance)), level
    printed = "target" in tolerance  # a number of the paper, which is a mean of runs, too
    most = tolerance["tolerance" if printed else "margin"]
    if rule == "returns":
        most = left(evidence, most, tolerance.get("part", 0.0))
    room = most + half * math.sqrt(2) if rule == "agrees" else most - half
    spread = error * math.sqrt(2) if printed else error
    away = evidence.reference - tolerance.get("target", 0.0)
    if rule == "within" or (printed and math.isnan(away)):
        away = 2 * (room if rule == "agrees" else most)
    return _inside(0.0, spread, room), _inside(away, spread, room)


def _inside(mean: float, spread: float, room: float) -> float:
    """The probability that a normal number lies inside ±``room``."""
    below, above = stats.norm.cdf((-room, room), mean, spread)
    return float(above - below) if room > 0 else 0.0


def _of_share(e: Evidence, threshold: float) -> tuple[float, float]:
    """Of a share over runs: by the clearness of its cases, or (a share of runs) by the binomial
    law.
    """
    if e.clear is None:
        hits = np.arange(e.runs + 1)
        passes = np.array([clopper_pearson(int(h), e.runs)[0] >= threshold for h in hits])
        return float(passes[-1]), float(stats.binom(e.runs, threshold / 2).pmf(hits)[passes].sum())
    spread = float(np.std(e.resampled))
    if threshold >= 1:
        return e.clear[1], 0.0
    if spread == 0:
        return float(e.clear[0] >= threshold), 0.0
    needed = threshold + 1.96 * spread
    right, wrong = stats.norm.sf(needed, (e.clear[0], threshold / 2), spread).tolist()
    return right, wrong
