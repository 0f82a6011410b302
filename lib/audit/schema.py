"""A user's own CSV as a table that learners can take, read strictly and by one stated rule.

The rules are fitted once, on the audited file, and applied alike to a release and to a hold-out.
They do not depend on who is in which half, so that a random split stays one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from lib import validate
from lib.audit.reading import TARGET
from lib.files import shown
from lib.table.numbers import canonical_column, canonical_text

KINDS = ("category", "number", "ignore")
FEW = 20  # distinct numbers up to which a column counts as codes of a category
_NO_VALUE = "(missing)"


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


@dataclass(frozen=True, kw_only=True)
class Schema:
    """What every file of an audit is read by.

    Parameters
    ----------
    columns : tuple of Column
        All columns but the sensitive one.
    sensitive, positive : str
        The column that is predicted, and which of its values counts as 1 (one against the rest).
    positive_why : str
        Why that value, in words.
    answers : tuple of str
        All values of the sensitive column.
    lens : tuple of str
        Columns of the file that the predictor sees.
    few : int
        Where it is not 0, the positive value is one of fewer people than this, and is not named.
    """

    columns: tuple[Column, ...]
    sensitive: str
    positive: str
    positive_why: str
    answers: tuple[str, ...]
    lens: tuple[str, ...]
    few: int = 0

    @property
    def positive_name(self) -> str:
        """What a report calls the positive value."""
        return f"a value of fewer than {self.few} people" if self.few else self.positive

    def lens_columns(self) -> list[Column]:
        """The columns of the lens, in its order."""
        by_name = {column.name: column for column in self.columns}
        return [by_name[name] for name in self.lens]

    def is_positive(self, raw: pd.DataFrame) -> pd.Series:
        """Whose sensitive value is the positive one, however it is written."""
        return canonical_column(raw[self.sensitive]) == self.positive

    def typed_table(self, raw: pd.DataFrame, file: str) -> pd.DataFrame:
        """Numbers as floats, categories of text, :data:`TARGET` as 0 and 1; rows as in ``raw``.

        Parameters
        ----------
        raw : DataFrame
            From :func:`lib.audit.reading.read_csv`, every sensitive value known.
        file : str
            Its name, for messages.
        """
        table = {}
        for column in self.lens_columns():
            table[column.name] = cells = column.cells(raw, file, _NO_VALUE)
            if column.kind == "number":
                table[column.name] = cells.fillna(column.fill)
                if column.missing:
                    gaps = f"{column.name} {_NO_VALUE}"
                    # no column of a file has a name that ends with a space
                    table[gaps + " " * (gaps in self.lens)] = cells.isna().astype(float)
        return pd.DataFrame(table | {TARGET: self.is_positive(raw).astype(int)})

    def unknown(self, raw: pd.DataFrame, file: str) -> pd.DataFrame:
        """How many cells of another file hold what the audited file does not, column by column.

        No learner can match these to anybody. A gap is unknown where the audited file has none.

        Returns
        -------
        DataFrame
            The sensitive column, then the lens: ``column, read as, rows, unknown, example``.
        """
        answers = canonical_column(raw[self.sensitive])
        unknown = [(self.sensitive, "sensitive", ~answers.isin(self.answers))]
        for column in self.lens_columns():
            cells = column.cells(raw, file)
            gap = cells.isna() & (column.missing > 0)
            unknown.append((column.name, column.kind, ~cells.isin(column.values) & ~gap))
        rows = []
        for name, kind, which in unknown:
            example = next(iter(raw[name][which].astype(object).fillna(_NO_VALUE)), "")
            rows.append((name, kind, len(raw), which.sum(), example))
        return pd.DataFrame(rows, columns=["column", "read as", "rows", "unknown", "example"])


def fit_schema(
    raw: pd.DataFrame,
    *,
    sensitive: str,
    positive: str | None = None,
    lens: Sequence[str] = (),
    kinds: Mapping[str, str] | None = None,
) -> Schema:
    """Type the columns of the audited file by a rule that anyone can state.

    Constant columns, columns without values and identifiers are ignored (an identifier: text or
    whole numbers, no value twice); a column is a number if all its values are and more than
    :data:`FEW` differ, none with a leading zero; everything else is a category. ``kinds``
    overrides it. One number written in several ways is one value.

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

    Examples
    --------
    >>> raw = pd.DataFrame({"sex": ["f", "m"] * 3, "ill": ["yes", "no", "no"] * 2}, dtype=object)
    >>> schema = fit_schema(raw, sensitive="ill")
    >>> schema.lens, schema.positive, schema.positive_why
    (('sex',), 'yes', 'the rarer of the two values')
    """
    kinds = kinds or {}
    for name in (sensitive, *kinds, *lens):
        validate.choice("column", name, raw.columns)
    for name, kind in kinds.items():
        validate.choice(f"kind of {name}", kind, KINDS)
    answers = canonical_column(raw[sensitive])
    positive, why = _positive(answers, positive)
    known = raw[answers.notna()].drop(columns=sensitive)
    columns = tuple(typed_column(known[name], kinds.get(name), name in lens) for name in known)
    ignored = {column.name: column.why for column in columns if column.kind == "ignore"}
    ignored[sensitive] = "the sensitive column"
    for name in lens:
        what = f"columns to predict from ({name!r} is ignored: {ignored.get(name)})"
        validate.require(name not in ignored, "lens", what, tuple(lens))
    usable = tuple(name for name in known if name not in ignored)
    if not usable:
        raise ValueError(
            "lens must have a column, got none: all others are constant, identifiers or ignored"
        )
    return Schema(
        columns=columns,
        sensitive=sensitive,
        positive=positive,
        positive_why=why,
        answers=tuple(sorted(answers.dropna().unique())),
        lens=tuple(lens) or usable,
    )


def _positive(values: pd.Series, named: str | None) -> tuple[str, str]:
    """The value that counts as 1, and why."""
    counts = values.astype(object).value_counts().sort_index()
    some = ", ".join(map(shown, counts.index[:8])) + ", ..." * (len(counts) > 8)
    if len(counts) < 2:
        raise ValueError(
            f"sensitive must be a column with at least two values, got {values.name!r} with"
            f" {len(counts)}"
        )
    if named is not None:
        value = canonical_text(named)
        validate.require(value in counts, "positive", f"a value of {values.name!r} ({some})", named)
        return value, "named" + f"; against the {len(counts) - 1} others" * (len(counts) > 2)
    if len(counts) > 2:
        raise ValueError(
            f"positive must be the value of {values.name!r} to set against the rest, got None for"
            f" {len(counts)} values ({some})"
        )
    return str(counts.idxmin()), "the rarer of the two values"


def typed_column(values: pd.Series, declared: str | None = None, wanted: bool = False) -> Column:
    """How a column of text is read by the rule of :func:`fit_schema`; ``declared`` overrides it,
    and a ``wanted`` one is no identifier.
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
        why += f"; {joined} other spelling{'s' * (joined > 1)} of a number joined to it"
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
