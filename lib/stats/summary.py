"""Means over runs with 95% intervals: Student's t, or the corrected one for overlapping splits.
And ranks: numbers that are equal but for their last bits are ties.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from lib import validate

RELATIVE = 1e-8


def merge_ties(values: np.ndarray) -> np.ndarray:
    """The values, those that are equal but for last bits made the same.

    Two neighbours in size are tied if they differ by at most :data:`RELATIVE` times the larger. A
    chain of ties is one, and its values become the smallest of them.

    Parameters
    ----------
    values : array of shape (n,)
        NaN stays NaN.

    Raises
    ------
    ValueError
        If ``values`` has another shape.

    Examples
    --------
    >>> 0.1 + 0.2 == 0.3, np.ptp(merge_ties(np.array([0.1 + 0.2, 0.3])))
    (False, np.float64(0.0))
    """
    x = validate.vector("values", values).astype(np.float64)
    order = np.argsort(x, kind="stable")
    ranked = x[order]
    with np.errstate(invalid="ignore"):
        size = np.fmax(np.abs(ranked[1:]), np.abs(ranked[:-1]))
        new = (ranked[1:] != ranked[:-1]) & ~(
            np.diff(ranked) <= np.where(np.isinf(size), 0.0, RELATIVE * size)
        )
    first = np.append(x.size > 0, new)[: x.size]
    merged = np.empty_like(x)
    merged[order] = ranked[first][np.cumsum(first) - 1]
    return merged


def above(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Whether numbers are larger than others by more than their last bits; NaN is not.

    Parameters
    ----------
    one, other : arrays (or tables of the same labels) of shapes that broadcast

    Examples
    --------
    >>> above(np.array([0.1 + 0.2, 0.4]), np.array([0.3, 0.3]))
    array([False,  True])
    """
    one, other = _floats("one", one), _floats("other", other)
    return one - other > RELATIVE * np.maximum(np.abs(one), np.abs(other))


def _floats(name: str, side: Any) -> Any:
    """``side`` as floats, since 3 - 5 wraps around where the dtype has no sign."""
    numbers = validate.reals(name, side)
    return side.astype(float) if isinstance(side, pd.Series | pd.DataFrame) else numbers


def ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1, the smallest first; those of ties are their mean, those of NaN are NaN.

    Examples
    --------
    >>> ranks(np.array([0.3, 0.1 + 0.2, 0.1]))
    array([2.5, 2.5, 1. ])
    """
    return pd.Series(merge_ties(values)).rank().to_numpy()


def mean_interval(
    values: Sequence[float] | np.ndarray,
    level: float = 0.95,
    *,
    floor: float = -np.inf,
    ratio: float = 0.0,
) -> tuple[float, float, float]:
    """Mean of ``values``, shape (n,), and its t interval; NaN bounds for fewer than two finite
    values.

    NaN entries (a metric that a run does not have) are left out; the mean of none is NaN.

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
    floor = validate.number("floor", floor)
    x = validate.vector("values", values)
    x = x[~np.isnan(x)]
    if x.size < 2:
        return (float(x[0]) if x.size else np.nan), np.nan, np.nan
    with np.errstate(over="ignore", invalid="ignore"):  # no interval around an infinity
        spread = x.std(ddof=1)
    half = stats.t.ppf(0.5 + level / 2, x.size - 1) * spread / np.sqrt(x.size)
    half *= widening(x.size, ratio)
    return float(x.mean()), float(max(x.mean() - half, floor)), float(x.mean() + half)


def clopper_pearson(hits: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Exact interval of a probability from ``hits`` in ``n``.

    Examples
    --------
    >>> [round(end, 3) for end in clopper_pearson(0, 100)]
    [0.0, 0.036]
    """
    n, level = validate.integer("n", n, low=1), validate.fraction("level", level)
    hits = validate.integer("hits", hits, low=0, high=n)
    interval = stats.binomtest(hits, n).proportion_ci(level, method="exact")
    return float(interval.low), float(interval.high)


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
    runs = validate.integer("runs", runs, low=1, high=validate.INTEGER_MAX)
    number = validate.as_float(ratio)
    validate.require(0 <= number < np.inf, "ratio", "a finite number >= 0", ratio)
    return float(np.sqrt(1 + runs * number))


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
    level, floor = validate.fraction("level", level), validate.number("floor", floor)
    require_numbers(frame, value, name="value")
    values = frame[require_columns("by", by, frame)].assign(_value=frame[value].astype(float))
    grouped = values.groupby(list(by), sort=sort)["_value"]
    found = grouped.agg(["mean", "std", "count"]).reset_index()
    # the same interval as mean_interval gives, for thousands of groups at once
    half = stats.t.ppf(0.5 + level / 2, found["count"] - 1) * found["std"] / np.sqrt(found["count"])
    found = found.assign(
        low=(found["mean"] - half).clip(lower=floor), high=found["mean"] + half, runs=found["count"]
    )
    return found[[*by, "mean", "low", "high", "runs"]]


def require_columns(name: str, columns: Sequence[str], frame: pd.DataFrame) -> list[str]:
    """``columns`` as a list, if there is one or more and ``frame`` has them all."""
    columns = validate.names(name, columns)
    validate.require(len(columns) > 0, name, "one column or more", columns)
    return [validate.column(name, column, frame) for column in columns]


def rank_correlation(x: pd.Series, y: pd.Series) -> float:
    """Spearman's rank correlation; NaN where one of the two is constant. Numbers that differ by
    last bits are tied.

    A ``ValueError`` unless both have the same labels in the same order: which numbers belong
    together would depend on whether one goes by them.
    """
    validate.instance("x", x, pd.Series)
    validate.instance("y", y, pd.Series)
    validate.require(x.index.equals(y.index), "y", "of the labels of x, in their order", y.index)
    x, y = (pd.Series(ranks(validate.reals(*side))) for side in (("x", x), ("y", y)))
    return float(x.corr(y)) if x.nunique() > 1 and y.nunique() > 1 else np.nan


def require_numbers(frame: pd.DataFrame, column: str, name: str = "metric") -> None:
    """A ``ValueError`` unless ``column`` holds numbers, truth values or gaps."""
    validate.column(name, column, frame)
    numeric = pd.api.types.is_numeric_dtype(frame[column])
    if not numeric and not all(
        isinstance(entry, Real | np.bool_) for entry in frame[column].dropna()
    ):
        raise ValueError(
            f"{name} must be a column of numbers, got {column!r}, which holds {frame[column].dtype}"
        )


def run_means(frame: pd.DataFrame, value: str, by: Sequence[str] = ()) -> pd.Series:
    """Mean of ``value`` in each cell and run, named ``mean`` and indexed by ``*by, run``.

    ``by`` tells the cells apart. Runs that have fewer rows of a cell than others are left out.
    """
    require_numbers(frame, value, name="value")
    columns = require_columns("by", [*validate.names("by", by), "run"], frame)
    values = frame[columns].assign(_value=frame[value].astype(float))
    found = values.groupby(columns)["_value"].agg(["mean", "size"])
    most = found.groupby([*by])["size"].transform("max") if len(by) else found["size"].max()
    return found.loc[found["size"] == most, "mean"]


def interval_words(row: pd.Series, spec: str = "+.3f") -> str:
    """``mean [low, high]`` of a row, or the mean alone where it has no interval."""
    keys = [validate.choice("row", key, row.index) for key in ("mean", "low", "high")]
    mean, low, high = (float(validate.reals("row", row[key])) for key in keys)
    return f"{mean:{spec}}" if np.isnan(low) else f"{mean:{spec}} [{low:{spec}}, {high:{spec}}]"
