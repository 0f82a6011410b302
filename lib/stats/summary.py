"""Means over runs with 95% intervals, and differences to the baseline paired on the run.

Intervals are Student's t over runs. Runs of one cell share the test split with
the baseline of the same run, so :func:`paired` subtracts run by run first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real

import numpy as np
import pandas as pd
from scipy import stats

from lib import validate
from lib.stats.ties import ranks

CURVE: tuple[str, ...] = ("dataset", "protocol", "split", "epsilon")
BASELINE = "NonDP"
_ENDS = ("mean", "low", "high")
_ZERO = 1e-12  # what a metric that is 0 may become by the last bits of a sum


@validate.check_types
def cell_runs(frame: pd.DataFrame) -> pd.Series:
    """Number of runs of every LDP cell of ``frame``; cells without a run are not in it."""
    return frame.groupby(_columns("frame", CURVE, frame), dropna=False).size()


@validate.check_types
def span(counts: pd.Series) -> str:
    """The least and the most of ``counts`` for a caption: "20", or "16 to 20" where a grid is
    not whole.
    """
    numbers = validate.finite("counts", counts)
    whole = numbers.size > 0 and (numbers == np.floor(numbers)).all()
    validate.require(whole, "counts", "whole numbers, one or more", counts)
    low, high = int(numbers.min()), int(numbers.max())
    return f"{low}" if low == high else f"{low} to {high}"


@validate.check_types
def mean_interval(
    values: Sequence[float] | np.ndarray,
    level: float = 0.95,
    *,
    floor: float = -np.inf,
    ratio: float = 0.0,
) -> tuple[float, float, float]:
    """Mean of ``values``, shape (n,), and its t interval; NaN bounds for fewer than two finite
    values.

    NaN entries (a metric that a run does not have) are left out; the mean of
    none is NaN.

    Parameters
    ----------
    floor : float
        The least value that the quantity can have: 0 for a distance, a share or an error. An end
        below it is put at it.
    ratio : float
        Test rows per training row, where the values come from overlapping splits of one table and
        the interval is to be about another table. See :func:`widening`. With 0, the interval is
        about other splits of this table.
    """
    level = validate.fraction("level", level)
    x = validate.reals("values", values)
    validate.require(x.ndim == 1, "values", "of one dimension", x.shape)
    x = x[~np.isnan(x)]
    if x.size < 2:
        return (float(x[0]) if x.size else np.nan), np.nan, np.nan
    with np.errstate(over="ignore", invalid="ignore"):  # no interval around an infinity
        spread = x.std(ddof=1)
    half = stats.t.ppf(0.5 + level / 2, x.size - 1) * spread / np.sqrt(x.size)
    if ratio:
        half *= widening(x.size, ratio)
    return float(x.mean()), float(max(x.mean() - half, floor)), float(x.mean() + half)


@validate.check_types
def clopper_pearson(hits: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Exact interval of a probability from ``hits`` in ``n``.

    Examples
    --------
    >>> [round(end, 3) for end in clopper_pearson(0, 100)]
    [0.0, 0.036]
    """
    validate.integer("hits", hits, low=0, high=validate.integer("n", n, low=1))
    interval = stats.binomtest(int(hits), int(n)).proportion_ci(level, method="exact")
    return float(interval.low), float(interval.high)


@validate.check_types
def widening(runs: int, ratio: float) -> float:
    """How many times wider the corrected resampled interval is than the t interval over ``runs``
    splits.

    Random splits of one table overlap, so the variance of the mean over J of them
    is not that of a run over J. Nadeau and Bengio (2003) put ``1/J + n_test/n_train``
    in the place of ``1/J``; this is the square root of the quotient.

    Parameters
    ----------
    runs : int
        J, the number of random splits.
    ratio : float
        ``n_test / n_train``.

    Examples
    --------
    >>> round(widening(20, 0.25), 3)
    2.449
    """
    validate.integer("runs", runs, low=1, high=validate.INTEGER_MAX)
    ratio = float(ratio)
    if not (np.isfinite(ratio) and ratio >= 0):
        raise ValueError(f"ratio must be a finite number >= 0, got {ratio!r}")
    return float(np.sqrt(1 + runs * ratio))


@validate.check_types
def p_in_words(p: float) -> str:
    """``"p = 0.012"``, and ``"p < 1e-6"`` below: smaller ones rest on the far tail of the t law,
    which runs do not follow that closely.

    Examples
    --------
    >>> p_in_words(0.0123), p_in_words(1e-164)
    ('p = 0.012', 'p < 1e-6')
    """
    return "p < 1e-6" if p < 1e-6 else f"p = {p:.2g}"


