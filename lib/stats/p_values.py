"""p-values of means over runs, and Holm's correction of several: one implementation for
hypotheses, claims, audits and studies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

from lib import validate
from lib.stats.summary import RELATIVE

DIRECTIONS = ("greater", "less", "two-sided")


def p_value(values: np.ndarray, reference: float, direction: str) -> float:
    """Student's t of the mean of ``values``, shape (n,), against ``reference``; NaN for fewer than
    two values.

    Values that are all the same have no spread to judge by: a sign test if they lie on the stated
    side, else 1.

    >>> round(p_value(np.array([0.1, 0.2, 0.4]), 0.0, "greater"), 3)
    0.059
    """
    x = validate.vector("values", values)
    x = x[~np.isnan(x)]
    finite = math.isfinite(validate.as_float(reference))
    validate.require(finite, "reference", "a finite number", reference)
    reference = float(reference)  # a fraction, say
    validate.choice("direction", direction, DIRECTIONS)
    if x.size < 2:
        return math.nan
    if _all_the_same(x):
        gap, tie = x[0] - reference, max(1e-12, RELATIVE * abs(reference))
        right = {"greater": gap > tie, "less": gap < -tie, "two-sided": abs(gap) > tie}
        return (2 if direction == "two-sided" else 1) * 0.5**x.size if right[direction] else 1.0
    with np.errstate(over="ignore"):  # of a square: the spread is then infinite
        return float(stats.ttest_1samp(x, reference, alternative=direction).pvalue)


def p_positive(x: np.ndarray, widening: float = 1.0) -> float:
    """One-sided t test of a mean above 0; where all runs are exactly the same, a sign test.

    ``widening`` divides the t statistic: how many times the standard error is larger where runs
    depend on each other.
    """
    x = validate.finite("x", x)
    validate.require(x.ndim == 1 and x.size > 0, "x", "of shape (n,), n at least 1", x.shape)
    validate.positive("widening", widening)
    if _all_the_same(x):
        return 0.5**x.size if x[0] > 1e-12 else 1.0
    with np.errstate(over="ignore"):
        test = stats.ttest_1samp(x, 0.0, alternative="greater")
    if widening == 1:
        return float(test.pvalue)
    return float(stats.t.sf(test.statistic / widening, x.size - 1))


def _all_the_same(x: np.ndarray) -> bool:
    """Whether numbers differ by their last bits at most, or are all 0 but for those of a sum."""
    largest = float(np.abs(x).max())
    return largest < math.inf and float(np.ptp(x)) <= max(1e-15, RELATIVE * largest)


def holm(p: Sequence[float] | np.ndarray) -> np.ndarray:
    """Holm's adjusted p-values, shape (m,); a NaN stays one and still counts as a member of the
    family.
    """
    p = validate.vector("p", p)
    order = np.argsort(np.where(np.isnan(p), np.inf, p), kind="stable")
    scaled = p[order] * (p.size - np.arange(p.size))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(
        1, np.maximum.accumulate(np.where(np.isnan(scaled), -np.inf, scaled))
    )
    return np.where(np.isnan(p), np.nan, adjusted)
