"""Measures for the claims of the LDP paper that read the stored grids. Each returns an
:class:`Evidence`.

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
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from lib import validate
from lib.fairness import FAIR, FAIRNESS
from lib.ldp import PROTOCOLS
from lib.ledger.measures import mean_of_runs, measures_of, share_of_cases
from lib.ledger.rules import LEVEL, Evidence, left
from lib.runner import NoResults, results
from lib.stats.holm import holm
from lib.stats.summary import run_means
from studies.ldp_fairness import authors
from studies.ldp_fairness import rounding as ldp_rounding
from studies.ldp_fairness.names import metric_name
from studies.ldp_fairness.summary import CURVE, differences
from studies.ldp_fairness.summary import distance as from_fair

GRID = "ldp_main"  # what is read where a measure is asked of no other grid
UTILITY = ("acc", "f1", "auc", "recall")
# what "auc" means: the published one was taken of hard labels
AUC = {"labels": "balanced_accuracy", "scores": "auc"}
DATA = ("adult", "acs_coverage", "lsac")
PER_METRIC = (*CURVE, "metric")
_FRAMES = {"authors": authors.main, "authors_appendix": authors.appendix}
# grids whose baselines agree with those that the authors stored to the last bit
OWN_RUNS = (GRID, "ldp_printed", "ldp_rounded", "authors")
_LAST_BITS = 1e-9  # of a mean difference that is 0, and of the spread of equal ones
TEST_PER_TRAIN = 0.2 / 0.8  # of the splits: runs share most of their rows


@cache
def _grid(name: str) -> pd.DataFrame:
    return (_FRAMES | ldp_rounding.FRAMES).get(name, lambda: results(name))()


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


def _changes(
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


def _evidence(per_run: pd.Series, words: str = "", **more: Any) -> Evidence:
    return mean_of_runs(per_run, TEST_PER_TRAIN, detail=words, **more)


def score(frame: pd.DataFrame, metrics: Sequence[str], distance: bool) -> pd.Series:
    """Mean of the metrics, or minus the mean distance from fairness: more is better."""
    each = [-from_fair(frame, m, FAIR[m]) if distance else frame[m] for m in metrics]
    return sum(each) / len(metrics)


def _share(wide: pd.DataFrame, threshold: float = 0.0, *, words: str = "") -> Evidence:
    """Share of rows (cells) of ``wide`` (cells x runs) whose mean over runs is above ``threshold``.

    Clear cells are counted at 5% after Holm, either way.
    """
    x = wide.to_numpy(dtype=float)
    found = share_of_cases(x, lambda means: means > threshold + _LAST_BITS, ratio=TEST_PER_TRAIN)
    if found.runs < 2:
        return replace(found, detail=f"{len(x)} cells{words}")
    above, below = _clear_cells(x - threshold)
    clear = f"{above} clearly above and {below} clearly below after Holm"
    return replace(found, detail=f"{len(x)} cells{words}, {clear}")


def _clear_cells(x: np.ndarray) -> tuple[int, int]:
    """How many rows have a mean clearly above, clearly below zero: two-sided t-tests, Holm over
    the rows.
    """
    n = (~np.isnan(x)).sum(axis=1)
    mean, freedom = np.nanmean(x, axis=1), np.maximum(n - 1, 1)
    # 0 for a single run, without a warning
    spread = np.sqrt(np.nansum((x - mean[:, None]) ** 2, axis=1) / freedom)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stats.t.sf(np.abs(mean * np.sqrt(n) / spread), freedom)
    clear = holm(np.where((n > 1) & (spread > _LAST_BITS), p, 1.0)) < LEVEL
    return int((clear & (mean > 0)).sum()), int((clear & (mean < 0)).sum())


def _largest(found: dict[str, Evidence]) -> Evidence:
    """The metric that is farthest from zero, with bounds for the largest size of all: no metric's
    interval reaches farther than the outer one, and one lies wholly beyond the inner one.
    """
    name, others = _farthest(found), list(found.values())
    worst = found[name]
    words = f"largest in {metric_name(name)}; of {len(found)} metrics,"
    words += f" ±{max((e.high - e.low) / 2 for e in others):.3f} at most"
    wide = [e.overlap[:2] for e in others if e.overlap]
    bounds = [_of_size(ends, worst.value) for ends in ([(e.low, e.high) for e in others], wide)]
    return Evidence(
        worst.value,
        *bounds[0],
        min(e.runs for e in others),
        "real data",
        detail=words,
        overlap=(*bounds[1], math.nan) if wide else None,
    )


def _of_size(ends: Sequence[tuple[float, float]], value: float) -> tuple[float, float]:
    """The interval of the largest size of several numbers, from the ``ends`` of each one's, on the
    side of ``value``.
    """
    outer = max((max(-low, high) for low, high in ends), default=math.nan)
    inner = max((max(low, -high, 0.0) for low, high in ends), default=math.nan)
    return (inner, outer) if value >= 0 else (-outer, 0.0 - inner)


def _farthest(found: dict[str, Evidence]) -> str:
    return max(found, key=lambda m: abs(found[m].value))


def nondp(dataset: str, metric: str, **which: Any) -> Evidence:
    """The metric of the baseline, whose runs are the paper's own: the same splits and forests."""
    own = which.get("grid", GRID) in OWN_RUNS
    return _evidence(cells_of(dataset, **which).query("protocol == 'NonDP'")[metric], own_runs=own)