@validate.check_types
def summarise(
    frame: pd.DataFrame,
    by: Sequence[str],
    value: str,
    level: float = 0.95,
    *,
    sort: bool = True,
    floor: float = -np.inf,
) -> pd.DataFrame:
    """Mean of ``value`` with its t interval in each group of rows: ``*by, mean, low, high, runs``.

    ``runs`` counts the rows that have the value; groups come in order, or as they first occur if
    not ``sort``. ``floor`` is that of :func:`mean_interval`.
    """
    level = validate.fraction("level", level)
    _has(frame, value, name="value")
    values = frame[_columns("by", by, frame)].assign(_value=frame[value].astype(float))
    grouped = values.groupby(list(by), sort=sort)["_value"]
    found = grouped.agg(["mean", "std", "count"]).reset_index()
    # the same interval as mean_interval gives, for thousands of groups at once
    half = stats.t.ppf(0.5 + level / 2, found["count"] - 1) * found["std"] / np.sqrt(found["count"])
    found = found.assign(
        low=(found["mean"] - half).clip(lower=floor), high=found["mean"] + half, runs=found["count"]
    )
    return found[[*by, "mean", "low", "high", "runs"]]


def _columns(name: str, columns: Sequence[str], frame: pd.DataFrame) -> list[str]:
    """``columns`` as a list, if there is one or more and ``frame`` has them all."""
    validate.require(len(columns) > 0, name, "one column or more", columns)
    return [validate.column(name, column, frame) for column in columns]


@validate.check_types
def rank_correlation(x: pd.Series, y: pd.Series) -> float:
    """Spearman's rank correlation; NaN where one of the two is constant. Numbers that differ by
    last bits are tied.

    A ``ValueError`` unless both have the same labels in the same order: which numbers belong
    together would depend on whether one goes by them.
    """
    validate.require(x.index.equals(y.index), "y", "of the labels of x, in their order", y.index)
    x, y = (pd.Series(ranks(validate.reals(*side))) for side in (("x", x), ("y", y)))
    return float(x.corr(y)) if x.nunique() > 1 and y.nunique() > 1 else np.nan


def _has(frame: pd.DataFrame, column: str, name: str = "metric") -> None:
    """A ``ValueError`` unless ``column`` holds numbers, truth values or gaps."""
    validate.column(name, column, frame)
    numeric = pd.api.types.is_numeric_dtype(frame[column])
    if not numeric and not all(
        isinstance(entry, Real | np.bool_) for entry in frame[column].dropna()
    ):
        raise ValueError(
            f"{name} must be a column of numbers, got {column!r}, which holds {frame[column].dtype}"
        )


def _with_numbers(name: str, table: pd.DataFrame) -> pd.DataFrame:
    """``table`` with its mean and the ends of its interval as floats; errors call it ``name``."""
    for column in _ENDS:
        _has(table, column, name)
    return table.assign(**{column: table[column].astype(float) for column in _ENDS})


