"""Measures for the claims of the LDP paper that read the stored grids. Each returns an
:class:`Evidence`.

An average over protocols, splits or budgets is taken inside each run first;
the interval and the test are over runs, which are independent. A share of
cells gets a bootstrap interval over runs, and its detail counts the cells that
are clear after Holm's correction within the claim.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
from scipy import stats

from lib import validate
from lib.fairness import FAIR, FAIRNESS
from lib.ldp import PROTOCOLS
from lib.ledger.rules import LEVEL, Evidence, p_positive
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
DRAWS = 400
TEST_PER_TRAIN = 0.2 / 0.8  # of the splits: runs share most of their rows
NOTHING = Evidence(math.nan, detail="not every data set that it speaks of is stored")


@cache
def _grid(name: str) -> pd.DataFrame:
    try:
        return ldp_rounding.FRAMES.get(name, lambda: results(name))()
    except NoResults:
        return pd.DataFrame(columns=[*CELL, "run"])


def read(metrics: Sequence[str], auc: str) -> tuple[str, ...]:
    """The metrics with "auc" read as ``"labels"`` (as published: the balanced accuracy) or
    ``"scores"`` have it.
    """
    validate.choice("auc", auc, AUC)
    return tuple(AUC[auc] if m == "auc" else m for m in metrics)


def cells_of(
    grid: str = "ldp_main",
    dataset: str | Sequence[str] = DATA,
    protocol=PROTOCOLS,
    split=None,
    epsilon=None,
):
    """Cells that fit, with the baselines of their data sets; arguments may be one value or
    several.
    """
    frame = _grid(grid)
    keep = frame["dataset"].isin(np.atleast_1d(dataset)) & frame["protocol"].isin(
        [*np.atleast_1d(protocol), "NonDP"]
    )
    if split is not None:
        keep &= frame["split"].isin([*np.atleast_1d(split), "none"])
    if epsilon is not None:
        keep &= frame["epsilon"].isin(np.atleast_1d(epsilon)) | frame["epsilon"].isna()
    return frame[keep]


def lacks_some(frame: pd.DataFrame, dataset) -> bool:
    """Whether one of the data sets asked for has no LDP cell yet: the claim speaks of all of
    them.
    """
    there = set(frame.loc[frame["protocol"] != "NonDP", "dataset"])
    return not set(np.atleast_1d(dataset)) <= there


def _evidence(
    per_run: pd.Series, *, detail: str = "", reference: float = math.nan, sign: int = 1
) -> Evidence:
    """Mean over runs with its t interval and the one-sided p-value of being above zero."""
    x = sign * per_run.dropna().to_numpy(dtype=float)
    if x.size == 0:
        return NOTHING
    if x.size == 1:
        return Evidence(float(x[0]), runs=1, data="real data", detail=detail, reference=reference)
    mean, low, high = mean_interval(x)
    overlap = (
        *mean_interval(x, ratio=TEST_PER_TRAIN)[1:],
        p_positive(x, widening(x.size, TEST_PER_TRAIN)),
    )
    return Evidence(
        mean, low, high, x.size, "real data", p_positive(x), detail, reference, overlap=overlap
    )


def _whole_runs(long: pd.DataFrame) -> pd.DataFrame:
    """Runs that have all of the cells asked for."""
    size = long.groupby("run")["run"].transform("size")
    return long[size == size.max()] if len(long) else long


def score(frame: pd.DataFrame, metrics: Sequence[str], distance: bool) -> pd.Series:
    """Mean of the metrics, or minus the mean distance from fairness: more is better."""
    return sum(-from_fair(frame, m, FAIR[m]) if distance else frame[m] for m in metrics) / len(
        metrics
    )


def _share(wide: pd.DataFrame, threshold: float = 0.0, *, words: str = "") -> Evidence:
    """Share of rows (cells) of ``wide`` (cells x runs) whose mean over runs is above ``threshold``.

    The interval resamples runs; for the second reading the resampled means lie farther from the
    mean by the factor of
    :func:`widening`. Clear cells are counted at 5% after Holm, either way.
    """
    if wide.empty:
        return NOTHING
    x = wide.to_numpy(dtype=float)
    value, runs = float((np.nanmean(x, axis=1) > threshold).mean()), x.shape[1]
    low = high = math.nan
    overlap = None
    detail = f"{len(x)} cells{words}"
    if runs > 1:
        picks = stream(1, "bootstrap over runs").integers(0, runs, (DRAWS, runs))
        there = ~np.isnan(x)
        filled = np.where(there, x, 0.0)
        counts = np.stack([np.bincount(p, minlength=runs) for p in picks])
        with np.errstate(invalid="ignore"):
            means = (filled @ counts.T) / (there @ counts.T)
        low, high = _ends(means, threshold)
        center = np.nanmean(x, axis=1)[:, None]
        overlap = (
            *_ends(center + widening(runs, TEST_PER_TRAIN) * (means - center), threshold),
            math.nan,
        )
        clear = _clear_cells(x - threshold)
        detail += f", {clear[0]} clearly above and {clear[1]} clearly below after Holm"
    return Evidence(value, low, high, runs, "real data", detail=detail, overlap=overlap)


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
    spread = np.sqrt(
        np.nansum((x - mean[:, None]) ** 2, axis=1) / np.maximum(n - 1, 1)
    )  # 0 for a single run, without a warning
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean * np.sqrt(n) / spread
    p = np.where((n > 1) & (spread > 0), 2 * stats.t.sf(np.abs(t), np.maximum(n - 1, 1)), 1.0)
    clear = holm(p) < LEVEL
    return int((clear & (mean > 0)).sum()), int((clear & (mean < 0)).sum())


def nondp(dataset: str, metric: str, *, grid: str = "ldp_main") -> Evidence:
    """The metric of the baseline."""
    frame = cells_of(grid, dataset)
    return _evidence(
        frame[frame["protocol"] == "NonDP"].set_index("run").get(metric, pd.Series(dtype=float))
    )


def level(dataset: str, metric: str, epsilon: float, *, grid: str = "ldp_main") -> Evidence:
    """The metric under LDP at one budget, averaged over protocols and splits; the reference is
    NonDP.
    """
    frame = cells_of(grid, dataset, epsilon=epsilon)
    ldp = _whole_runs(frame[frame["protocol"] != "NonDP"])
    if ldp.empty:
        return NOTHING
    return _evidence(
        ldp.groupby("run")[metric].mean(), reference=nondp(dataset, metric, grid=grid).value
    )


def change(
    dataset,
    metric: str,
    *,
    split=None,
    epsilon=None,
    protocol=PROTOCOLS,
    distance: bool = False,
    sign: int = 1,
    grid: str = "ldp_main",
) -> Evidence:
    """Paired change against NonDP, averaged over the cells asked for; of the distance from
    fairness if ``distance``.
    """
    frame = cells_of(grid, dataset, protocol, split, epsilon)
    if lacks_some(frame, dataset):
        return NOTHING
    long = _whole_runs(differences(frame, metric, FAIR[metric] if distance else None))
    words = ""
    if distance:
        words = f"{metric} {'comes closer to' if sign < 0 else 'moves away from'} {FAIR[metric]:g}"
    return _evidence(long.groupby("run")["difference"].mean(), sign=sign, detail=words)


def largest_change(
    dataset,
    metrics: Sequence[str] = UTILITY,
    *,
    split=None,
    epsilon=None,
    grid: str = "ldp_main",
    auc: str = "labels",
) -> Evidence:
    """The largest in size of the metrics' mean changes; the bounds enclose the intervals of all of
    them.

    "All metrics are within the margin" holds only if each interval is, so the
    enclosing bounds are what the margin is held against: no correction is needed.
    """
    return _largest(
        {m: change(dataset, m, split=split, epsilon=epsilon, grid=grid) for m in read(metrics, auc)}
    )


def largest_left(
    dataset,
    metrics: Sequence[str],
    *,
    split=None,
    epsilon: float,
    before: float,
    grid: str = "ldp_main",
) -> Evidence:
    """The largest in size of the metrics' mean changes at ``epsilon``; the reference is its
    change at ``before``.
    """
    found = {m: change(dataset, m, split=split, epsilon=epsilon, grid=grid) for m in metrics}
    if any(math.isnan(e.value) for e in found.values()):
        return NOTHING
    name = max(found, key=lambda m: abs(found[m].value))
    first = change(dataset, name, split=split, epsilon=before, grid=grid).value
    words = f"largest in {name}, whose change at epsilon {before:g} is {first:.3f}"
    return replace(found[name], p=math.nan, detail=words, reference=first)


def _largest(found: dict[str, Evidence]) -> Evidence:
    """The metric that is farthest from zero, with bounds that enclose the intervals of all of
    them.
    """
    if any(math.isnan(e.value) for e in found.values()):
        return NOTHING
    name = max(found, key=lambda m: abs(found[m].value))
    worst, others = found[name], found.values()
    half = max((e.high - e.low) / 2 for e in others)
    words = f"largest in {name}, by itself [{worst.low:.3f}, {worst.high:.3f}]"
    words += f"; the bounds enclose {len(found)} metrics, ±{half:.3f} at most"
    overlap = None
    if all(e.overlap for e in others):
        overlap = (min(e.overlap[0] for e in others), max(e.overlap[1] for e in others), math.nan)
    return Evidence(
        worst.value,
        min(e.low for e in others),
        max(e.high for e in others),
        min(e.runs for e in others),
        "real data",
        detail=words,
        overlap=overlap,
    )


def share_improved(
    dataset,
    metrics: Sequence[str] = FAIRNESS,
    *,
    split=None,
    epsilon=None,
    worse: bool = False,
    by: Sequence[str] = (*CELL, "metric"),
    grid: str = "ldp_main",
) -> Evidence:
    """Share of cells whose mean over runs comes closer to the fair value than NonDP's (moves away
    if ``worse``).

    A cell is a metric, data set, protocol, split and budget; with a shorter
    ``by``, the differences of what is left out are averaged first.
    """
    frame = cells_of(grid, dataset, split=split, epsilon=epsilon)
    if lacks_some(frame, dataset):
        return NOTHING
    long = pd.concat([differences(frame, m, FAIR[m]).assign(metric=m) for m in metrics])
    long["better"] = long["difference"] if worse else -long["difference"]
    cells = long.groupby([*by, "run"])["better"].agg(["mean", "size"])
    whole = cells["size"] == cells.groupby(list(by))["size"].transform("max")
    return _share(cells.loc[whole, "mean"].unstack("run"))


def small_losses(
    dataset,
    margin: float,
    metrics: Sequence[str] = UTILITY,
    *,
    epsilon=None,
    grid: str = "ldp_main",
    auc: str = "labels",
) -> Evidence:
    """Share of cells (metric, data set, protocol, split, budget) that lose less than ``margin``
    on average.
    """
    frame = cells_of(grid, dataset, epsilon=epsilon)
    if lacks_some(frame, dataset):
        return NOTHING
    long = pd.concat([differences(frame, m).assign(metric=m) for m in read(metrics, auc)])
    wide = long.pivot_table(index=[*CELL, "metric"], columns="run", values="difference")
    return _share(wide, -margin, words=f" against {-margin:g}")


def _gains(grid: str, dataset, metrics: Sequence[str], epsilon, distance: bool) -> pd.DataFrame:
    """k-based minus uniform, one row a (run, data set, protocol, epsilon); positive is better."""
    frame = cells_of(grid, dataset, epsilon=epsilon)
    if lacks_some(frame, dataset):
        return pd.DataFrame()
    frame = frame[frame["protocol"] != "NonDP"]
    frame = frame.assign(value=score(frame, metrics, distance))
    wide = frame.pivot_table(
        index=["run", "dataset", "protocol", "epsilon"], columns="split", values="value"
    )
    wide = wide.dropna().reset_index()
    return wide.assign(gain=wide["k-based"] - wide["uniform"])


def split_gain(
    dataset,
    metrics: Sequence[str],
    *,
    epsilon=None,
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
    gains = _gains(grid, dataset, metrics, epsilon, distance)
    if gains.empty:
        return NOTHING
    words = f"mean {'distance from fairness' if distance else 'score'} over {', '.join(metrics)}"
    return _evidence(_whole_runs(gains).groupby("run")["gain"].mean(), sign=sign, detail=words)


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
    dataset,
    *,
    fairness: bool = True,
    utility: bool = True,
    grid: str = "ldp_main",
    auc: str = "labels",
) -> Evidence:
    """Share of cells (metric, data set, protocol, budget) where k-based does better than
    uniform.
    """
    parts = [(m, True) for m in FAIRNESS if fairness] + [
        (m, False) for m in read(UTILITY, auc) if utility
    ]
    found = [_gains(grid, dataset, [m], None, d).assign(metric=m) for m, d in parts]
    long = pd.concat(found)
    if long.empty or "gain" not in long:
        return NOTHING
    return _share(
        long.pivot_table(
            index=["metric", "dataset", "protocol", "epsilon"], columns="run", values="gain"
        )
    )


def group_gap(
    dataset: str, group: int, metric: str = "acc", *, private: bool = True, grid: str = "ldp_main"
) -> Evidence:
    """``metric`` inside group ``group`` (0 or 1) of the protected attribute minus that in the other
    one.

    Under LDP, averaged over protocols, splits and budgets; of NonDP if not ``private``.
    """
    frame = cells_of(grid, dataset)
    frame = frame[(frame["protocol"] != "NonDP") == private]
    if frame.empty:
        return NOTHING
    gap = frame[f"{metric}_{group}"] - frame[f"{metric}_{1 - group}"]
    other = (
        ""
        if not private
        else (
            "without privacy"
            f" {group_gap(dataset, group, metric, private=False, grid=grid).value:+.3f}"
        )
    )
    return _evidence(gap.groupby(frame["run"]).mean(), detail=other)


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
    frame = cells_of(grid, dataset)
    if lacks_some(frame, dataset):
        return NOTHING
    hits, words = [], []
    for metric in read(metrics, auc):
        mean = (
            differences(frame, metric)
            .groupby(["split", "epsilon"])["difference"]
            .mean()
            .unstack("epsilon")
        )
        last = {
            s: max((e for e, d in mean.loc[s].items() if d <= -margin), default=0.0)
            for s in ("uniform", "k-based")
        }
        hits.append(last["k-based"] < last["uniform"])
        words.append(f"{metric} up to epsilon {last['uniform']:g} and {last['k-based']:g}")
    runs = int(frame["run"].nunique())
    told = f"falls by {margin:g} or more under uniform and k-based: {', '.join(words)} (0: nowhere)"
    return Evidence(float(np.mean(hits)), runs=runs, data="real data", detail=told)


MEASURES: dict[str, Callable[..., Evidence]] = {
    f.__name__: f
    for f in (
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
}
