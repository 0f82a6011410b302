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

    def hit(names: Sequence[str], means: np.ndarray) -> bool:
        return (names[int(means.argmax())] == protocol) != never

    words = "; ".join(f"{title(d)}: {_order(s)}" for d, s in scores.items())
    return _resampled(hit, scores, words)


def _order(scores: pd.DataFrame) -> str:
    """The protocol with the best mean, and how far the next is."""
    mean = scores.mean().sort_values(ascending=False, kind="stable")
    return f"{mean.index[0]}, {mean.iloc[0] - mean.iloc[1]:.4f} beyond {mean.index[1]}"


Hit = Callable[[Sequence[str], np.ndarray], bool]  # of the protocols and their means


def _hits(hit: Hit, tables: dict[str, pd.DataFrame]) -> Callable[..., list[bool]]:
    """Whether the means of each table (runs x protocols) ``hit``, as a function of the runs."""
    plain = [(list(table.columns), table.to_numpy()) for table in tables.values()]
    return lambda runs=slice(None): [hit(names, x[runs].mean(axis=0)) for names, x in plain]


def _resampled(hit: Hit, tables: dict[str, pd.DataFrame], words: str) -> Evidence:
    """Share of the tables (runs x protocols) whose means ``hit``, with its interval over
    resampled runs, the same for all tables.
    """
    runs, hits = min(len(t) for t in tables.values()), _hits(hit, tables)
    value, low, high = float(np.mean(hits())), math.nan, math.nan
    if runs > 1:
        low, high = middle([np.mean(hits(picks)) for picks in resamples(runs)])
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

    def hit(names: Sequence[str], means: np.ndarray) -> bool:
        best = means.argsort(kind="stable")[: len(protocols)]
        return {names[i] for i in best} == set(protocols)

    both = mean_rank(list(ranks))
    first = {d: t.mean().nsmallest(len(protocols)).index for d, t in both.items()}
    words = "; ".join(f"{title(d)}: {', '.join(names)}" for d, names in first.items())
    for alone, metrics in (("; by utility", useful), (", by fairness", FAIRNESS)):
        hits = _hits(hit, mean_rank(metrics))()
        words += f"{alone} alone in {sum(hits)} of {len(hits)}"
    return _resampled(hit, both, words)


MEASURES = measures_of(__name__, GRID)
