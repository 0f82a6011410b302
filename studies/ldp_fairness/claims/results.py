"""Measures for the claims of the LDP paper that read the stored grids. Each returns an
:class:`Evidence`; :mod:`studies.ldp_fairness.evidence` says of which cells and runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from lib.fairness import FAIR, FAIRNESS
from lib.ledger.rules import Evidence, largest_rest
from lib.stats.summary import run_means
from studies.ldp_fairness.evidence import (
    GRID,
    LAST_BITS,
    TEST_PER_TRAIN,
    UTILITY,
    cells_of,
    changes,
    largest,
    over_runs,
    private_cells,
    read,
    score,
    share_above,
)
from studies.ldp_fairness.names import metric_name
from studies.ldp_fairness.summary import CURVE
from studies.measures import measures_of, share_of_cases

PER_METRIC = (*CURVE, "metric")
# grids whose baselines agree with those that the authors stored to the last bit
OWN_RUNS = (GRID, "ldp_printed", "ldp_rounded", "authors")


def nondp(dataset: str, metric: str, **which: Any) -> Evidence:
    """The metric of the baseline, whose runs are the paper's own: the same splits and forests."""
    own = which.get("grid", GRID) in OWN_RUNS
    return over_runs(cells_of(dataset, **which).query("protocol == 'NonDP'")[metric], own_runs=own)


def level(dataset: str, metric: str, epsilon: float, **which: Any) -> Evidence:
    """The metric under LDP at one budget, averaged over protocols and splits; the reference is
    NonDP.
    """
    per_run = run_means(private_cells(dataset, epsilon=epsilon, **which), metric)
    return over_runs(per_run, reference=nondp(dataset, metric, **which).value)


def change(
    dataset, metric: str, *, distance: bool = False, sign: int = 1, **which: Any
) -> Evidence:
    """Paired change against NonDP, averaged over the cells asked for; of the distance from
    fairness if ``distance``.
    """
    long = changes(dataset, [metric], distance=distance, **which)
    way = "comes closer to" if sign < 0 else "moves away from"
    words = f"{metric} {way} {FAIR[metric]:g}" if distance else ""
    return over_runs(sign * run_means(long, "difference"), detail=words)


def largest_change(
    dataset, metrics: Sequence[str] = UTILITY, *, auc: str = "labels", **which: Any
) -> Evidence:
    """The largest in size of the metrics' mean changes; the bounds enclose the intervals of all of
    them.

    "All metrics are within the margin" holds only if each interval is, so the
    enclosing bounds are what the margin is held against: no correction is needed.
    """
    return largest({m: change(dataset, m, **which) for m in read(metrics, auc)})


def largest_left(dataset, metrics: Sequence[str], *, before: float, **which: Any) -> Evidence:
    """The metric's mean change at ``epsilon`` that is largest beside what may be left; the
    reference is its change at ``before``.

    What may be left is a tenth of that change, or one unit of the printed decimals (.01).
    """
    found = {}
    for m in metrics:
        there = change(dataset, m, **which | {"epsilon": before}).value
        own = change(dataset, m, **which)
        found[m] = replace(own, p=math.nan, p_opposite=math.nan, reference=there)
    name = max(found, key=lambda m: abs(found[m].value) / largest_rest(found[m], 0.01, 0.1))
    words = f"in {metric_name(name)}, whose change at epsilon {before:g} is"
    return replace(found[name], detail=f"{words} {found[name].reference:.3f}")


def share_improved(
    dataset,
    metrics: Sequence[str] = FAIRNESS,
    *,
    worse: bool = False,
    by: Sequence[str] = PER_METRIC,
    **which: Any,
) -> Evidence:
    """Share of cells whose mean over runs comes closer to the fair value than NonDP's (moves away
    if ``worse``).

    A cell is a metric, data set, protocol, split and budget; with a shorter
    ``by``, the differences of what is left out are averaged first.
    """
    away = run_means(changes(dataset, metrics, distance=True, **which), "difference", by)
    return share_above((away if worse else -away).unstack("run"))


def small_losses(
    dataset, margin: float, metrics: Sequence[str] = UTILITY, *, auc: str = "labels", **which: Any
) -> Evidence:
    """Share of cells (metric, data set, protocol, split, budget) that lose less than ``margin``
    on average.
    """
    change = run_means(changes(dataset, read(metrics, auc), **which), "difference", PER_METRIC)
    return share_above(change.unstack("run"), -margin, words=f" against {-margin:g}")


