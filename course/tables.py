"""The tables that a lecturer writes or edits: the roster, keys, points of written answers."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Collection
from pathlib import Path

import pandas as pd

from lib import validate
from lib.files import LARGEST, read_regular
from lib.parse import shown


def read_table(path: Path, needed: Collection[str]) -> pd.DataFrame:
    """A CSV file in UTF-8 as text, without spaces around it and without lines that are empty; names
    of columns in small letters.

    Raises
    ------
    ValueError
        Naming the file, for one that is no such table, has a line of another length than its
        header, a name of a column twice, or none of ``needed``.
    """
    try:
        text = read_regular(path, LARGEST).decode("utf-8-sig")
        if "\0" in text:
            raise csv.Error("a character that is no text")
        records = csv.reader(io.StringIO(text), strict=True)
        rows = [[cell.strip() for cell in record] for record in records]
    except (csv.Error, UnicodeDecodeError) as error:
        raise ValueError(
            f"{path} must be a CSV file in UTF-8, got what is none ({error})"
        ) from None
    filled = [row for row in rows if any(row)]
    validate.require(len(filled) > 0, f"{path}", "a CSV file with a header", text)
    names = [name.lower() for name in filled.pop(0)]
    for name in needed:
        validate.require(name in names, f"the columns of {path}", f"with {name}", names)
    name, count = Counter(names).most_common(1)[0]
    validate.require(count == 1, f"{path}: the header {shown(name)}", "there once", count)
    whole = f"of {len(names)} cells, as the header"
    for row in filled:
        validate.require(len(row) == len(names), f"{path}: each row", whole, row)
    return pd.DataFrame(filled, columns=names, dtype=str)
