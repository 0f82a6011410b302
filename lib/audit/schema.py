"""A user's own CSV as a table that learners can take: read strictly, typed by a stated rule, the
same for every file.

The rules are fitted once, on the audited file, and applied alike to a release
and to a hold-out. They do not know who is in which half, so that a random
split stays one.
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from lib import validate
from lib.audit.numbers import spelling, spelt
from lib.coherence.collection import banded

__all__ = [
    "KINDS",
    "MISSING",
    "FEW",
    "TARGET",
    "Column",
    "Schema",
    "read_csv",
    "fit_schema",
    "grouping",
]

KINDS = ("category", "number", "ignore")
MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?")
FEW = 20  # distinct numbers up to which a column counts as codes of a category
TARGET = "(sensitive)"  # its name in the typed table, which no user's column can have: see read_csv
_NO_VALUE = "(missing)"


def read_csv(path: Path | str) -> pd.DataFrame:
    """All cells as text, missing ones (:data:`MISSING`) as None; one row a record.

    Raises
    ------
    ValueError
        For a file that is not there, not UTF-8, empty, without rows, with a
        header that is blank or stands twice, or with a line of another length.
    """
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"file={str(path)!r} is not there")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path.name} is not UTF-8 (byte {error.start}); save it with that encoding"
        ) from error
    if not text.strip():
        raise ValueError(f"{path.name} is empty; a header and at least one row are needed")
    try:
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        header = _header([name.strip() for name in next(reader)], path.name)
        rows = [_row(line, len(header), reader.line_num, path.name) for line in reader if line]
    except csv.Error as error:
        raise ValueError(
            f"{path.name} is no comma-separated file: {error}, line {reader.line_num}"
        ) from error
    if not rows:
        raise ValueError(f"{path.name} has a header and no rows")
    return pd.DataFrame(rows, columns=header, dtype=object)


def _header(names: list[str], file: str) -> list[str]:
    if blank := [i for i, name in enumerate(names, start=1) if not name]:
        raise ValueError(f"{file}: column {blank[0]} has no name")
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise ValueError(
            f"{file}: the header {twice[0]!r} stands {Counter(names)[twice[0]]} times; once is"
            " allowed"
        )
    if len(names) == 1 and any(mark in names[0] for mark in ";\t|"):
        raise ValueError(
            f"{file}: the header {names[0]!r} looks as if not commas separate the columns; commas"
            " must"
        )
    if TARGET in names:
        raise ValueError(
            f"{file}: a column is named {TARGET!r}, which this program uses; rename it"
        )
    return names


def _row(line: list[str], width: int, number: int, file: str) -> list[str | None]:
    if len(line) != width:
        raise ValueError(f"{file}, line {number}: {len(line)} cells; the header has {width}")
    cells = (cell.strip() for cell in line)
    return [None if cell in MISSING else cell for cell in cells]


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column and what became of it: ``kind`` of :data:`KINDS`, and ``why`` in words.

    ``fill`` stands for a missing number (the median), with a column of its own
    that says so; missing categories are a category. ``values`` are those that
    the audited file holds.
    """

    name: str
    kind: str
    why: str
    distinct: int
    missing: int = 0
    fill: float = math.nan
    values: pd.Index = field(default_factory=lambda: pd.Index([]), repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class Schema:
    """What every file of an audit is read by.

    Parameters
    ----------
    sensitive, positive : str
        The column that is predicted, and which of its values counts as 1 (one against the rest).
    answers : tuple of str
        All values of the sensitive column.
    lens : tuple of str
        Columns of the file that the predictor sees.
    """

    columns: tuple[Column, ...]
    sensitive: str
    positive: str
    positive_why: str
    answers: tuple[str, ...]
    lens: tuple[str, ...]

    def is_positive(self, raw: pd.DataFrame) -> pd.Series:
        """Whose sensitive value is the positive one, however it is spelt."""
        return spelt(raw[self.sensitive]) == self.positive

    def kept(self, raw: pd.DataFrame) -> pd.DataFrame:
        """Rows whose sensitive value is known."""
        return raw[raw[self.sensitive].notna()].reset_index(drop=True)

    def typed(
        self, raw: pd.DataFrame, file: str, lens: Sequence[str] | None = None
    ) -> pd.DataFrame:
        """Numbers as floats, categories as text, :data:`TARGET` as 0 and 1, rows in the order of
        ``raw``.

        Parameters
        ----------
        raw : DataFrame
            From :func:`read_csv`, every sensitive value known.
        file : str
            Its name, for messages.
        lens : names, optional
            Fewer columns than the schema's.
        """
        found, kinds = {}, {column.name: column for column in self.columns}
        for name in self.lens if lens is None else lens:
            if name not in raw.columns:
                raise ValueError(
                    f"{file} has no column {name!r}; it has {', '.join(map(repr, raw.columns))}"
                )
            column = kinds[name]
            if column.kind == "number":
                values = _numbers(raw[name], file)
                found[name] = values.fillna(column.fill)
                if column.missing:
                    found[f"{name} {_NO_VALUE}"] = values.isna().astype(float)
            else:
                found[name] = spelt(raw[name]).fillna(_NO_VALUE).astype(str)
        found[TARGET] = self.is_positive(raw).astype(int)
        return pd.DataFrame(found)

    def unknown(self, raw: pd.DataFrame, file: str) -> pd.DataFrame:
        """How many cells of another file hold what the audited file does not: no learner can match
        these to anybody.

        Returns
        -------
        DataFrame
            The sensitive column, then the lens: ``column, read as, rows, unknown, example``. A gap
            is unknown where the audited file has none.
        """
        kinds = {column.name: column for column in self.columns}
        odd = {self.sensitive: ("sensitive", ~spelt(raw[self.sensitive]).isin(self.answers))}
        for name in self.lens:
            column = kinds[name]
            cells = _numbers(raw[name], file) if column.kind == "number" else spelt(raw[name])
            odd[name] = (
                column.kind,
                ~cells.isin(column.values) & (cells.notna() | (column.missing == 0)),
            )
        return pd.DataFrame(
            [
                {
                    "column": name,
                    "read as": kind,
                    "rows": len(raw),
                    "unknown": int(which.sum()),
                    "example": next(iter(raw[name][which].fillna(_NO_VALUE)), ""),
                }
                for name, (kind, which) in odd.items()
            ]
        )


def fit_schema(
    raw: pd.DataFrame,
    *,
    sensitive: str,
    positive: str | None = None,
    lens: Sequence[str] = (),
    kinds: Mapping[str, str] | None = None,
) -> Schema:
    """Type the columns of the audited file.

    The rule: constant columns, columns without values and identifiers are
    ignored (an identifier: text or whole numbers, no value twice); a column is a number if all
    its values are and more than :data:`FEW` differ, none with a leading zero;
    everything else is a category. ``kinds`` overrides it. Spellings of one
    number are one value.

    Parameters
    ----------
    sensitive : str
        Column to be predicted; of two values the rarer counts as 1 unless ``positive`` says
        otherwise.
    positive : str, optional
        Needed if ``sensitive`` has more than two values: this one against the rest.
    lens : names
        What the predictor sees; by default everything that is not ignored, without the sensitive
        column.
    """
    kinds = dict(kinds or {})
    for name, kind in [*kinds.items(), *((name, "category") for name in (sensitive, *lens))]:
        validate.choice("column", name, raw.columns)
        validate.choice(f"kind of {name}", kind, KINDS)
    answers = spelt(raw[sensitive])
    positive, why = _positive(answers, positive)
    known = raw[raw[sensitive].notna()]
    columns = tuple(
        _column(known[name], kinds.get(name), name in lens)
        for name in raw.columns
        if name != sensitive
    )
    usable = [column.name for column in columns if column.kind != "ignore"]
    if sensitive in lens:
        raise ValueError(
            f"lens={sensitive!r} is not allowed: the sensitive column is what is to be predicted"
        )
    for name in lens:
        if name not in usable:
            why_not = next(c.why for c in columns if c.name == name)
            raise ValueError(f"lens={name!r} is not allowed: the column is ignored ({why_not})")
    if not usable:
        raise ValueError(
            "no column is left for the predictor: all others are constant, identifiers or ignored"
        )
    return Schema(
        columns=columns,
        sensitive=sensitive,
        positive=positive,
        positive_why=why,
        answers=tuple(sorted(answers.dropna().unique())),
        lens=tuple(lens or usable),
    )


def _positive(values: pd.Series, named: str | None) -> tuple[str, str]:
    counts = values.value_counts()
    if len(counts) < 2:
        raise ValueError(
            f"sensitive={values.name!r} has {len(counts)} value; at least two are needed"
        )
    shown = ", ".join(f"{value!r}" for value in sorted(counts.index)[:8]) + (
        ", ..." if len(counts) > 8 else ""
    )
    if named is not None:
        if spelling(named) not in counts.index:
            raise ValueError(f"positive={named!r} is no value of {values.name!r}; it has {shown}")
        return spelling(named), (
            "named" if len(counts) == 2 else f"named; against the {len(counts) - 1} others"
        )
    if len(counts) > 2:
        raise ValueError(
            f"sensitive={values.name!r} has {len(counts)} values ({shown}); name the one to set"
            " against the rest (positive)"
        )
    return (
        min(counts.index, key=lambda value: (counts[value], value)),
        "the rarer of the two values",
    )


def _column(values: pd.Series, declared: str | None, wanted: bool) -> Column:
    known = spelt(values.dropna())
    facts = {
        "name": values.name,
        "distinct": int(known.nunique()),
        "missing": int(values.isna().sum()),
    }
    joined = int(values.nunique()) - facts["distinct"]
    numeric, codes = _is_number(known), known.str.fullmatch(r"[+-]?0\d+").any()
    whole = numeric and (pd.to_numeric(known) % 1 == 0).all()
    if declared is not None:
        kind, why = declared, "declared"
    elif known.empty:
        kind, why = "ignore", "no value at all"
    elif facts["distinct"] == 1 and not facts["missing"]:
        kind, why = "ignore", "constant"
    elif facts["distinct"] == len(known) > FEW and (whole or not numeric) and not wanted:
        kind, why = "ignore", "an identifier: no value stands twice"
    elif numeric and not codes and facts["distinct"] > FEW:
        kind, why = "number", f"numbers, more than {FEW} different"
    else:
        kind, why = (
            "category",
            f"numbers, {facts['distinct']} different: codes" if numeric else "text",
        )
    if joined:
        why += f"; {joined} other spelling{'s' * (joined > 1)} of a number joined to it"
    held = pd.Index((_numbers(known, "the file") if kind == "number" else known).unique())
    fill = float(_numbers(known, "the file").median()) if kind == "number" else math.nan
    if kind == "number" and known.empty:
        raise ValueError(f"column {values.name!r} is declared a number and has no value")
    return Column(kind=kind, why=why, fill=fill, values=held, **facts)


def _is_number(known: pd.Series) -> bool:
    found = pd.to_numeric(known, errors="coerce")
    return bool(len(known) and np.isfinite(found.astype(float)).all())


def _numbers(values: pd.Series, file: str) -> pd.Series:
    found = pd.to_numeric(values, errors="coerce").astype(float)
    bad = values[values.notna() & ~np.isfinite(found)]
    if len(bad):
        raise ValueError(
            f"{file}: column {values.name!r} holds {bad.iloc[0]!r} (row {bad.index[0] + 1}), not a"
            " number"
        )
    return found


def grouping(
    raw: pd.DataFrame,
    columns: Sequence[str],
    bands: Mapping[str, Sequence[float]],
    reference: pd.DataFrame,
    *,
    as_numbers: Sequence[str] = (),
) -> pd.DataFrame:
    """The columns that make groups, as labels; a missing value belongs to no group.

    Parameters
    ----------
    columns : names
    bands : mapping
        Edges of a numeric column's bands, see :func:`lib.coherence.collection.banded`.
    reference : DataFrame
        The audited file: columns in ``as_numbers`` without edges are cut at its quartiles.
    """
    found = {}
    for name in columns:
        validate.choice("group column", name, raw.columns)
        if name not in bands and name not in as_numbers:
            found[name] = spelt(raw[name])
            continue
        values = _numbers(raw[name], "the file")
        edges = bands.get(name) or sorted(
            set(_numbers(reference[name], "the file").quantile([0.25, 0.5, 0.75]))
        )
        labels = banded(values.fillna(0.0), [float(edge) for edge in edges])
        found[name] = labels.where(values.notna(), None)
    return pd.DataFrame(found, index=raw.index)
