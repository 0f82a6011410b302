"""Ties: numbers that are equal but for their last bits count as equal before they are ranked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

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
