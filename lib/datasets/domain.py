"""A frozen list of columns with the number of codes of each. Declared, never read off private data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

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
                f"sizes has {len(self.sizes)} entries for {len(self.columns)} columns; one each is allowed"
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
        """``frame`` if it has exactly these columns and every entry is a code of its column."""
        if tuple(frame.columns) != self.columns:
            raise ValueError(
                f"frame has columns {list(frame.columns)}; allowed are {list(self.columns)}, in this order"
            )
        for column, size in self:
            validate.codes(column, frame[column].to_numpy(), size)
        return frame
