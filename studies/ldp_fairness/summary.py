"""Means over runs of the grids of this study, and differences to its baseline paired on the run.

Runs of one cell share the test split with the baseline of the same run, so :func:`paired`
subtracts run by run first. Intervals are Student's t over runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from lib import validate
from lib.stats.summary import require_columns, require_numbers, run_means, summarise

CURVE = ("dataset", "protocol", "split", "epsilon")
BASELINE = "NonDP"
_ENDS = ("mean", "low", "high")
_ZERO = 1e-12  # what a metric that is 0 may become by the last bits of a sum


def cell_runs(frame: pd.DataFrame) -> pd.Series:
    """Number of runs of every LDP cell of ``frame``; cells without a run are not in it."""
    return frame.groupby(require_columns("frame", CURVE, frame), dropna=False).size()


def span(counts: pd.Series) -> str:
    """The least and the most of ``counts`` for a caption: "20", or "16 to 20" where a grid is
    not whole.
    """
    numbers = validate.finite("counts", counts)
    whole = numbers.size > 0 and (numbers == np.floor(numbers)).all()
    validate.require(whole, "counts", "whole numbers, one or more", counts)
    low, high = int(numbers.min()), int(numbers.max())
    return f"{low}" if low == high else f"{low} to {high}"


def _with_numbers(name: str, table: pd.DataFrame) -> pd.DataFrame:
    """``table`` with its mean and the ends of its interval as floats; errors call it ``name``."""
    for column in _ENDS:
        require_numbers(table, column, name)
    return table.assign(**{column: table[column].astype(float) for column in _ENDS})


def curves(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Mean of ``metric`` over runs of every LDP cell: ``dataset, protocol, split, epsilon, mean,
    low, high, runs``.
    """
    require_numbers(frame, metric)
    return summarise(frame[frame["protocol"] != BASELINE], CURVE, metric)


def baseline(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Mean of ``metric`` over runs of NonDP: ``dataset, mean, low, high, runs``."""
    require_numbers(frame, metric)
    return summarise(frame[frame["protocol"] == BASELINE], ["dataset"], metric)


def distance(frame: pd.DataFrame, metric: str, fair: float) -> pd.Series:
    """Distance of ``metric`` from its ``fair`` value, indexed as ``frame``: its mean over the runs
    of a cell is that of the mean.

    Run by run it is the gap times the sign of the cell's mean gap, so a run on the other side
    counts as negative. The size of the gap itself, averaged over runs, would be too large wherever
    the gap is small beside its spread: noise alone would count as unfairness.
    """
    require_numbers(frame, metric)
    gap = frame[metric].astype(float) - validate.number("fair", fair)
    mean = gap.groupby([frame[c] for c in CURVE], dropna=False).transform("mean")
    return gap * np.sign(mean.mask(mean.abs() <= _ZERO, 0.0))


def differences(frame: pd.DataFrame, metric: str, fair: float | None = None) -> pd.DataFrame:
    """``metric`` of every LDP cell minus that of NonDP on the same data set and run, in column
    ``difference``.

    With ``fair`` it is the :func:`distance` from that value that is subtracted:
    below zero is fairer. Runs without a baseline are left out.
    """
    require_numbers(frame, metric)
    value = frame[metric].astype(float) if fair is None else distance(frame, metric, fair)
    frame, same = frame.assign(difference=value), ["dataset", "run"]
    is_base = frame["protocol"] == BASELINE
    base = frame.loc[is_base, [*same, "difference"]].rename(columns={"difference": "_base"})
    joined = frame[~is_base].merge(base, on=same, validate="many_to_one")
    return joined.assign(difference=joined["difference"] - joined.pop("_base"))


def paired(frame: pd.DataFrame, metric: str, *, fair: float | None = None) -> pd.DataFrame:
    """Mean over runs of :func:`differences`: ``dataset, protocol, split, epsilon, mean, low,
    high, runs``.
    """
    return summarise(differences(frame, metric, fair), CURVE, "difference")


def tally(summary: pd.DataFrame, *, better: int) -> pd.DataFrame:
    """How many cells of a paired summary are clearly better, clearly worse, or neither.

    Parameters
    ----------
    summary : DataFrame
        From :func:`paired`; a cell is clear if its interval leaves out zero.
    better : {-1, 1}
        The sign of an improvement.

    Returns
    -------
    DataFrame
        Columns ``dataset, split, cells, better, worse, unclear``.
    """
    validate.choice("better", better, (-1, 1))
    require_columns("summary", ("dataset", "split"), summary)
    summary = _with_numbers("summary", summary)
    sides = {1: summary["low"] > _ZERO, -1: summary["high"] < -_ZERO}
    clear = summary.assign(better=sides[better], worse=sides[-better])
    table = clear.groupby(["dataset", "split"]).agg(
        cells=("mean", "size"), better=("better", "sum"), worse=("worse", "sum")
    )
    return table.assign(unclear=table["cells"] - table["better"] - table["worse"]).reset_index()


def pooled(
    frame: pd.DataFrame, metric: str, by: Sequence[str], *, fair: float | None = None
) -> pd.DataFrame:
    """Paired difference averaged over the cells that share ``by``, run by run, then the interval
    over runs.

    Averaging inside a run first keeps the runs independent: cells of one run
    share their split. Runs that lack some of the cells are left out.
    """
    long = differences(frame, metric, fair)
    return summarise(
        run_means(long, "difference", require_columns("by", by, long)).reset_index(), by, "mean"
    )


def side_by_side(
    frames: Mapping[str, pd.DataFrame], metrics: Mapping[str, float | None]
) -> pd.DataFrame:
    """Change against NonDP in several grids, averaged over all cells of a run: ``grid, dataset,
    metric, mean, low, high, runs``.

    Parameters
    ----------
    frames : mapping of str to DataFrame
        The records of each grid, by the name that it is to have.
    metrics : mapping of str to float or None
        Each metric with the ``fair`` of :func:`differences`.
    """
    for name, asked in (("frames", frames), ("metrics", metrics)):
        validate.instance(name, asked, Mapping)
        validate.require(len(asked) > 0, name, "one or more", asked)
    parts = [
        pooled(frame, metric, ["dataset"], fair=fair).assign(grid=grid, metric=metric)
        for grid, frame in frames.items()
        for metric, fair in metrics.items()
    ]
    columns = ["grid", "dataset", "metric", "mean", "low", "high", "runs"]
    return pd.concat(parts, ignore_index=True)[columns]


def agreement(changes: pd.DataFrame) -> dict[str, int]:
    """Data sets and metrics of :func:`side_by_side` that every grid has: ``same``, ``opposite`` and
    ``unclear``.

    An interval is clear if it leaves out zero; with one that is not, nothing is said about the
    pair.
    """
    require_columns("changes", ("grid", "dataset", "metric"), changes)
    changes = _with_numbers("changes", changes)
    clear = (changes["low"] > _ZERO) | (changes["high"] < -_ZERO)
    wide = changes.assign(sign=np.sign(changes["mean"]).where(clear, 0.0)).pivot(
        index=["dataset", "metric"], columns="grid", values="sign"
    )
    wide = wide.dropna()
    unclear = (wide == 0).any(axis=1)
    several = wide.nunique(axis=1) > 1
    found = {"same": ~unclear & ~several, "opposite": ~unclear & several, "unclear": unclear}
    return {name: int(pairs.sum()) for name, pairs in found.items()}
