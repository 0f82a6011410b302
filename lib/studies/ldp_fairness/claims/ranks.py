"""Measures for the claims of the LDP paper on which protocol is best: order by mean score, or by
mean rank.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from lib.fairness import FAIR, FAIRNESS
from lib.ledger.rules import Evidence
from lib.rng import stream
from lib.studies.ldp_fairness.claims.results import (
    DRAWS,
    NOTHING,
    UTILITY,
    cells_of,
    lacks_some,
    read,
    score,
)


def _scores(grid: str, dataset, metrics: Sequence[str], distance: bool) -> pd.Series | None:
    """Mean score of each protocol, over the budgets and splits of a run, for runs that have all
    cells.
    """
    frame = cells_of(grid, dataset)
    if lacks_some(frame, dataset):
        return None
    frame = frame[frame["protocol"] != "NonDP"]
    size = frame.groupby(["dataset", "run"])["run"].transform("size")
    frame = frame[size == size.groupby(frame["dataset"]).transform("max")]
    table = frame.assign(value=score(frame, metrics, distance))
    return table.groupby(["dataset", "run", "protocol"])["value"].mean()


def placed(
    dataset,
    protocol: str,
    metrics: Sequence[str],
    place: str,
    *,
    distance: bool = False,
    never: bool = False,
    grid: str = "ldp_main",
    auc: str = "labels",
) -> Evidence:
    """Share of data sets where the protocol is ``"first"`` or ``"last"`` of the seven by its mean
    score; is not, if ``never``.

    The interval resamples runs.
    """
    table = _scores(grid, dataset, read(metrics, auc), distance)
    if table is None:
        return NOTHING
    sign = {"first": 1, "last": -1}[place]
    scores = {
        d: sign * part.droplevel("dataset").unstack("protocol")
        for d, part in table.groupby("dataset")
    }
    words = "; ".join(f"{d}: {_order(s)}" for d, s in scores.items())

    def hit(scores: pd.DataFrame, picks: np.ndarray) -> bool:
        return (scores.columns[scores.to_numpy()[picks].mean(axis=0).argmax()] == protocol) != never

    return _resampled(hit, scores, words)


def _order(scores: pd.DataFrame) -> str:
    """The protocol with the best mean, and how far the next is."""
    mean = scores.mean().sort_values(ascending=False)
    return f"{mean.index[0]}, {mean.iloc[0] - mean.iloc[1]:.4f} beyond {mean.index[1]}"


def _resampled(
    hit: Callable[[pd.DataFrame, np.ndarray], bool], tables: dict[str, pd.DataFrame], words: str
) -> Evidence:
    """Share of the tables (runs x protocols) that ``hit``, with its interval over resampled
    runs, the same for all tables.
    """
    runs = min(len(t) for t in tables.values())
    value = float(np.mean([hit(t, np.arange(len(t))) for t in tables.values()]))
    low = high = math.nan
    if runs > 1:
        picks = stream(1, "bootstrap over runs").integers(0, runs, (DRAWS, runs))
        shares = [np.mean([hit(t, p) for t in tables.values()]) for p in picks]
        low, high = (float(v) for v in np.quantile(shares, (0.025, 0.975)))
    return Evidence(value, low, high, runs, "real data", detail=words)


def best_two(
    dataset, protocols: Sequence[str], *, grid: str = "ldp_main", auc: str = "labels"
) -> Evidence:
    """Share of data sets where exactly these are first by mean rank over the fairness and the
    utility metrics.

    The interval resamples runs. The detail says who is first, and in how many data sets they would
    be by utility or by fairness alone.
    """
    useful = read(UTILITY, auc)
    ranks = {m: _scores(grid, dataset, [m], m in FAIR) for m in (*useful, *FAIRNESS)}
    if any(r is None for r in ranks.values()):
        return NOTHING
    ranks = {m: r.groupby(["dataset", "run"]).rank(ascending=False) for m, r in ranks.items()}
    count = len(protocols)
    means = {
        words: {
            d: m.droplevel("dataset").unstack("protocol")
            for d, m in (sum(ranks[m] for m in metrics) / len(metrics)).groupby("dataset")
        }
        for words, metrics in (("", list(ranks)), ("utility", useful), ("fairness", FAIRNESS))
    }

    def hit(table: pd.DataFrame, picks: np.ndarray) -> bool:
        first = table.to_numpy()[picks].mean(axis=0).argsort(kind="stable")[:count]
        return set(table.columns[first]) == set(protocols)

    first = {d: list(t.mean().nsmallest(count).index) for d, t in means[""].items()}
    words = "; ".join(f"{d}: {', '.join(names)}" for d, names in first.items())
    alone = {
        w: [hit(t, np.arange(len(t))) for t in means[w].values()] for w in ("utility", "fairness")
    }
    words += "; " + ", ".join(
        f"by {w} alone in {sum(hits)} of {len(hits)}" for w, hits in alone.items()
    )
    return _resampled(hit, means[""], words)


MEASURES: dict[str, Callable[..., Evidence]] = {f.__name__: f for f in (placed, best_two)}
