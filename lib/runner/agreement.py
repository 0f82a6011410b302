"""Results that were computed again, held against the stored ones within a stated tolerance, and
records of one cell against each other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd

from lib import validate
from lib.runner.records import RESERVED, is_gap, is_list

# what another processor may change: sums in another order move a number by its last bits, while
# training moves a few predictions (LightGBM sums gradients of 32 bits in an order of its own), and
# a fit that chooses by such sums may choose otherwise, which moves a small group's scores by more
TOLERANCES = {"arithmetic": 1e-9, "training": 0.01, "choice": 0.15}


def matches_stored(
    found: pd.Series, stored: pd.Series, kind: Literal["arithmetic", "training"] = "arithmetic"
) -> int:
    """How many of the numbers ``found`` are stored, if these agree.

    Two numbers agree if they differ by at most the tolerance of ``kind`` in :data:`TOLERANCES`
    times ``1 + |stored|``, or if both are NaN.

    Parameters
    ----------
    found, stored : Series
        Numbers with the same kind of index. What is found and not stored is not compared, so an
        empty ``stored`` compares nothing.

    Raises
    ------
    AssertionError
        If a number differs by more, with its place in the index.

    Examples
    --------
    >>> matches_stored(pd.Series({"a": 0.1 + 0.2, "b": 5.0}), pd.Series({"a": 0.3}))
    1
    """
    tolerance = TOLERANCES[validate.choice("kind", kind, TOLERANCES)]
    now = found[found.index.isin(stored.index)].astype(float)
    then = stored.loc[now.index].astype(float)
    wrong = ~np.isclose(now, then, rtol=tolerance, atol=tolerance, equal_nan=True)
    if wrong.any():
        place, one, other = now.index[wrong][0], now[wrong].iloc[0], then[wrong].iloc[0]
        raise AssertionError(
            f"{place} must agree with its stored number {other:.6g} within {tolerance:g}, got"
            f" {one:.6g}"
        )
    return len(now)


# who computed a cell, when, and from which copy of the data
_MAY_DIFFER = {*RESERVED, "data_source"} - {"cell", "version"}


def differing(
    one: Mapping[str, Any], other: Mapping[str, Any], tolerance: float = TOLERANCES["arithmetic"]
) -> str | None:
    """The first field, by its name, whose values differ; None if there is none.

    Fields of where and when a record was made are not compared, nor seconds.

    Examples
    --------
    >>> differing({"acc": 0.5, "fit_s": 2.0}, {"acc": 0.501, "fit_s": 3.0})
    'acc'
    >>> differing({"acc": 0.5}, {"acc": 0.501}, tolerance=0.01)
    """
    for name in sorted(one.keys() | other.keys()):
        compared = name not in _MAY_DIFFER and not name.endswith("_s")
        if compared and not _agree(one.get(name), other.get(name), tolerance):
            return name
    return None


def _agree(one: Any, other: Any, tolerance: float) -> bool:
    if is_list(one) and is_list(other):  # scores
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and not any(differing(*pair, tolerance) for pair in pairs)
    if is_gap(one) or is_gap(other):
        return is_gap(one) and is_gap(other)
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
    return repr(one) == repr(other)
