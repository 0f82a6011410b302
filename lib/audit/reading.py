"""A CSV or Parquet file of a user, read strictly: what is odd about it is refused, not mended."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import pandas as pd

from lib import validate
from lib.extras import needs
from lib.files import shown
from lib.table.numbers import mapped_column

MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?")
COLUMNS = 2_000  # of a file; each takes its time, a hundred thousand take minutes
PEOPLE = 5_000_000  # of a table of counts, row by row
TARGET = "(sensitive)"  # a name in the table that learners get, so no column of a user can have it


def read_file(path: Path | str) -> pd.DataFrame:
    """As :func:`read_csv`, or a ``.parquet`` file, with its values as Python writes them.

    Raises
    ------
    MissingExtra
        For Parquet without pyarrow.
    ValueError
        As :func:`read_csv`; for a file that is no Parquet, and a cell that is a list or the like.
    """
    path = Path(path)
    if path.suffix.lower() != ".parquet":
        return read_csv(path)
    validate.require(path.is_file(), "file", "one that exists", str(path))
    with needs("run"):
        import pyarrow.parquet
    try:
        frame = pyarrow.parquet.read_table(path).to_pandas(integer_object_nulls=True)
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"{path.name} must be a Parquet file, got {error}") from error
    validate.require(len(frame) > 0, path.name, "a header and at least one row", "no rows")
    if frame.index.names != [None]:
        frame = frame.reset_index()
    frame.columns = [str(name).strip() for name in frame]
    _check_header([*frame], path.name)
    for name, cells in frame.items():
        odd = [c for c in cells if not pd.api.types.is_scalar(c)] if cells.dtype == object else []
        what = f"{path.name}: column {name!r}"
        validate.require(not odd, what, "of one value a cell", next(iter(odd), None))
    return pd.DataFrame({name: mapped_column(frame[name], _text) for name in frame})


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


def _text(cell: object) -> str | None:
    text = str(cell).strip()
    return None if pd.isna(cell) or text in MISSING else text


def read_csv(path: Path | str, *, empty: bool = False) -> pd.DataFrame:
    """All cells of a CSV as categories of text, those of :data:`MISSING` as gaps; a row a record.

    A file with a header alone is a table without rows where ``empty`` allows it.

    Raises
    ------
    ValueError
        For a file that does not exist, is not UTF-8, has no rows, a header that is blank or stands
        twice, or a line of another length.
    """
    path, same = Path(path), dict[str, str]()  # one object for each text of the file
    validate.require(path.is_file(), "file", "one that exists", str(path))
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
    cells = pd.DataFrame([record for _, record in records[1:]], columns=header, dtype=object)
    known = {cell: None if cell.strip() in MISSING else cell.strip() for cell in same}
    return pd.DataFrame({name: mapped_column(cells[name], known.__getitem__) for name in cells})


def _check_header(names: list[str], file: str) -> None:
    few = len(names) <= COLUMNS
    validate.require(few, file, f"a table of at most {COLUMNS:,} columns", len(names))
    if "" in names:
        raise ValueError(f"{file}: column {names.index('') + 1} must have a name, got ''")
    name, count = Counter(names).most_common(1)[0]
    validate.require(count == 1, f"{file}: the header {shown(name)}", "there once", count)
    commas = len(names) > 1 or not any(mark in name for mark in ";\t|")
    validate.require(commas, f"{file}: the header", "separated by commas", name)
    other = TARGET not in names
    validate.require(other, f"{file}: a header", f"other than {TARGET!r}, a name in use", TARGET)
