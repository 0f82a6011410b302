"""Numbers that a page computes again, held against the stored ones within a stated tolerance."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from lib import validate
from lib.runner.records import TOLERANCES


def matches_stored(
    found: pd.Series, stored: pd.Series, kind: Literal["arithmetic", "training"] = "arithmetic"
) -> int:
    """How many of the numbers ``found`` are stored, if these agree.

    Two numbers agree if they differ by at most ``1 + |stored|`` times the tolerance of ``kind`` in
    ``lib.runner.records.TOLERANCES``, or if both are NaN.

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
