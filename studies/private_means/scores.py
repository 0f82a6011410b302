"""The scores of a cell: each metric of each method, over runs, and its gap to the plain method."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from lib.stats.summary import mean_interval

METHODS = ("COINPRESS", "StratCOINPRESS", "PubStratCOINPRESS")
SCORE = ("metric", "method", "mean", "low", "high", "gap", "gap_low", "gap_high")
Runs = Mapping[tuple[str, str], np.ndarray]  # values over runs, by metric and method


def scores_of(runs: Runs) -> list[dict[str, object]]:
    """A score for each metric and method: mean and 95% interval over runs, and those of the gap.

    The gap is the difference to plain COINPRESS, run by run, for a metric that both methods have.
    """
    found = []
    for (metric, method), x in runs.items():
        plain = runs.get((metric, METHODS[0]))
        gap = () if plain is None or method == METHODS[0] else x - plain
        values = metric, method, *mean_interval(x), *mean_interval(gap)
        found.append(dict(zip(SCORE, values, strict=True)))
    return found


def of_method(scores: pd.DataFrame, metric: str, method: str = METHODS[0]) -> pd.DataFrame:
    """The scores of one metric and method, one row a cell, indexed by the cell's key."""
    return scores[(scores["metric"] == metric) & (scores["method"] == method)].set_index("cell")


def by_method(scores: pd.DataFrame, metric: str, value: str = "mean") -> pd.DataFrame:
    """One row a cell: its fields, and ``value`` of a metric in a column for each method."""
    rows = scores[scores["metric"] == metric]
    fields = [c for c in rows if c not in ("cell", *SCORE)]
    return rows.pivot(index=["cell", *fields], columns="method", values=value).reset_index()
