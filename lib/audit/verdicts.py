"""The two verdicts of an audit: dependence, and coherence at each alpha asked for (Definition 2).

The two are different questions. A release may move everybody's predictions a little: the people
behind it are then told apart beyond chance, and no split is more than alpha apart. And small groups
may be more than a small alpha apart by chance alone, although the predictions depend on nobody.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from lib.audit.power import Rule, least_share
from lib.audit.reading import TARGET
from lib.audit.request import Request
from lib.audit.table import Table
from lib.coherence.experiment import Result
from lib.rng import stream
from lib.stats.holm import holm

NOT_MET, MET, UNDECIDED, ONE_SPLIT = "not met", "met by this learner", "undecided", "one split"
# the rows of people in the table, who of them is inside, and predictions of them
Predicted = tuple[np.ndarray, np.ndarray, np.ndarray]
_LEVEL = 0.95  # of all learners' intervals together, at one alpha


def dependence_verdicts(request: Request, table: Table, p: Mapping[str, Mapping]) -> pd.DataFrame:
    """The verdicts of dependence, from the p-value of each learner and group."""
    sizes = {group: who.sum() for group, who in table.members.items()}
    rows = [(name, group, n, p[name][group]) for name in p for group, n in sizes.items()]
    verdicts = pd.DataFrame(rows, columns=["learner", "group", "n", "p"])
    return adjusted(verdicts, request.false_alarm)


def adjusted(verdicts: pd.DataFrame, false_alarm: float) -> pd.DataFrame:
    """The rows with ``adjusted``, Holm's p-value over all of them, and ``flagged``."""
    p = holm(verdicts["p"])
    return verdicts.assign(adjusted=p, flagged=p <= false_alarm)


def reshufflings(request: Request, tests: int) -> int:
    """How many a test takes, so that it can flag after Holm's correction."""
    if request.mode == "release":
        return math.ceil(4 * tests / request.false_alarm)
    draws = 20
    # enough that a leak seen in every split, which has the least p of combined_p, can be flagged
    while tests * (draws + 1.0) ** -request.splits > request.false_alarm / 4:
        draws *= 2
    return draws


def least_shares(
    request: Request, table: Table, tests: int, tested: Mapping[str, Predicted]
) -> dict[str, float]:
    """The :func:`~lib.audit.power.least_share` that the learners together find in each group."""
    rows, inside, _ = next(iter(tested.values()))
    own = 2.0 * table.frame[TARGET].to_numpy()[rows] - 1
    rule = Rule(request.false_alarm / tests, request.releases, reshufflings(request, tests))
    shares = {}
    for group, who in table.members.items():
        mine = who[rows]
        h = {name: values[mine] for name, (_, _, values) in tested.items()}
        rng, design = stream(request.seed, "power", group), table.design.of(rows[mine])
        shares[group] = least_share(h, own[mine], inside[mine], rule, rng, design)
    return shares


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
    farthest = {}
    for name, result in results.items():
        groups = result.summary().set_index("group")["distance"].dropna()
        group, distance = (groups.idxmax(), groups.max()) if len(groups) else ("", math.nan)
        farthest[name] = {"group": group, "distance": distance}
    return pd.DataFrame(
        [
            {"alpha": alpha, "learner": name}
            | _share(request, result, alpha, 1 - (1 - _LEVEL) / len(results))
            | farthest[name]
            for alpha in request.alphas
            for name, result in results.items()
        ]
    )


def _share(request: Request, result: Result, alpha: float, level: float) -> dict[str, object]:
    splits, share, low, high, verdict = 1, math.nan, math.nan, math.nan, ONE_SPLIT
    if request.mode != "release":
        splits = result.rows.dropna(subset="distance")["split"].nunique()
        share, low, high = result.beta(alpha, level=level)
        verdict = NOT_MET if low > request.beta else MET if high <= request.beta else UNDECIDED
    return {
        "exceeding": 0 if math.isnan(share) else round(share * splits),
        "splits": splits,
        "share": share,
        "low": low,
        "high": high,
        "verdict": verdict,
    }


def overall(verdicts: pd.Series) -> str:
    """One verdict of several learners at one alpha: "not met" by one decides, "met" needs all.

    Examples
    --------
    >>> overall(pd.Series([MET, NOT_MET]))
    'not met'
    """
    given = set(verdicts)
    return next((verdict for verdict in (ONE_SPLIT, NOT_MET, UNDECIDED) if verdict in given), MET)


def splits_needed(beta: float, learners: int) -> int:
    """Splits without one that exceeds alpha from which on the verdict is "met".

    The least number with ``(1 - beta)^splits <= tail``, the level's share of one learner.

    Examples
    --------
    >>> splits_needed(0.05, learners=1)
    72
    """
    tail = (1 - _LEVEL) / learners / 2
    return math.ceil(math.log(tail) / math.log1p(-beta))
