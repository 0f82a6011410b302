"""How each column of a user's file is read: as text, a number, a date, or not at all.

One stated rule decides it, from the values alone, unless somebody declares it or a schema states
it. ``python -m lib schema`` drafts from it what a column may hold, and an audit reads its file, a
release and a hold-out by it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from lib import validate
from lib.files import shown
from lib.table.kinds import Category, Coded, Date
from lib.table.reading import (
    ISO,
    MISSING,
    as_days,
    as_floats,
    canonical_text,
    cell_text,
    mapped_column,
    spelled_as,
)

KINDS = ("category", "text", "number", "date", "ignore")  # text is another word for category
NUMERIC = ("number", "date")  # to a learner
FEW = 20  # distinct numbers up to which a column counts as codes of a category
PANEL = 100  # numbers, each in rows that stand together, from which on they may be people's
LONG = 40  # letters of half of the values, from which on a column is free text
LOUD_GAPS = 0.01  # share of people with a gap from which on a report warns
_FORMATS = (ISO, "%Y%m%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d")
_CENTURIES = 60_000  # days from 1970, to 1805 and 2134, in which 8 digits are taken for a date
_IDENTIFIER = re.compile(
    r"(?i)(?:^|[^a-z])(?:id|ids|identifier|nr|no|key|number|index)$|[a-z]I[Dd]$"
)
_PERHAPS_DATE = re.compile(r"([A-Za-z]{3,9}|\d{1,4})[-/. ]+([A-Za-z]{3,9}|\d{1,2})[-/., ]+\d{2,4}")
# programs write a sign before an exponent; 1E50 is a code
_WRITTEN = r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-][0-9]{1,3})?"


@dataclass(frozen=True, kw_only=True)
class Column:
    """How a column is read: its ``kind`` (of :data:`KINDS`), and in words ``why``.

    ``fill`` stands for a missing number (the median), with a column of its own that marks it;
    missing categories are a category. ``values`` are those that the audited file holds. ``gaps``
    counts the people of each text that was read as a gap, "" for empty cells. By a schema
    (``coded``) a number counts as the middle of its bin. A ``mixed`` column is read as a category
    though at least half of its values are numbers; an ``identifier`` is ignored as a name of
    people.
    """

    name: str
    kind: str
    why: str
    distinct: int
    missing: int
    fill: float
    values: pd.Index = field(repr=False, compare=False)
    gaps: Mapping[str, int] = field(default_factory=dict, compare=False)
    gap_texts: tuple[str, ...] = ()
    decimal: str = "."
    form: str = ISO
    coded: Coded | None = None
    mixed: bool = False
    identifier: bool = False

    @property
    def numeric(self) -> bool:
        """Whether learners see a number: dates are days."""
        return self.kind in NUMERIC

    @property
    def gap_words(self) -> str:
        """The texts that were read as gaps, with their people."""
        return ", ".join(f"{text or 'empty'} ({n:,})" for text, n in self.gaps.items() if n)

    def texts(self, raw: pd.DataFrame) -> pd.Series:
        """The column of a file as texts, with its gaps."""
        gaps = set(self.gap_texts)
        return mapped_column(raw[self.name], lambda text: None if text in gaps else text)

    def cells(self, raw: pd.DataFrame, file: str, missing: str | None = None) -> pd.Series:
        """This column of a file: floats for a number or date, else a value's text or ``missing``.

        A ``ValueError`` names the ``file`` that lacks the column, or a cell that is no number.
        """
        validate.choice(f"column of {file}", self.name, raw.columns)
        texts = self.texts(raw)
        if self.coded is not None:
            return self._by_schema(self.coded, texts, file, missing)
        if self.kind == "date":
            return to_numbers(texts, file, form=self.form)
        if self.kind == "number":
            return to_numbers(texts, file, self.decimal)
        known = self.values if self.values.dtype == object else pd.Index([], dtype=object)
        return mapped_column(spelled_as(texts, known), str, missing)

    def _by_schema(
        self, coded: Coded, texts: pd.Series, file: str, missing: str | None
    ) -> pd.Series:
        """Each value as its code's level; a text that has none stays, a number is refused."""
        levels = coded.levels
        cells, distinct = pd.factorize(texts)
        places = coded.places(np.asarray(distinct, dtype=object))
        if not self.numeric:
            known = dict(zip(distinct[places >= 0], levels[places[places >= 0]], strict=True))
            return mapped_column(texts, lambda text: known.get(text, text), missing)
        for value in distinct[places < 0]:
            what = f"{file}: column {self.name!r}"
            raise validate.refusal(what, "of values that its schema states", value)
        values = np.append(levels[places], np.nan)[cells]
        return pd.Series(values, texts.index, name=self.name)


