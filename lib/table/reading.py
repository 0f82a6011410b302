"""A file of a user, read strictly: what is odd about it is refused, or said, and not mended.

Every cell becomes its text, without blanks around it, as the file writes it; an empty one is a gap.
Whether other texts are gaps, and which columns are numbers, hangs on the column
(:mod:`lib.table.columns`), or on the schema. A data frame's cells are the texts that pandas writes
into a CSV. What was recognised is said in ``attrs["notes"]``.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
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

# gaps of a column of numbers or dates, beside empty cells, as programs write them
MISSING = tuple("NA N/A n/a #N/A <NA> NaN nan NaT null NULL None ? .".split())
COLUMNS = 2_000  # of a file; each takes its time, a hundred thousand take minutes
PEOPLE = 5_000_000  # of a table of counts, row by row
ISO = "%Y-%m-%d"
# no zero in front of another digit: 01234 is a code, and another one than 1234
_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_PLAIN = 30  # digits up to which a number is written without an exponent
_MARKS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


def read_file(
    path: Path | str, *, empty: bool = False, encoding: str | None = None
) -> pd.DataFrame:
    """All cells of a file as categories of text; a row a record.

    ``.parquet``, ``.xlsx``, or a CSV, perhaps in ``.gz``: with commas, or semicolons, tabs or bars,
    if its header has more of these. A first column without a name is left out if it counts rows,
    else it is ``rownames``. ``empty`` allows a table without rows.

    Parameters
    ----------
    encoding : str, optional
        Of a CSV that is neither UTF-8 nor marked as UTF-16.

    Raises
    ------
    MissingExtra
        For Parquet without pyarrow, and for Excel without openpyxl.
    ValueError
        For a file that does not exist, has another encoding or format, no rows, a header that is
        blank or stands twice, a line of another length, or a cell that is a list or the like.
    """
    path = Path(path)
    notes: list[str] = []
    validate.require(path.is_file(), "file", "one that exists", str(path))
    kind = path.suffix.lower()
    if kind == ".parquet":
        cells = _parquet(path)
    else:
        records = _sheet(path, notes) if kind == ".xlsx" else _records(path, encoding, notes)
        cells = _framed(records, path.name, empty, notes)
    validate.require(empty or len(cells) > 0, path.name, "a header and at least one row", "no rows")
    table = pd.DataFrame({name: mapped_column(cells[name], cell_text) for name in cells})
    table.attrs["notes"] = [f"{path.name}: {note}." for note in notes]
    return table


def cell_text(cell: object) -> str | None:
    """A cell as it is written, without blanks around it; None for a gap."""
    return None if pd.isna(cell) else str(cell).strip() or None


def _decoded(path: Path, encoding: str | None, notes: list[str]) -> str:
    data = path.read_bytes()
    if data.startswith(b"\x1f\x8b"):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"{path.name} must be a whole gzip file, got {error}") from None
    validate.require(data[:4] != b"PK\3\4", path.name, "text, .xlsx or .parquet", "a zip archive")
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    name = "utf-16" if marked else "utf-8-sig"
    try:
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            if encoding is None:
                raise
            text = data.decode(name := encoding)
    except LookupError:
        raise validate.refusal("encoding", "one that Python knows", encoding) from None
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path.name} must be {error.encoding.upper()}, got another byte at {error.start} (say"
            " its encoding, such as cp1252 in Western Europe or cp1250 in Central Europe)"
        ) from error
    validate.require("\0" not in text, path.name, "text", "a character of code 0")
    if name != "utf-8-sig":
        notes.append(f"read as {name}")
    return text


def _records(path: Path, encoding: str | None, notes: list[str]) -> list[tuple[int, list]]:
    """The records of a CSV with their lines."""
    text = _decoded(path, encoding, notes)
    same: dict[str, str] = {}  # one object for each text of the file
    bare = re.sub(r'"[^"]*"', "", re.split(r"[\r\n]", text.lstrip(), maxsplit=1)[0])
    mark = max(_MARKS, key=bare.count)
    if mark != ",":
        notes.append(f"cells are separated by {_MARKS[mark]}s")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    try:
        records = [(reader.line_num, [same.setdefault(c, c) for c in cells]) for cells in reader]
    except csv.Error as error:
        raise ValueError(
            f"{path.name} must be {_MARKS[mark]}-separated, got {error} in line {reader.line_num}"
        ) from error
    alone = max((len(cells) for _, cells in records), default=0) == 1  # a blank line is a gap
    return [(line, cells or [""]) for line, cells in records if cells or alone]


def _sheet(path: Path, notes: list[str]) -> list[tuple[int, list]]:
    """The rows of the first sheet of an Excel file."""
    with needs("excel"):
        import openpyxl
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        first, *others = book.worksheets
        rows = [(i, list(row)) for i, row in enumerate(first.iter_rows(values_only=True), 1)]
        book.close()
    except Exception as error:  # of zip, XML, and of what stands in them
        raise ValueError(f"{path.name} must be an Excel file with a sheet, got {error}") from None
    if others:
        notes.append(f"read the first of {1 + len(others)} sheets, {first.title!r}")
    return [(line, row) for line, row in rows if any(cell is not None for cell in row)]


def _framed(
    records: list[tuple[int, list]], file: str, empty: bool, notes: list[str]
) -> pd.DataFrame:
    if len(records) <= (0 if empty else 1):
        what = "a header" if empty else "a header and at least one row"
        raise validate.refusal(file, what, "".join(",".join(map(str, r)) for _, r in records))
    header, rows = [cell_text(cell) or "" for cell in records[0][1]], records[1:]
    if rows and all(len(record) == len(header) + 1 for _, record in rows):  # as R writes it
        header = ["", *header]
    if len(header) > 1 and not header[0] and all(header[1:]):
        numbers = [str(record[0]) for _, record in rows if record]
        counted = any(numbers == [*map(str, range(k, k + len(rows)))] for k in (0, 1))
        if counted:
            notes.append("the first column has no name and counts the rows: left out")
            header, rows = header[1:], [(line, record[1:]) for line, record in rows]
        elif "rownames" not in header:
            notes.append("the first column has no name: called 'rownames'")
            header[0] = "rownames"
    _check_header(header, file)
    if len(header) == 1 and rows and len(numbers := str((rows[0][1] or [""])[0]).split()) > 1:
        spaces = all(_NUMBER.fullmatch(part) for part in numbers)
        marks = "separated by commas, semicolons, tabs or bars"
        validate.require(not spaces, f"{file}: cells", marks, " ".join(numbers))
    if all(_NUMBER.fullmatch(name) for name in header):
        notes.append("all names of columns are numbers: is the first line a row of the table")
    for line, record in rows:
        if len(record) != len(header):
            raise ValueError(
                f"{file}, line {line}, must have {len(header)} cells as the header has, got"
                f" {len(record)}"
            )
    return pd.DataFrame([record for _, record in rows], columns=header, dtype=object)


def _parquet(path: Path) -> pd.DataFrame:
    with needs("run"):
        import pyarrow.parquet
    try:
        frame = pyarrow.parquet.read_table(path).to_pandas(integer_object_nulls=True)
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"{path.name} must be a Parquet file, got {error}") from error
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

    Exact, whatever the number of digits. Codes with leading zeros are left as they are. It serves
    to compare, and no text of a category is rewritten.

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


def spelled_as(texts: pd.Series, known: pd.Index) -> pd.Series:
    """Texts of one file in the spelling of another's, whose texts are ``known``.

    A program that met a gap writes 1.0 for a 1 that it read. So a text that is not known becomes
    the known one that is the same number, unless either file has two texts of that number.

    Examples
    --------
    >>> spelled_as(pd.Series(["1.0", "250.00", "250"]), pd.Index(["1", "250.0", "250.00"])).tolist()
    ['1', '250.00', '250']
    """
    there, own = set(known), Counter(canonical_text(text) for text in texts.dropna().unique())
    alike = Counter(map(canonical_text, known))
    spelling = {canonical_text(text): text for text in known}

    def spelled(text: str) -> str:
        number = canonical_text(text)
        one = text not in there and alike[number] == own[number] == 1
        return spelling[number] if one else text

    return mapped_column(texts, spelled)


def as_floats(texts: pd.Series | np.ndarray, decimal: str = ".") -> np.ndarray:
    """The numbers that are written as texts, shape (n,); NaN for what is none."""
    found = pd.Series(texts, dtype=object)
    if decimal != ".":
        found = found.str.replace(".", "x").str.replace(decimal, ".")
    numbers = pd.to_numeric(found, errors="coerce").to_numpy(float)
    return np.where(np.isfinite(numbers), numbers, np.nan)


def as_days(texts: pd.Series | np.ndarray, form: str = ISO) -> np.ndarray:
    """The days since 1970 of dates that are written as texts, shape (n,); NaN for what is none.

    A time that follows an ISO date is not looked at.

    Examples
    --------
    >>> as_days(np.array(["1970-01-02 12:00:00", "2023-02-29", "1970"])).tolist()
    [1.0, nan, nan]
    """
    found = pd.Series(texts, dtype=object)
    if form == ISO:
        found = found.str.extract(r"^(\d{4}-\d\d-\d\d)(?:$|[T ])", expand=False)
    elif form == "%Y%m%d":  # pandas reads 2020111, too
        found = found.where(found.str.fullmatch(r"\d{8}").fillna(False).astype(bool))
    days = pd.to_datetime(found, format=form, errors="coerce").to_numpy("datetime64[D]")
    return np.where(np.isnat(days), np.nan, days.astype(float))


def mapped_column(
    values: pd.Series, text: Callable[[Any], str | None], missing: str | None = None
) -> pd.Series:
    """The ``text`` of each cell, as a category; None is a gap, and gaps become ``missing``.

    Each value is looked at once, however many rows have it.
    """
    if values.dtype == object and (kind := pd.api.types.infer_dtype(values)) != "string":
        what = f"column {values.name!r}"
        validate.require(kind != "bytes", what, "of text, decoded from its encoding", "bytes")
        values = values.map(str, na_action="ignore")  # 1, 1.0 and True are equal, and no one text
    codes, distinct = pd.factorize(values)
    if pd.api.types.is_float_dtype(distinct):  # an index gives 0.1 of 32 bits as another of 64
        distinct = distinct.to_numpy()
    # the last stands for the code -1 of a gap
    texts = np.array([*map(text, distinct), missing], dtype=object)
    joined, categories = pd.factorize(texts)
    cells = pd.Categorical.from_codes(joined[codes], pd.Index(categories, dtype=object))
    return pd.Series(cells, index=values.index, name=values.name)
