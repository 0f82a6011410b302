"""A CSV or Parquet file of a user, read strictly: what is odd about it is refused, not mended.

Every cell becomes a text or a gap. A number has one text, so that ``1``, ``1.0`` and ``1e0`` in two
files are the same value: a spreadsheet or a data frame may write a number otherwise than it was
read (an integer column with one gap comes back as floats), and compared as text nothing would match
any more, so that a leak would look like no leak.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable
from decimal import Context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lib import validate
from lib.extras import needs
from lib.files import shown

MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?")
COLUMNS = 2_000  # of a file; each takes its time, a hundred thousand take minutes
PEOPLE = 5_000_000  # of a table of counts, row by row
# no zero in front of another digit: 01234 is a code, and another one than 1234
_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_PLAIN = 30  # digits up to which a number is written without an exponent


def read_file(path: Path | str, *, empty: bool = False) -> pd.DataFrame:
    """All cells of a CSV, or of a ``.parquet`` file, as categories of text; a row a record.

    Cells of :data:`MISSING` are gaps; values of Parquet are as Python writes them. A file with a
    header alone is a table without rows where ``empty`` allows it.

    Raises
    ------
    MissingExtra
        For Parquet without pyarrow.
    ValueError
        For a file that does not exist, is not UTF-8 or no Parquet, has no rows, a header that is
        blank or stands twice, a line of another length, or a cell that is a list or the like.
    """
    path = Path(path)
    validate.require(path.is_file(), "file", "one that exists", str(path))
    read = _parquet if path.suffix.lower() == ".parquet" else _csv
    cells = read(path, empty)
    return pd.DataFrame({name: mapped_column(cells[name], _text) for name in cells})


def _text(cell: object) -> str | None:
    text = str(cell).strip()
    return None if pd.isna(cell) or text in MISSING else text


def _csv(path: Path, empty: bool) -> pd.DataFrame:
    same: dict[str, str] = {}  # one object for each text of the file
    try:
        text = path.read_bytes().decode("utf-8-sig")
        validate.require("\0" not in text, path.name, "text", "a character of code 0")
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        records = [
            (reader.line_num, [same.setdefault(cell, cell) for cell in record])
            for record in reader
            if record
        ]
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name} must be UTF-8, got another byte at {error.start}") from error
    except csv.Error as error:
        raise ValueError(
            f"{path.name} must be comma-separated, got {error} in line {reader.line_num}"
        ) from error
    if len(records) <= (0 if empty else 1):
        what = "a header" if empty else "a header and at least one row"
        raise validate.refusal(path.name, what, text)
    header = [cell.strip() for cell in records[0][1]]
    _check_header(header, path.name)
    for line, record in records:
        if len(record) != len(header):
            raise ValueError(
                f"{path.name}, line {line}, must have {len(header)} cells as the header has, got"
                f" {len(record)}"
            )
    return pd.DataFrame([record for _, record in records[1:]], columns=header, dtype=object)


def _parquet(path: Path, empty: bool) -> pd.DataFrame:
    with needs("run"):
        import pyarrow.parquet
    try:
        frame = pyarrow.parquet.read_table(path).to_pandas(integer_object_nulls=True)
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"{path.name} must be a Parquet file, got {error}") from error
    validate.require(empty or len(frame) > 0, path.name, "a header and at least one row", "no rows")
    if frame.index.names != [None]:
        frame = frame.reset_index()
    frame.columns = [str(name).strip() for name in frame]
    _check_header([*frame], path.name)
    for name, cells in frame.items():
        odd = [c for c in cells if not pd.api.types.is_scalar(c)] if cells.dtype == object else []
        what = f"{path.name}: column {name!r}"
        validate.require(not odd, what, "of one value a cell", next(iter(odd), None))
    return frame


def _check_header(names: list[str], file: str) -> None:
    few = len(names) <= COLUMNS
    validate.require(few, file, f"a table of at most {COLUMNS:,} columns", len(names))
    if "" in names:
        raise ValueError(f"{file}: column {names.index('') + 1} must have a name, got ''")
    name, count = Counter(names).most_common(1)[0]
    validate.require(count == 1, f"{file}: the header {shown(name)}", "there once", count)
    commas = len(names) > 1 or not any(mark in name for mark in ";\t|")
    validate.require(commas, f"{file}: the header", "separated by commas", name)


def repeated(rows: pd.DataFrame, count: str, file: str) -> pd.DataFrame:
    """The rows of a table of counts as people: each as often as its column ``count`` says.

    Raises
    ------
    ValueError
        For a count that is no whole number >= 0, and for none or more than :data:`PEOPLE` people.

    Examples
    --------
    >>> repeated(pd.DataFrame({"sex": ["f", "m"], "n": ["2", "1"]}), "n", "cells")["sex"].tolist()
    ['f', 'f', 'm']
    """
    validate.choice(f"count column of {file}", count, rows.columns)
    times = pd.to_numeric(rows[count].astype(object), errors="coerce")
    wrong = rows[count][~((times >= 0) & (times % 1 == 0))]
    what = f"{file}: column {count!r}"
    validate.require(wrong.empty, what, "of whole numbers >= 0", next(iter(wrong), None))
    fits = 0 < times.sum() <= PEOPLE
    validate.require(fits, what, f"of 1 to {PEOPLE:,} people together", int(times.sum()))
    people = rows.loc[rows.index.repeat(times.astype(int))].drop(columns=count)
    return people.reset_index(drop=True)


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
