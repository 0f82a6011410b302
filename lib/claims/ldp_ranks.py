"""Measures for the claims of the LDP paper on which protocol is best: order by mean score, or by mean rank."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from lib.claims.ldp import NOTHING, UTILITY, cells_of, lacks_some, score
from lib.claims.rules import Evidence
from lib.fairness import FAIR, FAIRNESS

__all__ = ["MEASURES"]


def _scores(grid: str, dataset, metrics: Sequence[str], distance: bool) -> pd.Series | None:
    """Mean score of each protocol, over the budgets and splits of a run, for runs that have all cells."""
    frame = cells_of(grid, dataset)
    if lacks_some(frame, dataset):
        return None
    frame = frame[frame["protocol"] != "NonDP"]
    size = frame.groupby(["dataset", "run"])["run"].transform("size")
    frame = frame[size == size.groupby(frame["dataset"]).transform("max")]
    table = frame.assign(value=score(frame, metrics, distance))
    return table.groupby(["dataset", "run", "protocol"])["value"].mean()


def placed(dataset, protocol: str, metrics: Sequence[str], place: str, *, distance: bool = False,
           grid: str = "ldp_main") -> Evidence:  # fmt: skip
    """Share of data sets where the protocol is ``"first"`` or ``"last"`` of the seven by its mean score."""
    table = _scores(grid, dataset, metrics, distance)
    if table is None:
        return NOTHING
    best = {"first": "idxmax", "last": "idxmin"}[place]
    found = table.groupby(["dataset", "protocol"]).mean().groupby("dataset").agg(best).map(lambda key: key[1])
    words = ", ".join(f"{d}: {name}" for d, name in found.items())
    runs = int(table.index.get_level_values("run").nunique())
    return Evidence(float((found == protocol).mean()), runs=runs, data="real data", detail=words)


def best_two(dataset, protocols: Sequence[str], *, grid: str = "ldp_main") -> Evidence:
    """Share of data sets where exactly these are first by mean rank over the fairness and the utility metrics.

    The detail says who is first, and in how many data sets they would be by utility or by fairness alone.
    """
    ranks = {m: _scores(grid, dataset, [m], m in FAIR) for m in (*UTILITY, *FAIRNESS)}
    if any(r is None for r in ranks.values()):
        return NOTHING
    ranks = {m: r.groupby(["dataset", "run"]).rank(ascending=False) for m, r in ranks.items()}
    first = {words: _first(ranks, metrics, len(protocols))
             for words, metrics in (("", ranks), ("utility", UTILITY), ("fairness", FAIRNESS))}  # fmt: skip
    hits = {words: [set(names) == set(protocols) for names in found.values()] for words, found in first.items()}
    words = "; ".join(f"{d}: {', '.join(names)}" for d, names in first[""].items())
    alone = ", ".join(f"by {w} alone in {sum(hits[w])} of {len(hits[w])}" for w in ("utility", "fairness"))
    runs = int(ranks["acc"].index.get_level_values("run").nunique())
    return Evidence(float(np.mean(hits[""])), runs=runs, data="real data", detail=f"{words}; {alone}")


def _first(ranks: dict[str, pd.Series], metrics: Sequence[str], count: int) -> dict[str, list[str]]:
    """The protocols with the best mean rank over ``metrics`` and runs, for each data set."""
    mean = (sum(ranks[m] for m in metrics) / len(metrics)).groupby(["dataset", "protocol"]).mean()
    return {d: list(m.droplevel(0).nsmallest(count).index) for d, m in mean.groupby("dataset")}


MEASURES: dict[str, Callable[..., Evidence]] = {f.__name__: f for f in (placed, best_two)}
