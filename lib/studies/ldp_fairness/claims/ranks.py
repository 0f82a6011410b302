"""Measures for the claims of the LDP paper on which protocol is best: order by mean score, or by
mean rank.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from lib.fairness import FAIR, FAIRNESS
from lib.ledger.measures import measures_of
from lib.ledger.rules import Evidence
from lib.studies.ldp_fairness.claims.results import (
    GRID,
    UTILITY,
    middle,
    private_cells,
    read,
    resamples,
    score,
)
from lib.studies.ldp_fairness.names import title


def _scores(dataset, metrics: Sequence[str], distance: bool, **which: Any) -> pd.Series:
    """Mean score of each protocol, over the budgets and splits of a run, for runs that have all
    cells.
    """
    frame = private_cells(dataset, **which)
    size = frame.groupby(["dataset", "run"])["run"].transform("size")
    frame = frame[size == size.groupby(frame["dataset"]).transform("max")]
    table = frame.assign(value=score(frame, metrics, distance))
    return table.groupby(["dataset", "run", "protocol"])["value"].mean()


def _tables(scores: pd.Series) -> dict[str, pd.DataFrame]:
    """The scores of each data set, a row for each run and a column for each protocol."""
    return {d: own.droplevel("dataset").unstack("protocol") for d, own in scores.groupby("dataset")}


def placed(
    dataset,
    protocol: str,
    metrics: Sequence[str],
    place: str,
    *,
    distance: bool = False,
    never: bool = False,
    auc: str = "labels",
    **which: Any,
) -> Evidence:
    """Share of data sets where the protocol is ``"first"`` or ``"last"`` of the seven by its mean
    score; is not, if ``never``.

    The interval resamples runs.
    """
    sign = {"first": 1, "last": -1}[place]
    scores = _tables(sign * _scores(dataset, read(metrics, auc), distance, **which))

    def hit(means: pd.Series) -> bool:
        return (means.index[means.argmax()] == protocol) != never

    words = "; ".join(f"{title(d)}: {_order(s)}" for d, s in scores.items())
    return _resampled(hit, scores, words)


def _order(scores: pd.DataFrame) -> str:
    """The protocol with the best mean, and how far the next is."""
    mean = scores.mean().sort_values(ascending=False)
    return f"{mean.index[0]}, {mean.iloc[0] - mean.iloc[1]:.4f} beyond {mean.index[1]}"


def _means(table: pd.DataFrame, picks: np.ndarray | slice = slice(None)) -> pd.Series:
    """Mean of each protocol over the runs picked."""
    return pd.Series(table.to_numpy()[picks].mean(axis=0), table.columns)


def _resampled(
    hit: Callable[[pd.Series], bool], tables: dict[str, pd.DataFrame], words: str
) -> Evidence:
    """Share of the tables (runs x protocols) whose means ``hit``, with its interval over
    resampled runs, the same for all tables.
    """
    runs = min(len(t) for t in tables.values())
    value = float(np.mean([hit(_means(t)) for t in tables.values()]))
    low = high = math.nan
    if runs > 1:
        shares = [np.mean([hit(_means(t, p)) for t in tables.values()]) for p in resamples(runs)]
        low, high = middle(shares)
    return Evidence(value, low, high, runs, "real data", detail=words)


def best_two(dataset, protocols: Sequence[str], *, auc: str = "labels", **which: Any) -> Evidence:
    """Share of data sets where exactly these are first by mean rank over the fairness and the
    utility metrics.

    The interval resamples runs. The detail says who is first, and in how many data sets they would
    be by utility or by fairness alone.
    """
    useful = read(UTILITY, auc)
    ranks = {
        m: _scores(dataset, [m], m in FAIR, **which)
        .groupby(["dataset", "run"])
        .rank(ascending=False)
        for m in (*useful, *FAIRNESS)
    }

    def mean_rank(metrics: Sequence[str]) -> dict[str, pd.DataFrame]:
        return _tables(sum(ranks[m] for m in metrics) / len(metrics))

    def hit(means: pd.Series) -> bool:
        return set(means.index[means.argsort(kind="stable")[: len(protocols)]]) == set(protocols)

    both = mean_rank(list(ranks))
    first = {d: t.mean().nsmallest(len(protocols)).index for d, t in both.items()}
    words = "; ".join(f"{title(d)}: {', '.join(names)}" for d, names in first.items())
    for alone, metrics in (("; by utility", useful), (", by fairness", FAIRNESS)):
        hits = [hit(_means(t)) for t in mean_rank(metrics).values()]
        words += f"{alone} alone in {sum(hits)} of {len(hits)}"
    return _resampled(hit, both, words)


MEASURES = measures_of(__name__, GRID)