@validate.check_types
def curves(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Mean of ``metric`` over runs of every LDP cell: ``dataset, protocol, split, epsilon, mean,
    low, high, runs``.
    """
    _has(frame, metric)
    return summarise(frame[frame["protocol"] != BASELINE], CURVE, metric)


@validate.check_types
def baseline(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Mean of ``metric`` over runs of NonDP: ``dataset, mean, low, high, runs``."""
    _has(frame, metric)
    return summarise(frame[frame["protocol"] == BASELINE], ["dataset"], metric)


@validate.check_types
def distance(frame: pd.DataFrame, metric: str, fair: float) -> pd.Series:
    """Distance of ``metric`` from its ``fair`` value, indexed as ``frame``: its mean over the runs
    of a cell is that of the mean.

    Run by run it is the gap times the sign of the cell's mean gap, so a run on the other side
    counts as negative. The size of the gap itself, averaged over runs, would be too large wherever
    the gap is small beside its spread: noise alone would count as unfairness.
    """
    _has(frame, metric)
    gap = frame[metric].astype(float) - fair
    mean = gap.groupby([frame[c] for c in CURVE], dropna=False).transform("mean")
    return gap * np.sign(mean.mask(mean.abs() <= _ZERO, 0.0))


@validate.check_types
def differences(frame: pd.DataFrame, metric: str, fair: float | None = None) -> pd.DataFrame:
    """``metric`` of every LDP cell minus that of NonDP on the same data set and run, in column
    ``difference``.

    With ``fair`` it is the :func:`distance` from that value that is subtracted:
    below zero is fairer. Runs without a baseline are left out.
    """
    _has(frame, metric)
    frame = frame.assign(
        _value=frame[metric].astype(float) if fair is None else distance(frame, metric, fair)
    )
    is_base = frame["protocol"] == BASELINE
    base = frame.loc[is_base, ["dataset", "run", "_value"]].rename(columns={"_value": "_base"})
    joined = frame[~is_base].merge(base, on=["dataset", "run"], how="inner", validate="many_to_one")
    return joined.assign(difference=joined["_value"] - joined["_base"]).drop(
        columns=["_value", "_base"]
    )


@validate.check_types
def paired(frame: pd.DataFrame, metric: str, *, fair: float | None = None) -> pd.DataFrame:
    """Mean over runs of :func:`differences`: ``dataset, protocol, split, epsilon, mean, low,
    high, runs``.
    """
    return summarise(differences(frame, metric, fair), CURVE, "difference")


@validate.check_types
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
    _columns("summary", ("dataset", "split"), summary)
    summary = _with_numbers("summary", summary)
    sides = {1: summary["low"] > _ZERO, -1: summary["high"] < -_ZERO}
    clear = summary.assign(better=sides[better], worse=sides[-better])
    table = clear.groupby(["dataset", "split"]).agg(
        cells=("mean", "size"), better=("better", "sum"), worse=("worse", "sum")
    )
    return table.assign(unclear=table["cells"] - table["better"] - table["worse"]).reset_index()


@validate.check_types
def pooled(
    frame: pd.DataFrame,
    metric: str,
    by: Sequence[str],
    *,
    fair: float | None = None,
) -> pd.DataFrame:
    """Paired difference averaged over the cells that share ``by``, run by run, then the interval
    over runs.

    Averaging inside a run first keeps the runs independent: cells of one run
    share their split. Runs that lack some of the cells are left out.
    """
    long = differences(frame, metric, fair)
    return summarise(
        run_means(long, "difference", _columns("by", by, long)).reset_index(), by, "mean"
    )


@validate.check_types
def run_means(frame: pd.DataFrame, value: str, by: Sequence[str] = ()) -> pd.Series:
    """Mean of ``value`` in each cell and run, named ``mean`` and indexed by ``*by, run``.

    ``by`` tells the cells apart. Runs that have fewer rows of a cell than others are left out.
    """
    _has(frame, value, name="value")
    columns = _columns("by", [*by, "run"], frame)
    values = frame[columns].assign(_value=frame[value].astype(float))
    found = values.groupby(columns)["_value"].agg(["mean", "size"])
    most = found.groupby([*by])["size"].transform("max") if len(by) else found["size"].max()
    return found.loc[found["size"] == most, "mean"]


@validate.check_types
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
        validate.require(len(asked) > 0, name, "one or more", asked)
    parts = [
        pooled(frame, metric, ["dataset"], fair=fair).assign(grid=grid, metric=metric)
        for grid, frame in frames.items()
        for metric, fair in metrics.items()
    ]
    columns = ["grid", "dataset", "metric", "mean", "low", "high", "runs"]
    return pd.concat(parts, ignore_index=True)[columns]


@validate.check_types
def agreement(changes: pd.DataFrame) -> dict[str, int]:
    """Data sets and metrics of :func:`side_by_side` that every grid has: ``same``, ``opposite`` and
    ``unclear``.

    An interval is clear if it leaves out zero; with one that is not, nothing is said about the
    pair.
    """
    _columns("changes", ("grid", "dataset", "metric"), changes)
    changes = _with_numbers("changes", changes)
    clear = (changes["low"] > _ZERO) | (changes["high"] < -_ZERO)
    sign = np.sign(changes["mean"]).where(clear, 0.0)
    wide = changes.assign(sign=sign).pivot(
        index=["dataset", "metric"], columns="grid", values="sign"
    )
    wide = wide.dropna()
    unclear = (wide == 0).any(axis=1)
    several = wide.nunique(axis=1) > 1
    found = {"same": ~unclear & ~several, "opposite": ~unclear & several, "unclear": unclear}
    return {name: int(pairs.sum()) for name, pairs in found.items()}


@validate.check_types
def interval_words(row: pd.Series, spec: str = "+.3f") -> str:
    """``mean [low, high]`` of a row, or the mean alone where it has no interval."""
    keys = [validate.choice("row", key, row.index) for key in _ENDS]
    mean, low, high = (float(validate.reals("row", row[key])) for key in keys)
    return f"{mean:{spec}}" if np.isnan(low) else f"{mean:{spec}} [{low:{spec}}, {high:{spec}}]"