def read_column(
    values: pd.Series,
    declared: str | None = None,
    wanted: bool = False,
    gaps: Sequence[str] | None = None,
    coded: Coded | str | None = None,
) -> Column:
    """How a column of texts is read.

    Ignored are a constant column, one without values, an identifier and free text. An identifier
    has whole numbers, none of them twice, that count rows, have one length from 6 digits on or a
    name such as id, or texts of which more than half belong to one person each; of free text half
    of the values have more than :data:`LONG` letters. A column is a number if all its values are,
    written in one way (no number twice, no leading zero, at most 15 digits), and more than
    :data:`FEW` differ; so it is a date. Everything else is a category.

    Parameters
    ----------
    declared : str, optional
        The kind, which overrides the rule; a ``wanted`` column is not ignored as an identifier.
    gaps : names, optional
        Texts that are gaps; by default ``lib.table.reading.MISSING`` in a column of numbers or
        dates. An empty cell always is.
    coded : Category, Number or Date, optional
        What a schema states; "ignore" for a column that it leaves out.

    Examples
    --------
    >>> read_column(pd.Series(["f", "m", "NA"])).kind, read_column(pd.Series(["0", "NA"])).missing
    ('category', 1)
    """
    cells = mapped_column(values, cell_text)
    counts = cells.value_counts()
    counts.index = counts.index.astype(object)
    if isinstance(coded, str):
        declared, coded = coded, None
    marks = MISSING if gaps is None else tuple(gaps)
    texts = _without(counts, marks).index
    decimal, unlike = _numbers_like(texts)
    dates = f"column {values.name!r}" if declared == "date" else None
    form = "" if declared == "number" else _date_like(texts, dates)
    if coded is not None:
        declared = {Category: "category", Date: "date"}.get(type(coded), "number")
        decimal, form = getattr(coded, "decimal", decimal), getattr(coded, "format", ISO)
        marks = coded.gaps
    elif declared in ("category", "text") or (unlike and not form and declared not in NUMERIC):
        marks = marks if gaps is not None else ()
    times = _without(counts, marks)
    known, distinct = int(times.sum()), len(times)
    if declared is not None:  # by a schema, too
        how: dict[str, Any] = {"kind": declared.replace("text", "category"), "why": "declared"}
        if coded is not None:
            gap = ", the last for gaps" * coded.missing
            how["why"] = f"the schema's: {coded.size:,} codes{gap}"
    elif distinct == 0 or (distinct == 1 and known == len(cells)):
        how = {"kind": "ignore", "why": "constant" if distinct else "no value at all"}
    else:
        how = _decided(str(values.name), times, decimal, unlike, form, wanted)
        runs = int((cells.cat.codes.diff() != 0).sum())
        if how["kind"] == "number" and PANEL < runs == distinct < len(cells) / 2:
            how["why"] += "; equal ones stand together: an identifier?"
    if how["kind"] == "number" and coded is None:
        validate.require(distinct > 0, f"column {values.name!r}", "with a value", None)
    column = Column(
        name=values.name,
        **how,
        distinct=distinct,
        missing=len(cells) - known,
        fill=math.nan,
        values=times.index,
        gaps={"": int(cells.isna().sum())}
        | {m: int(counts[m]) for m in marks if m in counts.index},
        gap_texts=marks,
        decimal=decimal,
        form=form if how["kind"] == "date" else ISO,
        coded=coded,
    )
    if not (column.numeric or coded):
        return column
    found = column.cells(pd.DataFrame({values.name: values}), "the file")
    fill = float(found.median()) if column.numeric else math.nan
    return replace(column, fill=fill, values=pd.Index(found.astype(object).dropna().unique()))


def _without(counts: pd.Series, gaps: Sequence[str]) -> pd.Series:
    """The people of each text that is no gap, in the order of the texts."""
    return counts[~counts.index.isin(gaps)].sort_index()