def _gains(dataset, metrics: Sequence[str], distance: bool, **which: Any) -> pd.DataFrame:
    """k-based minus uniform, one row a (run, data set, protocol, epsilon); positive is better."""
    frame = private_cells(dataset, **which)
    frame = frame.assign(value=score(frame, metrics, distance))
    keys = ["run", "dataset", "protocol", "epsilon"]
    wide = frame.pivot_table(index=keys, columns="split", values="value").dropna().reset_index()
    return wide.assign(gain=wide["k-based"] - wide["uniform"])


def split_gain(
    dataset,
    metrics: Sequence[str],
    *,
    distance: bool = False,
    sign: int = 1,
    auc: str = "labels",
    **which: Any,
) -> Evidence:
    """k-based minus uniform, averaged over metrics, protocols and budgets inside each run; positive
    is better.

    With ``distance``: how much closer to fairness k-based is. ``sign=-1`` asks for uniform minus
    k-based.
    """
    metrics = read(metrics, auc)
    words = f"mean {'distance from fairness' if distance else 'score'} over "
    words += ", ".join(map(metric_name, metrics))
    return over_runs(
        sign * run_means(_gains(dataset, metrics, distance, **which), "gain"), detail=words
    )


def largest_split_gain(
    dataset, metrics: Sequence[str], *, auc: str = "labels", **which: Any
) -> Evidence:
    """The largest in size of the metrics' mean gains, with bounds that enclose the intervals of
    all of them.
    """
    return largest({m: split_gain(dataset, [m], **which) for m in read(metrics, auc)})


def split_share(
    dataset,
    *,
    utility: bool = True,
    auc: str = "labels",
    by: Sequence[str] = ("metric", "dataset", "protocol", "epsilon"),
    **which: Any,
) -> Evidence:
    """Share of cells (metric, data set, protocol, budget) where k-based does better than
    uniform; of fairness alone if not ``utility``.

    With a shorter ``by``, the gains of what is left out are averaged first.
    """
    metrics = (*FAIRNESS, *read(UTILITY, auc)) if utility else FAIRNESS
    found = pd.concat(_gains(dataset, [m], m in FAIR, **which).assign(metric=m) for m in metrics)
    return share_above(run_means(found, "gain", by).unstack("run"))


def group_gap(
    dataset: str, group: int, metric: str = "acc", *, private: bool = True, **which: Any
) -> Evidence:
    """``metric`` inside group ``group`` (0 or 1) of the protected attribute minus that in the other
    one.

    Under LDP, averaged over protocols, splits and budgets; of NonDP if not ``private``.
    """
    frame, words = cells_of(dataset, **which), ""
    frame = frame[(frame["protocol"] != "NonDP") == private]
    gap = frame[f"{metric}_{group}"] - frame[f"{metric}_{1 - group}"]
    if private:
        without = group_gap(dataset, group, metric, private=False, **which)
        words = f"without privacy {without.value:+.3f}"
    return over_runs(gap.groupby(frame["run"]).mean(), detail=words)


def drops_later(
    dataset: str,
    margin: float,
    metrics: Sequence[str] = UTILITY,
    *,
    auc: str = "labels",
    **which: Any,
) -> Evidence:
    """Share of the metrics that fall by ``margin`` or more only at smaller budgets under k-based
    than under uniform.

    The fall is that of the mean over protocols and runs. A metric counts if the largest budget at
    which it has fallen is smaller under k-based (or there is none), and it has fallen at some
    budget under uniform.
    """
    metrics = read(metrics, auc)
    keys = ["metric", "split", "epsilon"]
    long = run_means(changes(dataset, metrics, **which), "difference", keys).unstack("run")
    budgets = np.sort(long.index.get_level_values("epsilon").unique())
    order = pd.MultiIndex.from_product([metrics, ["uniform", "k-based"], budgets], names=keys)
    runs = long.reindex(order).to_numpy().reshape(len(metrics), 2 * budgets.size, -1)

    def last(means: np.ndarray) -> np.ndarray:
        fallen = means.reshape(*means.shape[:-1], 2, budgets.size) <= LAST_BITS - margin
        return np.where(fallen, budgets, 0.0).max(axis=-1)

    found = share_of_cases(
        runs, lambda means: last(means)[..., 1] < last(means)[..., 0], ratio=TEST_PER_TRAIN
    )
    words = ", ".join(
        f"{metric_name(m)} up to epsilon {u:g} and {k:g}"
        for m, (u, k) in zip(metrics, last(runs.mean(axis=-1)), strict=True)
    )
    words = f"falls by {margin:g} or more under uniform and k-based: {words} (0: nowhere)"
    return replace(found, detail=words)


MEASURES = measures_of(__name__, GRID)