def level(dataset: str, metric: str, epsilon: float, **which: Any) -> Evidence:
    """The metric under LDP at one budget, averaged over protocols and splits; the reference is
    NonDP.
    """
    per_run = run_means(private_cells(dataset, epsilon=epsilon, **which), metric)
    return _evidence(per_run, reference=nondp(dataset, metric, **which).value)


def change(
    dataset, metric: str, *, distance: bool = False, sign: int = 1, **which: Any
) -> Evidence:
    """Paired change against NonDP, averaged over the cells asked for; of the distance from
    fairness if ``distance``.
    """
    long, words = _changes(dataset, [metric], distance=distance, **which), ""
    if distance:
        words = f"{metric} {'comes closer to' if sign < 0 else 'moves away from'} {FAIR[metric]:g}"
    return _evidence(sign * run_means(long, "difference"), words)


def largest_change(
    dataset, metrics: Sequence[str] = UTILITY, *, auc: str = "labels", **which: Any
) -> Evidence:
    """The largest in size of the metrics' mean changes; the bounds enclose the intervals of all of
    them.

    "All metrics are within the margin" holds only if each interval is, so the
    enclosing bounds are what the margin is held against: no correction is needed.
    """
    return _largest({m: change(dataset, m, **which) for m in read(metrics, auc)})


def largest_left(
    dataset, metrics: Sequence[str], *, before: float, part: float = 0.1, **which: Any
) -> Evidence:
    """The metric's mean change at ``epsilon`` that is largest beside what may be left; the
    reference is its change at ``before``.

    What may be left is ``part`` of that change, or one unit of the printed decimals (.01).
    """
    found = {
        m: replace(
            change(dataset, m, **which),
            p=math.nan,
            p_opposite=math.nan,
            reference=change(dataset, m, **which | {"epsilon": before}).value,
        )
        for m in metrics
    }
    name = max(found, key=lambda m: abs(found[m].value) / left(found[m], 0.01, part))
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
    away = run_means(_changes(dataset, metrics, distance=True, **which), "difference", by)
    return _share((away if worse else -away).unstack("run"))


def small_losses(
    dataset,
    margin: float,
    metrics: Sequence[str] = UTILITY,
    *,
    auc: str = "labels",
    **which: Any,
) -> Evidence:
    """Share of cells (metric, data set, protocol, split, budget) that lose less than ``margin``
    on average.
    """
    change = run_means(_changes(dataset, read(metrics, auc), **which), "difference", PER_METRIC)
    return _share(change.unstack("run"), -margin, words=f" against {-margin:g}")


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
    return _evidence(sign * run_means(_gains(dataset, metrics, distance, **which), "gain"), words)


def largest_split_gain(
    dataset, metrics: Sequence[str], *, auc: str = "labels", **which: Any
) -> Evidence:
    """The largest in size of the metrics' mean gains, with bounds that enclose the intervals of
    all of them.
    """
    return _largest({m: split_gain(dataset, [m], **which) for m in read(metrics, auc)})


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
    return _share(run_means(found, "gain", by).unstack("run"))


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
    return _evidence(gap.groupby(frame["run"]).mean(), words)


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
    long = run_means(_changes(dataset, metrics, **which), "difference", keys).unstack("run")
    budgets = np.sort(long.index.get_level_values("epsilon").unique())
    order = pd.MultiIndex.from_product([metrics, ["uniform", "k-based"], budgets], names=keys)
    runs = long.reindex(order).to_numpy().reshape(len(metrics), 2 * budgets.size, -1)

    def last(means: np.ndarray) -> np.ndarray:
        fallen = means.reshape(*means.shape[:-1], 2, budgets.size) <= _LAST_BITS - margin
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
