"""How each column of a user's file is read: as a number, a category, or not at all.

One stated rule decides it, from the values alone. ``python -m lib schema`` drafts from it what a
column may hold, and an audit reads its file, a release and a hold-out by it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from lib import validate
from lib.files import shown
from lib.table.reading import canonical_column

KINDS = ("category", "number", "ignore")
FEW = 20  # distinct numbers up to which a column counts as codes of a category


@dataclass(frozen=True, kw_only=True)
class Column:
    """How a column is read: its ``kind`` (of :data:`KINDS`), and in words ``why``.

    ``fill`` stands for a missing number (the median), with a column of its own that marks it;
    missing categories are a category. ``values`` are those that the audited file holds. ``mixed``
    is a column that is read as text though at least half of its values are numbers.
    """

    name: str
    kind: str
    why: str
    distinct: int
    missing: int
    fill: float
    mixed: bool
    values: pd.Index = field(repr=False, compare=False)

    def cells(self, raw: pd.DataFrame, file: str, missing: str | None = None) -> pd.Series:
        """This column of a file: floats for a number, else the one text of a value or ``missing``.

        A ``ValueError`` names the ``file`` that lacks the column, or a cell that is no number.
        """
        validate.choice(f"column of {file}", self.name, raw.columns)
        if self.kind == "number":
            return to_numbers(raw[self.name], file)
        return canonical_column(raw[self.name], missing)


def read_column(values: pd.Series, declared: str | None = None, wanted: bool = False) -> Column:
    """How a column of text is read.

    A constant column, one without values and an identifier are ignored (an identifier: text or
    whole numbers, no value twice); a column is a number if all its values are and more than
    :data:`FEW` differ, none with a leading zero; everything else is a category. ``declared``
    overrides it, and a ``wanted`` column is no identifier.

    Examples
    --------
    >>> read_column(pd.Series(["f", "m", "f"])).kind
    'category'
    """
    cells = canonical_column(values)
    texts, rows = cells.cat.categories, cells.cat.codes[cells.notna()]
    known, distinct, numbers = len(rows), len(texts), as_floats(texts.to_series()).to_numpy()
    numeric = distinct > 0 and bool(np.isfinite(numbers).all())
    identifier = distinct == known > FEW and not (numeric and (numbers % 1 != 0).any())
    if declared is not None:
        kind, why = declared, "declared"
    elif not distinct:
        kind, why = "ignore", "no value at all"
    elif distinct == 1 and known == len(cells):
        kind, why = "ignore", "constant"
    elif identifier and not wanted:
        kind, why = "ignore", "an identifier: no value stands twice"
    elif numeric and distinct > FEW and not texts.str.fullmatch(r"[+-]?0\d+").any():
        kind, why = "number", f"numbers, more than {FEW} different"
    else:
        kind, why = "category", f"numbers, {distinct} different: codes" if numeric else "text"
    finite = int(np.isfinite(numbers)[rows].sum())
    mixed = kind != "ignore" and not numeric and finite >= known / 2
    if mixed:
        why += f"; {finite} of {known} values are numbers, {known - finite} are none"
    if joined := values.nunique() - distinct:
        spellings = "spelling" if joined == 1 else "spellings"
        why += f"; {joined} other {spellings} of a number joined to it"
    if kind == "number":
        validate.require(distinct > 0, f"column {values.name!r}", "with a value", None)
        to_numbers(cells, "the file")
    return Column(
        name=values.name,
        kind=kind,
        why=why,
        distinct=distinct,
        missing=len(cells) - known,
        mixed=mixed and declared is None,
        fill=float(np.median(numbers[rows])) if kind == "number" else math.nan,
        values=pd.Index(numbers) if kind == "number" else texts,
    )


def as_floats(values: pd.Series) -> pd.Series:
    """The numbers that are written as text, NaN for what is none."""
    return pd.to_numeric(values.astype(object), errors="coerce").astype(float)


def to_numbers(values: pd.Series, file: str) -> pd.Series:
    """A column of numbers as floats, NaN for a gap; a ``ValueError`` names a cell that is none."""
    numbers = as_floats(values)
    wrong = values[values.notna() & ~np.isfinite(numbers)]
    for row, value in wrong.items():
        raise ValueError(
            f"{file}: column {values.name!r} must hold numbers, got {shown(value)} (row {row + 1})"
        )
    return numbers
