"""Evidence on the LDP paper's claims that read the stored grids: which cells are asked, and what
their changes from the baseline amount to.

An average over protocols, splits or budgets is taken inside each run first;
the interval and the test are over runs, which are independent. A share of
cells gets its interval from runs that are drawn again, and its detail counts the cells that
are clear after Holm's correction within the claim.

What a measure is asked of is named by ``grid``, ``dataset``, and where it takes them
``protocol``, ``split`` and ``epsilon``: one value or several, all if not given. A grid that lacks
a data set that the claim speaks of raises :class:`NoResults`, which the ledger reads as not run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from lib import validate
from lib.fairness import FAIR
from lib.ldp import PROTOCOLS
from lib.ledger.rules import LEVEL, Evidence
from lib.runner import NoResults, results
from lib.stats.p_values import holm
from studies.ldp_fairness import rounding
from studies.ldp_fairness.authors import trainings
from studies.ldp_fairness.names import metric_name
from studies.ldp_fairness.summary import CURVE, differences
from studies.ldp_fairness.summary import distance as from_fair
from studies.measures import mean_of_runs, share_of_cases

GRID = "ldp_main"  # what is read where a measure is asked of no other grid
UTILITY = ("acc", "f1", "auc", "recall")
# what "auc" means: the published one was taken of hard labels
AUC = {"labels": "balanced_accuracy", "scores": "auc"}
_FRAMES = rounding.FRAMES | {
    "authors": partial(trainings, "table2"),
    "authors_appendix": partial(trainings, "random"),
}
LAST_BITS = 1e-9  # of a mean difference that is 0, and of the spread of equal ones
TEST_PER_TRAIN = 0.2 / 0.8  # of the splits: runs share most of their rows

over_runs = partial(mean_of_runs, ratio=TEST_PER_TRAIN)


@cache
def _grid(name: str) -> pd.DataFrame:
    return _FRAMES[name]() if name in _FRAMES else results(name)


def read(metrics: Sequence[str], auc: str = "labels") -> tuple[str, ...]:
    """The metrics with "auc" read as ``"labels"`` (as published: the balanced accuracy) or
    ``"scores"`` have it.
    """
    validate.choice("auc", auc, AUC)
    return tuple(AUC[auc] if m == "auc" else m for m in metrics)


def cells_of(
    dataset, *, grid: str = GRID, protocol=PROTOCOLS, split=None, epsilon=None
) -> pd.DataFrame:
    """Cells that fit, with the baselines of their data sets; ``NoResults`` if a data set has no
    LDP cell.
    """
    frame, names = _grid(grid), np.atleast_1d(dataset)
    frame = frame[frame["dataset"].isin(names)]
    base = frame["protocol"] == "NonDP"
    fits = ~base
    for column, asked in (("protocol", protocol), ("split", split), ("epsilon", epsilon)):
        if asked is not None:
            fits &= frame[column].isin(np.atleast_1d(asked))
    if not set(names) <= set(frame.loc[fits, "dataset"].unique()):
        raise NoResults(f"{grid} does not have every data set of {dataset}")
    return frame[fits | base]


def private_cells(dataset, **which: Any) -> pd.DataFrame:
    """The cells of :func:`cells_of` without the baselines."""
    return cells_of(dataset, **which).query("protocol != 'NonDP'")


def changes(
    dataset, metrics: Sequence[str], *, distance: bool = False, **which: Any
) -> pd.DataFrame:
    """``difference`` from the baseline of each cell, run and metric; of the distance from
    fairness if ``distance``.
    """
    # of some forty columns, each of which would be copied for each metric
    frame = cells_of(dataset, **which)[[*CURVE, "run", *metrics]]
    return pd.concat(
        differences(frame, m, FAIR[m] if distance else None).assign(metric=m) for m in metrics
    )


def score(frame: pd.DataFrame, metrics: Sequence[str], distance: bool) -> pd.Series:
    """Mean of the metrics, or minus the mean distance from fairness: more is better."""
    each = [-from_fair(frame, m, FAIR[m]) if distance else frame[m] for m in metrics]
    return sum(each) / len(metrics)


def share_above(wide: pd.DataFrame, threshold: float = 0.0, *, words: str = "") -> Evidence:
    """Share of rows (cells) of ``wide`` (cells x runs) whose mean over runs is above ``threshold``.

    Clear cells are counted at 5% after Holm, either way.
    """
    found = share_of_cases(
        wide.to_numpy(dtype=float),
        lambda means: means > threshold + LAST_BITS,
        ratio=TEST_PER_TRAIN,
    )
    detail = f"{len(wide)} cells{words}"
    if found.runs > 1:
        gap, error = wide.mean(axis=1) - threshold, wide.sem(axis=1)
        p = 2 * stats.t.sf((gap / error).abs(), wide.count(axis=1) - 1)
        # of a single run there is no spread
        clear = holm(np.where(wide.std(axis=1) > LAST_BITS, p, 1.0)) < LEVEL
        above, below = ((clear & side).sum() for side in (gap > 0, gap < 0))
        detail += f", {above} clearly above and {below} clearly below after Holm"
    return replace(found, detail=detail)


def largest(found: dict[str, Evidence]) -> Evidence:
    """The metric that is farthest from zero, with bounds for the largest size of all: no metric's
    interval reaches farther than the outer one, and one lies wholly beyond the inner one.
    """
    name, others = max(found, key=lambda m: abs(found[m].value)), list(found.values())
    value = found[name].value

    def bounds(ends: Sequence[tuple[float, float]]) -> tuple[float, float]:
        outer = max(max(-low, high) for low, high in ends)
        inner = max(max(low, -high, 0.0) for low, high in ends)
        return (inner, outer) if value >= 0 else (-outer, 0.0 - inner)

    words = f"largest in {metric_name(name)}; of {len(found)} metrics,"
    words += f" ±{max((e.high - e.low) / 2 for e in others):.3f} at most"
    wide = [e.overlap[:2] for e in others if e.overlap]
    return Evidence(
        value,
        *bounds([(e.low, e.high) for e in others]),
        min(e.runs for e in others),
        "real data",
        detail=words,
        overlap=(*bounds(wide), math.nan) if wide else None,
    )
