"""Measures for the claims of the LDP paper that read the stored grids. Each returns an
:class:`Evidence`.

An average over protocols, splits or budgets is taken inside each run first;
the interval and the test are over runs, which are independent. A share of
cells gets a bootstrap interval over runs, and its detail counts the cells that
are clear after Holm's correction within the claim.

What a measure is asked of is named by ``grid``, ``dataset``, and where it takes them
``protocol``, ``split`` and ``epsilon``: one value or several, all if not given. A grid that lacks
a data set that the claim speaks of raises :class:`NoResults`, which the ledger reads as not run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from lib import validate
from lib.fairness import FAIR, FAIRNESS
from lib.ldp import PROTOCOLS
from lib.ledger.rules import LEVEL, Evidence, by_name, needs_results, p_positive
from lib.rng import stream
from lib.runner import NoResults, results
from lib.stats.holm import holm
from lib.stats.summary import differences, mean_interval, widening
from lib.stats.summary import distance as from_fair
from lib.studies.ldp_fairness import rounding as ldp_rounding

UTILITY = ("acc", "f1", "auc", "recall")
AUC = {
    "labels": "balanced_accuracy",
    "scores": "auc",
}  # what "auc" means: the published one was taken of hard labels
DATA = ("adult", "acs_coverage", "lsac")
CELL = ["dataset", "protocol", "split", "epsilon"]
PER_METRIC = [*CELL, "metric"]
DRAWS = 400
TEST_PER_TRAIN = 0.2 / 0.8  # of the splits: runs share most of their rows


@cache
def _grid(name: str) -> pd.DataFrame:
    return ldp_rounding.FRAMES.get(name, lambda: results(name))()


def read(metrics: Sequence[str], auc: str) -> tuple[str, ...]:
    """The metrics with "auc" read as ``"labels"`` (as published: the balanced accuracy) or
    ``"scores"`` have it.
    """
    validate.choice("auc", auc, AUC)
    return tuple(AUC[auc] if m == "auc" else m for m in metrics)


def cells_of(grid: str, dataset, *, protocol=PROTOCOLS, split=None, epsilon=None) -> pd.DataFrame:
    """Cells that fit, with the baselines of their data sets; ``NoResults`` if a data set has no
    LDP cell.
    """
    frame = _grid(grid)
    frame = frame[frame["dataset"].isin(np.atleast_1d(dataset))]
    fits = frame["protocol"] != "NonDP"
    for column, asked in (("protocol", protocol), ("split", split), ("epsilon", epsilon)):
        if asked is not None:
            fits &= frame[column].isin(np.atleast_1d(asked))
    if not set(np.atleast_1d(dataset)) <= set(frame.loc[fits, "dataset"]):
        raise NoResults(f"{grid} does not have every data set of {dataset}")
    return frame[fits | (frame["protocol"] == "NonDP")]


def private_cells(grid: str, dataset, **which: Any) -> pd.DataFrame:
    """The cells of :func:`cells_of` without the baselines."""
    frame = cells_of(grid, dataset, **which)
    return frame[frame["protocol"] != "NonDP"]


def _changes(
    grid: str, dataset, metrics: Sequence[str], *, distance: bool = False, **which: Any
) -> pd.DataFrame:
    """``difference`` from the baseline of each cell, run and metric; of the distance from
    fairness if ``distance``.
    """
    frame = cells_of(grid, dataset, **which)
    return pd.concat(
        differences(frame, m, FAIR[m] if distance else None).assign(metric=m) for m in metrics
    )


def _evidence(
    per_run: pd.Series, *, detail: str = "", reference: float = math.nan, sign: int = 1
) -> Evidence:
    """Mean over runs with its t interval and the one-sided p-value of being above zero."""
    x = sign * per_run.dropna().to_numpy(dtype=float)
    found = Evidence(*mean_interval(x), x.size, "real data", detail=detail, reference=reference)
    if x.size < 2:
        return found
    wide = mean_interval(x, ratio=TEST_PER_TRAIN)[1:]
    overlap = (*wide, p_positive(x, widening(x.size, TEST_PER_TRAIN)))
    return replace(found, p=p_positive(x), overlap=overlap)


def _whole_runs(long: pd.DataFrame) -> pd.DataFrame:
    """Runs that have all of the cells asked for."""
    size = long.groupby("run")["run"].transform("size")
    return long[size == size.max()]


def score(frame: pd.DataFrame, metrics: Sequence[str], distance: bool) -> pd.Series:
    """Mean of the metrics, or minus the mean distance from fairness: more is better."""
    return sum(-from_fair(frame, m, FAIR[m]) if distance else frame[m] for m in metrics) / len(
        metrics
    )


def resamples(runs: int) -> np.ndarray:
    """Runs drawn again with replacement, shape (DRAWS, runs); the same for every measure."""
    return stream(1, "bootstrap over runs").integers(0, runs, (DRAWS, runs))


def _by_cell(long: pd.DataFrame, value: str, by: Sequence[str]) -> pd.DataFrame:
    """Mean of ``value`` in each cell ``by`` (rows) and run (columns), of runs that are whole."""
    cells = long.groupby([*by, "run"])[value].agg(["mean", "size"])
    whole = cells["size"] == cells.groupby(list(by))["size"].transform("max")
    return cells.loc[whole, "mean"].unstack("run")


def _share(wide: pd.DataFrame, threshold: float = 0.0, *, words: str = "") -> Evidence:
    """Share of rows (cells) of ``wide`` (cells x runs) whose mean over runs is above ``threshold``.

    The interval resamples runs; for the second reading the resampled means lie farther from the
    mean by the factor of
    :func:`widening`. Clear cells are counted at 5% after Holm, either way.
    """
    x = wide.to_numpy(dtype=float)
    center, runs = np.nanmean(x, axis=1)[:, None], x.shape[1]
    value, detail = float((center > threshold).mean()), f"{len(x)} cells{words}"
    if runs < 2:
        return Evidence(value, runs=runs, data="real data", detail=detail)
    there = ~np.isnan(x)
    counts = np.stack([np.bincount(p, minlength=runs) for p in resamples(runs)])
    with np.errstate(invalid="ignore"):
        means = (np.where(there, x, 0.0) @ counts.T) / (there @ counts.T)
    far = center + widening(runs, TEST_PER_TRAIN) * (means - center)
    above, below = _clear_cells(x - threshold)
    detail += f", {above} clearly above and {below} clearly below after Holm"
    return Evidence(
        value,
        *_ends(means, threshold),
        runs,
        "real data",
        detail=detail,
        overlap=(*_ends(far, threshold), math.nan),
    )


def _ends(means: np.ndarray, threshold: float) -> tuple[float, float]:
    """The middle 95% of the share of rows above ``threshold``, over resamples (columns)."""
    shares = np.nanmean(np.where(np.isnan(means), np.nan, means > threshold), axis=0)
    low, high = np.quantile(shares, (0.025, 0.975))
    return float(low), float(high)


def _clear_cells(x: np.ndarray) -> tuple[int, int]:
    """How many rows have a mean clearly above, clearly below zero: two-sided t-tests, Holm over
    the rows.
    """
    n = (~np.isnan(x)).sum(axis=1)
    mean = np.nanmean(x, axis=1)
    # 0 for a single run, without a warning
    spread = np.sqrt(np.nansum((x - mean[:, None]) ** 2, axis=1) / np.maximum(n - 1, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stats.t.sf(np.abs(mean * np.sqrt(n) / spread), np.maximum(n - 1, 1))
    clear = holm(np.where((n > 1) & (spread > 0), p, 1.0)) < LEVEL
    return int((clear & (mean > 0)).sum()), int((clear & (mean < 0)).sum())


def _largest(found: dict[str, Evidence]) -> Evidence:
    """The metric that is farthest from zero, with bounds that enclose the intervals of all of
    them.
    """
    name = max(found, key=lambda m: abs(found[m].value))
    worst, others = found[name], found.values()
    half = max((e.high - e.low) / 2 for e in others)
    words = f"largest in {name}, by itself [{worst.low:.3f}, {worst.high:.3f}]"
    words += f"; the bounds enclose {len(found)} metrics, ±{half:.3f} at most"
    wide = [e.overlap for e in others if e.overlap]
    overlap = (min(w[0] for w in wide), max(w[1] for w in wide), math.nan) if wide else None
    low, high = min(e.low for e in others), max(e.high for e in others)
    runs = min(e.runs for e in others)
    return Evidence(worst.value, low, high, runs, "real data", detail=words, overlap=overlap)


def nondp(dataset: str, metric: str, *, grid: str = "ldp_main") -> Evidence:
    """The metric of the baseline."""
    frame = cells_of(grid, dataset)
    return _evidence(frame[frame["protocol"] == "NonDP"][metric])


def level(dataset: str, metric: str, epsilon: float, *, grid: str = "ldp_main") -> Evidence:
    """The metric under LDP at one budget, averaged over protocols and splits; the reference is
    NonDP.
    """
    ldp = _whole_runs(private_cells(grid, dataset, epsilon=epsilon))
    return _evidence(
        ldp.groupby("run")[metric].mean(), reference=nondp(dataset, metric, grid=grid).value
    )


def change(
    dataset,
    metric: str,
    *,
    distance: bool = False,
    sign: int = 1,
    grid: str = "ldp_main",
    **which: Any,
) -> Evidence:
    """Paired change against NonDP, averaged over the cells asked for; of the distance from
    fairness if ``distance``.
    """
    long = _whole_runs(_changes(grid, dataset, [metric], distance=distance, **which))
    words = ""
    if distance:
        words = f"{metric} {'comes closer to' if sign < 0 else 'moves away from'} {FAIR[metric]:g}"
    return _evidence(long.groupby("run")["difference"].mean(), sign=sign, detail=words)


def largest_change(
    dataset,
    metrics: Sequence[str] = UTILITY,
    *,
    grid: str = "ldp_main",
    auc: str = "labels",
    **which: Any,
) -> Evidence:
    """The largest in size of the metrics' mean changes; the bounds enclose the intervals of all of
    them.

    "All metrics are within the margin" holds only if each interval is, so the
    enclosing bounds are what the margin is held against: no correction is needed.
    """
    return _largest({m: change(dataset, m, grid=grid, **which) for m in read(metrics, auc)})


def largest_left(
    dataset, metrics: Sequence[str], *, before: float, grid: str = "ldp_main", **which: Any
) -> Evidence:
    """The largest in size of the metrics' mean changes at ``epsilon``; the reference is its
    change at ``before``.
    """
    found = {m: change(dataset, m, grid=grid, **which) for m in metrics}
    name = max(found, key=lambda m: abs(found[m].value))
    first = change(dataset, name, grid=grid, **which | {"epsilon": before}).value
    words = f"largest in {name}, whose change at epsilon {before:g} is {first:.3f}"
    return replace(found[name], p=math.nan, detail=words, reference=first)


def share_improved(
    dataset,
    metrics: Sequence[str] = FAIRNESS,
    *,
    worse: bool = False,
    by: Sequence[str] = PER_METRIC,
    grid: str = "ldp_main",
    **which: Any,
) -> Evidence:
    """Share of cells whose mean over runs comes closer to the fair value than NonDP's (moves away
    if ``worse``).

    A cell is a metric, data set, protocol, split and budget; with a shorter
    ``by``, the differences of what is left out are averaged first.
    """
    long = _changes(grid, dataset, metrics, distance=True, **which)
    better = long["difference"] if worse else -long["difference"]
    return _share(_by_cell(long.assign(better=better), "better", by))


def small_losses(
    dataset,
    margin: float,
    metrics: Sequence[str] = UTILITY,
    *,
    grid: str = "ldp_main",
    auc: str = "labels",
    **which: Any,
) -> Evidence:
    """Share of cells (metric, data set, protocol, split, budget) that lose less than ``margin``
    on average.
    """
    long = _changes(grid, dataset, read(metrics, auc), **which)
    wide = _by_cell(long, "difference", [*CELL, "metric"])
    return _share(wide, -margin, words=f" against {-margin:g}")


def _gains(grid: str, dataset, metrics: Sequence[str], distance: bool) -> pd.DataFrame:
    """k-based minus uniform, one row a (run, data set, protocol, epsilon); positive is better."""
    frame = private_cells(grid, dataset)
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
    grid: str = "ldp_main",
    auc: str = "labels",
) -> Evidence:
    """k-based minus uniform, averaged over metrics, protocols and budgets inside each run; positive
    is better.

    With ``distance``: how much closer to fairness k-based is. ``sign=-1`` asks for uniform minus
    k-based.
    """
    metrics = read(metrics, auc)
    gains = _whole_runs(_gains(grid, dataset, metrics, distance))
    words = f"mean {'distance from fairness' if distance else 'score'} over {', '.join(metrics)}"
    return _evidence(gains.groupby("run")["gain"].mean(), sign=sign, detail=words)


def largest_split_gain(
    dataset,
    metrics: Sequence[str],
    *,
    distance: bool = False,
    grid: str = "ldp_main",
    auc: str = "labels",
) -> Evidence:
    """The largest in size of the metrics' mean gains, with bounds that enclose the intervals of
    all of them.
    """
    return _largest(
        {m: split_gain(dataset, [m], distance=distance, grid=grid) for m in read(metrics, auc)}
    )


def split_share(
    dataset, *, utility: bool = True, grid: str = "ldp_main", auc: str = "labels"
) -> Evidence:
    """Share of cells (metric, data set, protocol, budget) where k-based does better than
    uniform; of fairness alone if not ``utility``.
    """
    useful = read(UTILITY, auc) if utility else ()
    found = [_gains(grid, dataset, [m], m in FAIR).assign(metric=m) for m in (*FAIRNESS, *useful)]
    return _share(_by_cell(pd.concat(found), "gain", ["metric", "dataset", "protocol", "epsilon"]))


def group_gap(
    dataset: str, group: int, metric: str = "acc", *, private: bool = True, grid: str = "ldp_main"
) -> Evidence:
    """``metric`` inside group ``group`` (0 or 1) of the protected attribute minus that in the other
    one.

    Under LDP, averaged over protocols, splits and budgets; of NonDP if not ``private``.
    """
    frame = cells_of(grid, dataset)
    frame = frame[(frame["protocol"] != "NonDP") == private]
    gap = frame[f"{metric}_{group}"] - frame[f"{metric}_{1 - group}"]
    words = ""
    if private:
        without = group_gap(dataset, group, metric, private=False, grid=grid)
        words = f"without privacy {without.value:+.3f}"
    return _evidence(gap.groupby(frame["run"]).mean(), detail=words)


def drops_later(
    dataset: str,
    margin: float,
    metrics: Sequence[str] = UTILITY,
    *,
    grid: str = "ldp_main",
    auc: str = "labels",
) -> Evidence:
    """Share of the metrics that fall by ``margin`` or more only at smaller budgets under k-based
    than under uniform.

    The fall is that of the mean over protocols and runs. A metric counts if the largest budget at
    which it has fallen is smaller under k-based (or there is none), and it has fallen at some
    budget under uniform.
    """
    long = _changes(grid, dataset, read(metrics, auc))
    mean = long.groupby(["metric", "split", "epsilon"], sort=False)["difference"].mean()
    fallen = mean[mean <= -margin].reset_index().groupby(["metric", "split"])["epsilon"].max()
    hits, words = [], []
    for metric in read(metrics, auc):
        uniform, k_based = (fallen.get((metric, s), 0.0) for s in ("uniform", "k-based"))
        hits.append(k_based < uniform)
        words.append(f"{metric} up to epsilon {uniform:g} and {k_based:g}")
    told = f"falls by {margin:g} or more under uniform and k-based: {', '.join(words)} (0: nowhere)"
    runs = int(long["run"].nunique())
    return Evidence(float(np.mean(hits)), runs=runs, data="real data", detail=told)


_MEASURES: tuple[Callable[..., Evidence], ...] = (
    nondp,
    level,
    change,
    largest_change,
    largest_left,
    share_improved,
    small_losses,
    split_gain,
    largest_split_gain,
    split_share,
    group_gap,
    drops_later,
)
MEASURES = by_name(*map(needs_results, _MEASURES))
