"""The columns of a table and the number of codes of each: declared, never read off private data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lib import validate

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Domain:
    """Columns and their sizes: column ``c`` takes the codes ``0..sizes[c] - 1``.

    >>> domain = Domain.of({"sex": 2, "age": 5})
    >>> domain["age"], domain.project(["age"]).columns
    (5, ('age',))

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
        validate.fields(self, "columns", validate.names)
        validate.fields(self, "sizes", validate.sequence)
        validate.require(
            len(self.columns) == len(self.sizes), "sizes", "one for each column", self.sizes
        )
        validate.require(
            len(set(self.columns)) == len(self.columns), "columns", "different names", self.columns
        )
        sizes = tuple(validate.integer(f"size of {column}", size, low=1) for column, size in self)
        object.__setattr__(self, "sizes", sizes)

    @classmethod
    def of(cls, sizes: Mapping[str, int]) -> Domain:
        """The domain of a mapping column -> size."""
        validate.instance("sizes", sizes, Mapping)
        return cls(tuple(sizes), tuple(sizes.values()))

    def __getitem__(self, column: str) -> int:
        """The number of codes of ``column``."""
        return self._sizes[validate.choice("column", column, self._sizes)]

    @cached_property
    def _sizes(self) -> dict[str, int]:
        return dict(self)

    def __iter__(self):
        return iter(zip(self.columns, self.sizes, strict=True))

    def __len__(self) -> int:
        return len(self.columns)

    def project(self, columns: Iterable[str]) -> Domain:
        """The domain of ``columns``, in that order."""
        return Domain.of({column: self[column] for column in validate.names("columns", columns)})

    def narrow(self, frame: pd.DataFrame) -> pd.DataFrame:
        """``frame`` in the smallest type, of int16, int32 and int64, that holds all codes.

        The sizes decide on the type and not the rows, so all tables over a domain have the same.

        Raises
        ------
        ValueError
            As :meth:`check`; nothing is cut to fit.

        Examples
        --------
        >>> import pandas as pd
        >>> rows = pd.DataFrame({"a": [0, 7]})
        >>> [set(Domain.of({"a": k}).narrow(rows).dtypes.astype(str)) for k in (32_768, 32_769)]
        [{'int16'}, {'int32'}]
        """
        largest = max(self.sizes, default=1) - 1
        fits = (kind for kind in (np.int16, np.int32) if largest <= np.iinfo(kind).max)
        return self.check(frame).astype(next(fits, np.int64))

    def check(self, frame: pd.DataFrame, name: str = "frame") -> pd.DataFrame:
        """``frame`` if it has exactly these columns and every entry is a code of its column.

        Errors call it ``name``.

        Raises
        ------
        ValueError
            If the columns are others or stand in another order (both lists are
            given), or if an entry is missing, no number, no whole number or
            outside ``0 .. k-1`` (the column and the first such entry are).
        """
        if tuple(validate.table(name, frame).columns) != self.columns:
            raise validate.refusal(
                f"columns of {name}", f"{list(self.columns)} in this order", list(frame.columns)
            )
        for column, k in self:
            validate.codes(column, _no_codes_first(frame[column].to_numpy(), k), k)
        return frame


def _no_codes_first(values: np.ndarray, k: int) -> np.ndarray:
    """``values``, or of text and objects those that are no codes in any dtype, if there are any.

    ``"1"`` is refused, too, but beside ``"two"`` it is not what an error should show.
    """
    if values.dtype.kind in "biuf":
        return values
    import pandas as pd

    try:
        numbers = pd.to_numeric(pd.Series(values), errors="coerce")
    except TypeError:  # an entry is an array
        return values
    wrong = ~np.isin(numbers, np.arange(k))
    return values[wrong] if wrong.any() else values
