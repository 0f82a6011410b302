"""The second verdict of an audit: coherence at each alpha that was asked for (Definition 2), beside
the test of dependence.

The two are different questions. A release may move everybody's predictions a
little: the people behind it are then told apart beyond chance, and no split
is more than alpha apart. And small groups may be more than a small alpha
apart by chance alone, although the predictions depend on nobody.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from lib.audit.request import Request
from lib.coherence.experiment import Result

__all__ = [
    "NOT_MET",
    "MET",
    "UNDECIDED",
    "ONE_SPLIT",
    "coherence_verdicts",
    "overall",
    "splits_needed",
]

NOT_MET, MET, UNDECIDED, ONE_SPLIT = "not met", "met by this learner", "undecided", "one split"
_LEVEL = 0.95  # of all learners' intervals together, at one alpha


def coherence_verdicts(request: Request, results: Mapping[str, Result]) -> pd.DataFrame:
    """For each alpha and learner: in what share of the splits is some group more than alpha apart?

    Returns
    -------
    DataFrame
        ``alpha, learner, exceeding, splits, share, low, high, verdict, group, distance``. The
        Clopper-Pearson limits hold for all learners together with 95% (Bonferroni). The verdict is
        "not met" if ``low > beta``, "met by this learner" if ``high <= beta``, else "undecided".
        ``group`` has the largest mean ``distance``. A finished release has one split and so no
        share: NaN, and the verdict "one split".
    """
    level, rows = 1 - (1 - _LEVEL) / len(results), []
    for alpha in request.alphas:
        for name, result in results.items():
            summary = result.summary().dropna(subset="distance")
            worst = (
                summary.loc[summary["distance"].idxmax()]
                if len(summary)
                else {"group": "", "distance": math.nan}
            )
            row = {
                "alpha": alpha,
                "learner": name,
                "exceeding": 0,
                "splits": 1,
                "share": math.nan,
                "low": math.nan,
                "high": math.nan,
                "verdict": ONE_SPLIT,
                "group": worst["group"],
                "distance": worst["distance"],
            }
            if request.mode != "release":
                row |= _share(result, alpha, request.beta, level)
            rows.append(row)
    return pd.DataFrame(rows)


def _share(result: Result, alpha: float, beta: float, level: float) -> dict[str, object]:
    share, low, high = result.beta(alpha, level=level)
    splits = result.rows.dropna(subset="distance")["split"].nunique()
    verdict = NOT_MET if low > beta else MET if high <= beta else UNDECIDED
    return {
        "exceeding": round(share * splits) if splits else 0,
        "splits": splits,
        "share": share,
        "low": low,
        "high": high,
        "verdict": verdict,
    }


def overall(verdicts: pd.Series) -> str:
    """One verdict of several learners at one alpha: one that fails decides; all must be within
    for "met".
    """
    found = set(verdicts)
    return next((verdict for verdict in (ONE_SPLIT, NOT_MET, UNDECIDED) if verdict in found), MET)


def splits_needed(beta: float, learners: int) -> int:
    """Splits without one that exceeds alpha from which on the verdict is "met": ``(1 -
    beta)^splits <= tail``.
    """
    tail = (1 - _LEVEL) / learners / 2
    return math.ceil(math.log(tail) / math.log1p(-beta))
