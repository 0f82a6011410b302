"""One exact p-value from many random splits of the same people.

It is exact although each split has few reshufflings. In each split the observed distance stands
beside ``J`` reshuffled ones. If the predictions ignore who was inside, the observed one is equally
likely to be any of these ``1 + J`` numbers, and splits are independent. So the distribution of
*any* sum of scores is known exactly, given the ``1 + J`` distances of each split. Fisher's method
instead refers its sum to a chi-square law that needs continuous p-values: it stays valid for
discrete ones, but flags more rarely than stated (:func:`fisher_false_alarm`).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence

import numpy as np
from scipy import stats

from lib import validate
from lib.coherence.distances import TIE

_STEPS = 1 << 15  # scores are rounded so that their largest sum has about so many steps


def combined_p(splits: Iterable[Sequence[float]]) -> float:
    """p-value that the observed distances exceed the reshuffled ones, over independent splits.

    The score of a distance is ``-ln`` of its mid-p-value, rounded to a grid: Fisher's statistic,
    which weighs ties by half. Its law is the convolution of the laws of the splits, each uniform on
    its own ``1 + J`` scores. So ``Pr[p <= t] <= t`` for every ``t``, with equality at every value
    that ``p`` can take, ties or not.

    Parameters
    ----------
    splits : iterable of float arrays of shape (1 + J,)
        In each split the observed distance first, then the reshuffled ones. J may differ between
        splits.

    Returns
    -------
    float
        1 without any split.

    Raises
    ------
    ValueError
        For a split that is empty or holds NaN.

    Examples
    --------
    Two splits, in each of which the observed distance is the largest of four:

    >>> f"{combined_p([[0.9, 0.1, 0.2, 0.3], [0.8, 0.1, 0.2, 0.3]]):.4f}"
    '0.0625'
    """
    scores = [_mid_p_scores(distances) for distances in splits]
    if not scores:
        return 1.0
    law, grid = _law_of_sum(scores)
    observed = sum(int(np.rint(score[0] / grid)) for score in scores)
    tail = float(law[observed:].sum()) * (1 + 1e-9)  # never below the exact value
    return min(1.0, max(tail, sys.float_info.min))


def fisher_false_alarm(*, draws: int, splits: int, level: float) -> float:
    """How often Fisher's method flags at ``level`` where there is nothing to find.

    Every split has ``draws`` reshufflings. Each p-value is then uniform on the multiples of
    ``1 / (1 + draws)`` if no distances are equal; ties make the rate smaller. Computed by
    convolution, to about three digits.

    Examples
    --------
    >>> round(fisher_false_alarm(draws=19, splits=20, level=0.05), 4)
    0.0037
    """
    validate.integer("draws", draws, low=1)
    validate.integer("splits", splits, low=1)
    level = validate.fraction("level", level)
    score = -np.log(np.arange(1, draws + 2) / (draws + 1))
    law, grid = _law_of_sum([score] * splits)
    return float(law[math.ceil(stats.chi2.isf(level, 2 * splits) / 2 / grid) :].sum())


def _mid_p_scores(distances: Sequence[float]) -> np.ndarray:
    """``-ln`` of the mid-p-value of each distance among all of them, shape (1 + J,)."""
    values = np.asarray(distances, dtype=float)
    if values.ndim != 1 or not values.size or np.isnan(values).any():
        raise ValueError(
            f"splits must be arrays of shape (1 + J,) without NaN, got shape {values.shape}"
        )
    order = np.argsort(-values, kind="stable")
    # equal distances share a place
    place = np.concatenate([[0], np.cumsum(-np.diff(values[order]) > TIE)])
    ties = np.bincount(place)
    mid = (np.cumsum(ties) - ties / 2) / values.size
    scores = np.empty(values.size)
    scores[order] = -np.log(mid)[place]
    return scores


def _law_of_sum(scores: Sequence[np.ndarray]) -> tuple[np.ndarray, float]:
    """The law of a sum of variables, each uniform on its own scores, and the step of its grid."""
    grid = max(1.0, sum(float(score.max()) for score in scores)) / _STEPS
    law = np.ones(1)
    for score in scores:
        steps, counts = np.unique(np.rint(score / grid).astype(int), return_counts=True)
        before, law = law, np.zeros(law.size + int(steps[-1]))
        for step, count in zip(steps, counts, strict=True):
            law[step : step + before.size] += before * (count / score.size)
    return law, grid