def _decided(
    name: str, times: pd.Series, decimal: str, unlike: str, form: str, wanted: bool
) -> dict[str, Any]:
    """The ``kind`` of a column with two values or a gap, ``why``, and whether it is ``mixed`` or an
    ``identifier``.
    """
    texts, known, distinct = times.index, int(times.sum()), len(times)
    numbers, once = as_floats(texts.to_numpy(), decimal), int((times == 1).sum())
    many = distinct > FEW
    if form in _FORMATS and many:
        timed = form == ISO and bool((texts.str.len() > 10).any())
        why = f"dates, written as {form}" + ", times of the day left out" * timed
        return {"kind": "date", "why": why}
    if not unlike:
        if once == known and many and not wanted and _identifies(name, texts, numbers):
            why = "an identifier: whole numbers, none twice"
            return {"kind": "ignore", "why": why, "identifier": True}
        why = (
            f"numbers, more than {FEW} different"
            if many
            else f"numbers, {distinct} different: codes"
        )
        why += ", with decimal commas" * (decimal == ",")
        return {"kind": "number" if many else "category", "why": why}
    mixed = False
    if " or " in form:
        unlike = f"dates, {form}: a schema states which"
    elif texts.str.fullmatch(_PERHAPS_DATE).mean() > 0.5:
        unlike = "perhaps dates: a schema states their format"
    elif known > (held := int(times[np.isfinite(numbers)].sum())) >= known / 2:
        unlike = f"{held} of {known} values are numbers, {known - held} are none"
        mixed = True
    more = "" if unlike == "text" else f"; {unlike}"
    if many and not wanted and 2 * once > known:
        why = f"an identifier: {once} of {known} values stand once{more}"
        return {"kind": "ignore", "why": why, "identifier": True}
    if many and not wanted and np.median(texts.str.len()) > LONG:
        why = f"free text: half of the values have more than {LONG} letters"
        return {"kind": "ignore", "why": why}
    return {"kind": "category", "why": f"text{more}", "mixed": mixed}


def _numbers_like(texts: pd.Index) -> tuple[str, str]:
    """The decimal mark of texts that are numbers in one way, and else why they are none."""
    if not len(texts):
        return ".", "text"
    commas = texts[texts.str.contains(",")]
    decimal = "," if len(commas) and not texts.str.contains(".", regex=False).any() else "."
    if decimal == ",":
        texts = texts.str.replace(",", ".")
    if not texts.str.fullmatch(_WRITTEN).all():
        zeros = texts.str.fullmatch(r"[+-]?0\d+").any() and np.isfinite(as_floats(texts)).all()
        return ".", "leading zeros" if zeros else "text"
    if decimal == "," and commas.str.fullmatch(r"[+-]?[1-9]\d{0,2},\d{3}").all():
        return ".", "commas before three digits are decimal ones or mark thousands"
    if texts.str.fullmatch(r"[+-]?\d{16,}").any():
        return ".", "whole numbers of more than 15 digits"
    numbers = texts.map(canonical_text)
    for number in numbers[numbers.duplicated() & (numbers != "0")][:1]:  # -0.0 is rounding
        one, two = texts[numbers == number][:2]
        return decimal, f"{one} and {two} are one number in two spellings"
    return decimal, ""


def _date_like(texts: pd.Index, declared: str | None) -> str:
    """The one format in which all texts are dates, if there is one; else a ``ValueError`` names
    the column that was ``declared``.
    """

    def fits(form: str) -> bool:
        days = as_days(texts.to_numpy(), form)
        usual = form != "%Y%m%d" or declared is not None or bool((np.abs(days) < _CENTURIES).all())
        return bool(np.isfinite(days).all()) and usual

    likely = len(texts) and texts.str.fullmatch(r"\d{8}|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*").all()
    found = [form for form in _FORMATS if fits(form)] if likely else []
    what = f"of dates of one format of {', '.join(_FORMATS)} (a schema states others)"
    if declared is not None:
        validate.require(len(found) == 1, declared, what, texts[:1].tolist())
    return " or ".join(found)


def _identifies(name: str, texts: pd.Index, numbers: np.ndarray) -> bool:
    long = len(texts[0]) > 5 and texts.str.len().nunique() == 1
    other = long or np.ptp(numbers) < 2 * len(numbers)
    return bool((numbers % 1 == 0).all()) and (other or _IDENTIFIER.search(name) is not None)


def to_numbers(
    values: pd.Series, file: str, decimal: str = ".", form: str | None = None
) -> pd.Series:
    """A column of numbers (or of dates of a ``form``, as days) as floats, NaN for a gap; a
    ``ValueError`` names a cell that is none.
    """
    codes, distinct = pd.factorize(values)
    texts = np.asarray(distinct, dtype=object)
    found = as_floats(texts, decimal) if form is None else as_days(texts, form)
    numbers = pd.Series(np.append(found, np.nan)[codes], values.index, name=values.name)
    for row, value in values[values.notna() & numbers.isna()].items():
        what = "numbers" if form is None else f"dates written as {form}"
        raise ValueError(
            f"{file}: column {values.name!r} must hold {what}, got {shown(value)} (row {row + 1})"
        )
    return numbers


def decisions(columns: Sequence[Column]) -> pd.DataFrame:
    """What was decided on each column: ``column, read as, why, values, missing, gaps``."""
    rows = [(c.name, c.kind, c.why, c.distinct, c.missing, c.gap_words) for c in columns]
    return pd.DataFrame(rows, columns=["column", "read as", "why", "values", "missing", "gaps"])


def in_lines(rows: pd.DataFrame) -> str:
    """A table of :func:`decisions` for a terminal: a value is a line, whatever it holds."""
    return rows.map(lambda cell: " ".join(str(cell).split())).to_string(index=False)
