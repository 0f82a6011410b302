"""Counts of one to three columns of a table and of a release, cut by the values of the file."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from lib.audit.schema import Column, as_floats
from lib.domain import Domain
from lib.synth.workload import Weights, group_errors
from lib.table.numbers import canonical_column

COMMONEST = 20  # values of a category; the others count as one
WIDTHS = (1, 2, 3)
_DECILES = np.arange(1, 10) / 10


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
        sides = self._of(real), self._of(other)
        widths = [k for k in WIDTHS if k <= len(self._domain)]
        # the workload's error is twice the distance
        found = {k: group_errors(*sides, ours, theirs, self._domain, k, weights) for k in widths}
        halved = pd.DataFrame(found, index=list(ours)).reindex(columns=WIDTHS) / 2
        return halved.rename(columns="tv{}".format)
