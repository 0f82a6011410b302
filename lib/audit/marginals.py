"""Counts of one to three columns of a table and of a release, cut by the values of the file."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd

from lib.audit.schema import Column, as_floats
from lib.domain import Domain
from lib.table.numbers import canonical_column

COMMONEST = 20  # values of a category; the others count as one
WIDTHS = (1, 2, 3)
_DECILES = np.arange(1, 10) / 10
Weights = tuple[np.ndarray, np.ndarray]  # of the rows of a real and of another table


class Codes:
    """Codes of the compared columns, by the values of the file."""

    def __init__(self, columns: list[Column], pool: pd.DataFrame) -> None:
        self._domain = Domain.of({column.name: COMMONEST + 2 for column in columns})
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
                found, gap = 2 + cuts.get_indexer(cells), cells.isna()
            else:
                cells = as_floats(rows[name])
                found, gap = 1 + np.digitize(cells, cuts), cells.isna()
            codes[name] = np.where(gap, 0, found)
        return pd.DataFrame(codes)

    def errors(
        self,
        real: pd.DataFrame,
        other: pd.DataFrame,
        ours: Mapping[str, np.ndarray],
        theirs: Mapping[str, np.ndarray],
        weights: Weights,
    ) -> pd.DataFrame:
        """Mean total variation distance of each group, one column for each number of columns."""
        sides = self._of(real).to_numpy(), self._of(other).to_numpy()
        found = {}
        for k in (k for k in WIDTHS if k <= len(self._domain)):
            cells, sizes = (COMMONEST + 2) ** k, (COMMONEST + 2,) * k
            distances: dict[str, list[float]] = {name: [] for name in ours}
            for columns in combinations(range(len(self._domain)), k):
                codes = [np.ravel_multi_index(side[:, columns].T, sizes) for side in sides]
                for name, own in distances.items():
                    parts = zip(codes, weights, (ours[name], theirs[name]), strict=True)
                    real_part, other_part = ((x[who], w[who]) for x, w, who in parts)
                    own.append(_distance(real_part, other_part, cells))
            found[k] = {name: float(np.mean(own)) for name, own in distances.items()}
        frame = pd.DataFrame(found, index=list(ours)).reindex(columns=WIDTHS)
        return frame.rename(columns="tv{}".format)


def _distance(
    real: tuple[np.ndarray, np.ndarray], other: tuple[np.ndarray, np.ndarray], cells: int
) -> float:
    """Total variation of two weighted tables of codes: 1 if the other is empty, NaN if the real."""
    if not (real[0].size and other[0].size):
        return 1.0 if real[0].size else np.nan
    one, two = (np.bincount(x, w, minlength=cells) / w.sum() for x, w in (real, other))
    return float(np.abs(one - two).sum() / 2)
