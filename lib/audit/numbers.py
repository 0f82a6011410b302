"""One spelling for each number, so that ``1``, ``1.0`` and ``1e0`` in two files are the same value.

A table that went through a spreadsheet or a data frame spells its numbers
otherwise: an integer column with one gap comes back as floats. Compared as
text nothing would match any more, and a leak would look like no leak.
"""

from __future__ import annotations

import re
from decimal import Context

import pandas as pd

__all__ = ["spelling", "spelt"]

# no zero in front of another digit: 01234 is a code, and another one than 1234
_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_PLAIN = 30  # digits up to which a number is written without an exponent


def spelling(cell: str) -> str:
    """``cell`` itself, or, if it is a decimal number, the one spelling of that number: ``"1.50"``
    as ``"1.5"``.

    Exact, whatever the number of digits. Codes with leading zeros are left as
    they are; that ``1.10`` and ``1.1`` may be two codes cannot be known.
    """
    if not _NUMBER.fullmatch(cell):
        return cell
    exact = Context(prec=len(cell))
    number = exact.create_decimal(cell).normalize(exact)
    if not number:
        return "0"
    return f"{number:f}" if abs(number.adjusted()) < _PLAIN else str(number)


def spelt(values: pd.Series) -> pd.Series:
    """Each cell of a text column by :func:`spelling`; missing ones stay missing."""
    one = {cell: spelling(cell) for cell in values.dropna().unique()}
    return values.map(one).astype(object).where(values.notna(), None)
