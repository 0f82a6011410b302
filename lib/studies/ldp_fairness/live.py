"""Trainings of a page held against the stored ones, to the last bit."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from lib.runner.cell import cell_key
from lib.studies.ldp_fairness.cells import Cell


def matches_stored(cells: Sequence[Cell], found: pd.DataFrame, stored: pd.DataFrame) -> int:
    """How many of ``cells`` are stored, if what was found for them agrees to the last bit.

    Parameters
    ----------
    cells : sequence of Cell
    found : DataFrame
        One row of metrics for each cell, in their order.
    stored : DataFrame
        Records of a grid, or none: those of a replica are not compared.

    Raises
    ------
    AssertionError
        If a metric differs from the record. NaN equals NaN.
    """
    now = found.set_axis([cell_key(cell) for cell in cells]).astype(float)
    then = stored.set_index("cell")[[*found]].astype(float)
    known = now.index[now.index.isin(then.index)]
    assert now.loc[known].equals(then.loc[known]), "a stored cell does not come out the same"
    return len(known)
