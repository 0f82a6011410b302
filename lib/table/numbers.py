"""One text for each number, so that ``1``, ``1.0`` and ``1e0`` in two files are the same value.

A spreadsheet or a data frame may write a number otherwise than it was read: an integer column with
one gap comes back as floats. Compared as text nothing would match any more, and a leak would look
like no leak.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Context
from typing import Any

import numpy as np
import pandas as pd

# no zero in front of another digit: 01234 is a code, and another one than 1234
_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_PLAIN = 30  # digits up to which a number is written without an exponent


def canonical_text(cell: str) -> str:
    """The one text that stands for a decimal number however it is written; other text as it is.

    Exact, whatever the number of digits. Codes with leading zeros are left as they are; that
    ``1.10`` and ``1.1`` may be two codes cannot be known.

    Examples
    --------
    >>> [canonical_text(cell) for cell in ("1.50", "1e0", "01234", "yes")]
    ['1.5', '1', '01234', 'yes']
    """
    if not _NUMBER.fullmatch(cell):
        return cell
    exact = Context(prec=len(cell))
    number = exact.create_decimal(cell).normalize(exact)
    if not number:
        return "0"
    return f"{number:f}" if abs(number.adjusted()) < _PLAIN else str(number)


def canonical_column(values: pd.Series, missing: str | None = None) -> pd.Series:
    """Each cell of a text column by :func:`canonical_text`, as a category; gaps as ``missing``."""
    return mapped_column(values, canonical_text, missing)


def mapped_column(
    values: pd.Series, text: Callable[[Any], str | None], missing: str | None = None
) -> pd.Series:
    """The ``text`` of each cell, as a category; None is a gap, and gaps become ``missing``.

    Each value is looked at once, however many rows have it.
    """
    codes, distinct = pd.factorize(values)
    # the last stands for the code -1 of a gap
    texts = np.array([*map(text, distinct), missing], dtype=object)
    joined, categories = pd.factorize(texts)
    cells = pd.Categorical.from_codes(joined[codes], pd.Index(categories, dtype=object))
    return pd.Series(cells, index=values.index, name=values.name)
