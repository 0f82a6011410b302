"""A frozen list of columns with the number of codes of each. Declared, never read off private
data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from lib import validate

__all__ = ["Domain"]


@dataclass(frozen=True)
class Domain:
    """Columns and their sizes: column ``c`` takes the codes ``0 .. sizes[c] - 1``.

    Parameters
    ----------
    columns : tuple of str
    sizes : tuple of int
        Same length, each at least 1.

    Raises
    ------
    ValueError
        If lengths differ, a name repeats or a size is below 1.
    """

    columns: tuple[str, ...]
    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.columns) != len(self.sizes):
            raise ValueError(
                f"sizes has {len(self.sizes)} entries for {len(self.columns)} columns; one each is"
                " allowed"
            )
        if len(set(self.columns)) != len(self.columns):
            raise ValueError(f"columns={self.columns!r} repeats a name; each may stand once")
        for column, size in zip(self.columns, self.sizes, strict=True):
            validate.integer(f"size of {column}", size, low=1)

    @classmethod
    def of(cls, sizes: Mapping[str, int]) -> Domain:
        """The domain of a mapping column -> size."""
        return cls(tuple(sizes), tuple(sizes.values()))

    def __getitem__(self, column: str) -> int:
        """The number of codes of ``column``."""
        validate.choice("column", column, self.columns)
        return self.sizes[self.columns.index(column)]

    def __iter__(self):
        return iter(zip(self.columns, self.sizes, strict=True))

    def __len__(self) -> int:
        return len(self.columns)

    def project(self, columns: Iterable[str]) -> Domain:
        """The domain of ``columns``, in that order."""
        return Domain.of({column: self[column] for column in columns})

    def check(self, frame: pd.DataFrame) -> pd.DataFrame:
        """``frame`` if it has exactly these columns and every entry is a code of its column.

        Raises
        ------
        ValueError
            If the columns are others or stand in another order (both lists are
            given), or if an entry is missing, no number, no whole number or
            outside ``0 .. k-1`` (the column and the first such entry are).
        """
        if tuple(frame.columns) != self.columns:
            raise ValueError(
                f"frame has columns {list(frame.columns)}; allowed are {list(self.columns)}, in"
                " this order"
            )
        for column, k in self:
            values = frame[column].to_numpy()
            if not (right := _codes(values, k)).all():
                wrong = values[~right][:1].tolist()[0]
                raise ValueError(
                    f"{column} holds {wrong!r} ({values.dtype}); allowed are whole numbers in"
                    f" 0..{k - 1}"
                )
        return frame


def _codes(values: np.ndarray, k: int) -> np.ndarray:
    """Which entries are whole numbers in 0..k-1, shape (n,); in a column of text or objects not
    all of them are.
    """
    if values.dtype.kind in "biuf":
        return (values >= 0) & (values < k) & (values == np.floor(values))
    right = _codes(pd.to_numeric(pd.Series(values), errors="coerce").to_numpy(float), k)
    return right & (
        not right.all()
    )  # "1" is no code either, but beside "two" it is not what to point at
