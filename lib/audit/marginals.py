"""Counts of one to three columns of a table and of a release, cut by the values of the file."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from lib.audit.schema import Column, as_floats
from lib.table.numbers import canonical_column

COMMONEST = 20  # values of a category; the others count as one
WIDTHS = (1, 2, 3)
_DECILES = np.arange(1, 10) / 10


class Side(NamedTuple):
    """The rows of a table, who of them is in each group, and what each counts, shape (n,)."""

    rows: pd.DataFrame
    groups: Mapping[str, np.ndarray]
    weight: np.ndarray

    def of(self, group: str, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The values and weights of a group."""
        who = self.groups[group]
        return values[who], self.weight[who]


class Codes:
    """Codes of the compared columns, by the values of the file."""

    def __init__(self, columns: list[Column], pool: pd.DataFrame) -> None:
        self._cuts = {
            column.name: np.unique(as_floats(pool[column.name].dropna()).quantile(_DECILES))
            if column.kind == "number"
            else canonical_column(pool[column.name]).value_counts().index[:COMMONEST]
            for column in columns
        }

    def _of(self, rows: pd.DataFrame) -> pd.DataFrame:
        codes = {}
        for name, cuts in self._cuts.items():
            if isinstance(cuts, pd.Index):
                cells = canonical_column(rows[name])
                found = 2 + cuts.get_indexer(cells)
            else:
                cells = as_floats(rows[name])
                found = 1 + np.digitize(cells, cuts)
            codes[name] = np.where(cells.isna(), 0, found)
        return pd.DataFrame(codes)

    def errors(self, real: Side, other: Side) -> pd.DataFrame:
        """Mean total variation distance of each real group, one column for each number of columns.

        1 for a group that is empty in the other table, NaN if it is so in the real one.
        """
        sides, found = (real, other), {}
        codes = [self._of(side.rows).to_numpy() for side in sides]
        for k in (k for k in WIDTHS if k <= len(self._cuts)):
            cells, sizes = (COMMONEST + 2) ** k, (COMMONEST + 2,) * k
            distances: dict[str, list[float]] = {name: [] for name in real.groups}
            for columns in combinations(range(len(self._cuts)), k):
                cell = [np.ravel_multi_index(part[:, columns].T, sizes) for part in codes]
                for name, own in distances.items():
                    one, two = (side.of(name, x) for side, x in zip(sides, cell, strict=True))
                    own.append(_distance(one, two, cells))
            found[k] = {name: float(np.mean(own)) for name, own in distances.items()}
        frame = pd.DataFrame(found, index=list(real.groups)).reindex(columns=WIDTHS)
        return frame.rename(columns="tv{}".format)


def _distance(
    real: tuple[np.ndarray, np.ndarray], other: tuple[np.ndarray, np.ndarray], cells: int
) -> float:
    """Total variation of two weighted tables of codes: 1 if the other is empty, NaN if the real."""
    if not (real[0].size and other[0].size):
        return 1.0 if real[0].size else np.nan
    one, two = (np.bincount(x, w, minlength=cells) / w.sum() for x, w in (real, other))
    return float(np.abs(one - two).sum() / 2)
