"""The budget split with the least total variance: the yardstick of uniform and k-based splits.

The total is ``sum_j w_j V_j(eps_j)`` with ``V_j`` the mean variance, over the
values of attribute ``j``, of an estimated frequency. ``weighting`` says whose
error counts alike: every attribute (``w_j = 1``), or every value of every
attribute (``w_j = k_j``). The number of people is a common factor and drops out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from lib import validate
from lib.ldp.encode import SPLITS, split_budget
from lib.ldp.registry import make

WEIGHTINGS = ("attributes", "values")


def total_variance(
    budgets: Sequence[float],
    protocol: str,
    frequencies: Sequence[np.ndarray],
    weighting: str = "attributes",
) -> float:
    """``sum_j w_j V_j(eps_j)`` for one person; divide by n for n of them.

    Parameters
    ----------
    budgets : sequence of float, shape (d_s,)
    protocol : str
    frequencies : sequence of arrays, shapes (k_j,)
        Share of the people that hold each value, an array for each attribute.
    weighting : {"attributes", "values"}

    Raises
    ------
    ValueError
        If the lengths differ or are 0, ``weighting`` or ``protocol`` is not
        known, or a budget or a share is out of range.
    """
    validate.choice("weighting", weighting, WEIGHTINGS)
    _check_frequencies(frequencies)
    one_each = len(validate.sequence("budgets", budgets)) == len(frequencies)
    what = "one for each attribute"
    validate.require(one_each, "budgets and frequencies", what, (budgets, frequencies))
    total = 0.0
    for epsilon, f in zip(budgets, frequencies, strict=True):
        epsilon = validate.budget("budgets", epsilon)
        variances: Any = make(protocol, k=len(f), epsilon=epsilon).variance(1, np.asarray(f))
        total += variances.sum() if weighting == "values" else variances.mean()
    return float(total)


def _check_frequencies(frequencies: Sequence[np.ndarray]) -> None:
    shares = [
        validate.vector("frequencies", f) for f in validate.sequence("frequencies", frequencies)
    ]
    fits = len(shares) > 0 and all(len(f) > 1 for f in shares)
    what = "two shares or more for each attribute, and one attribute or more"
    validate.require(fits, "frequencies", what, frequencies)


def least_variance_split(
    epsilon: float, protocol: str, frequencies: Sequence[np.ndarray], weighting: str = "attributes"
) -> np.ndarray:
    """Budgets that add up to ``epsilon`` with the least :func:`total_variance`, shape (d_s,).

    Found numerically over the logarithms of the shares, from the uniform and
    the k-based split; no worse than either. Parameters and errors are those
    of :func:`total_variance`, with ``epsilon`` the sum of the budgets.
    """
    epsilon = validate.budget("epsilon", epsilon)
    _check_frequencies(frequencies)
    starts = [split_budget(epsilon, [len(f) for f in frequencies], split) for split in SPLITS]

    least = max(1e-9 * epsilon, validate.EPSILON_MIN)  # a share of exactly 0 has no variance

    def objective(logits: np.ndarray) -> float:
        budgets = np.maximum(epsilon * softmax(logits), least)
        return np.log(total_variance(budgets, protocol, frequencies, weighting))

    how = {"xatol": 1e-7, "fatol": 1e-12, "maxiter": 4000}
    found = (minimize(objective, np.log(s), method="Nelder-Mead", options=how) for s in starts)
    ends = [epsilon * softmax(result.x) for result in found]
    candidates = [*(budgets for budgets in ends if budgets.min() >= least), *starts]
    return min(
        candidates, key=lambda budgets: total_variance(budgets, protocol, frequencies, weighting)
    )
