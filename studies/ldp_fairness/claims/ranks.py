"""Measures for the claims of the LDP paper on which protocol is best: order by mean score, or by
mean rank.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from lib.fairness import FAIR, FAIRNESS
from lib.ldp import PROTOCOLS
from lib.ledger.rules import Evidence
from lib.stats.summary import RELATIVE, merge_ties, ranks
from studies.ldp_fairness.evidence import GRID, TEST_PER_TRAIN, UTILITY, private_cells, read, score
from studies.ldp_fairness.names import title
from studies.measures import measures_of, share_of_cases


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

    The interval resamples runs. Who shares the place does not have it.
    """
    sign = {"first": 1, "last": -1}[place]
    scores, words = _tables(sign * _scores(dataset, read(metrics, auc), distance, **which)), []
    for name, own in scores.items():
        mean = own.mean().sort_values(ascending=False, kind="stable")
        ahead = f"{mean.iloc[0] - mean.iloc[1]:.4f} beyond {mean.index[1]}"
        words.append(f"{title(name)}: {mean.index[0]}, {ahead}")

    def holds(means: np.ndarray) -> np.ndarray:
        return _beyond(means, [protocol]) != never

    return _share(holds, scores, "; ".join(words))


def _beyond(means: np.ndarray, protocols: Sequence[str]) -> np.ndarray:
    """Whether each of these protocols (the last axis) lies above all others, by more than last
    bits.
    """
    chosen = np.isin(sorted(PROTOCOLS), protocols)
    lead = means[..., chosen].min(axis=-1) - means[..., ~chosen].max(axis=-1)
    return lead > RELATIVE * np.abs(means).max(axis=-1)


def _share(
    holds: Callable[[np.ndarray], np.ndarray], tables: dict[str, pd.DataFrame], words: str = ""
) -> Evidence:
    """Share of the tables (runs x protocols) whose means ``hold``, with its interval over runs."""
    runs = min(len(table) for table in tables.values())
    cases = [table.iloc[:runs][sorted(PROTOCOLS)].to_numpy().T for table in tables.values()]
    return share_of_cases(np.stack(cases), holds, ratio=TEST_PER_TRAIN, detail=words)


def best_two(dataset, protocols: Sequence[str], *, auc: str = "labels", **which: Any) -> Evidence:
    """Share of data sets where exactly these are first by mean rank over the fairness and the
    utility metrics.

    The interval resamples runs. The detail says who is first, and in how many data sets they would
    be by utility or by fairness alone.
    """
    useful = read(UTILITY, auc)
    placed_by = {
        m: _scores(dataset, [m], m in FAIR, **which)
        .groupby(["dataset", "run"])
        .transform(lambda of_run: ranks(-of_run.to_numpy()))
        for m in (*useful, *FAIRNESS)
    }

    def mean_rank(metrics: Sequence[str]) -> dict[str, pd.DataFrame]:
        return _tables(sum(placed_by[m] for m in metrics) / len(metrics))

    def holds(means: np.ndarray) -> np.ndarray:
        return _beyond(-means, protocols)

    both, first = mean_rank(list(placed_by)), []
    for name, table in both.items():  # those that are tied in their order
        order = np.argsort(merge_ties(table.mean().to_numpy()), kind="stable")
        first.append(f"{title(name)}: {', '.join(table.columns[order[: len(protocols)]])}")
    words = "; ".join(first)
    for alone, metrics in (("; by utility", useful), (", by fairness", FAIRNESS)):
        tables = mean_rank(metrics)
        held = _share(holds, tables).value * len(tables)
        words += f"{alone} alone in {held:.0f} of {len(tables)}"
    return _share(holds, both, words)


MEASURES = measures_of(__name__, GRID)
