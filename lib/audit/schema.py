"""What is predicted from what: the columns of the audited file, its answers, and the lens.

The rules are fitted once, on the audited file, and applied alike to a release and to a hold-out.
They do not depend on who is in which half, so that a random split stays one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from lib import validate
from lib.files import shown
from lib.table.columns import KINDS, Column, read_column
from lib.table.kinds import Category, Coded
from lib.table.reading import spelled_as

TARGET = "(sensitive)"  # a name in the table that learners get, so no column of a user can have it
_NO_VALUE = "(missing)"


@dataclass(frozen=True, kw_only=True)
class Schema:
    """What every file of an audit is read by.

    Parameters
    ----------
    columns : tuple of Column
        All columns but the sensitive one.
    answer : Column
        The sensitive one, as a category.
    positive : str
        Which of its values counts as 1 (one against the rest).
    positive_why : str
        Why that value, in words.
    lens : tuple of str
        Columns of the file that the predictor sees.
    few : int
        Where it is not 0, the positive value is one of fewer people than this, and is not named.
    """

    columns: tuple[Column, ...]
    answer: Column
    positive: str
    positive_why: str
    lens: tuple[str, ...]
    few: int = 0

    @property
    def sensitive(self) -> str:
        """The column that is predicted."""
        return self.answer.name

    @property
    def positive_name(self) -> str:
        """What a report calls the positive value."""
        return f"a value of fewer than {self.few} people" if self.few else self.positive

    def lens_columns(self) -> list[Column]:
        """The columns of the lens, in its order."""
        by_name = {column.name: column for column in self.columns}
        return [by_name[name] for name in self.lens]

    def is_positive(self, raw: pd.DataFrame) -> pd.Series:
        """Whose sensitive value is the positive one."""
        return self.answer.cells(raw, "the file") == self.positive

    def typed_table(self, raw: pd.DataFrame, file: str) -> pd.DataFrame:
        """Numbers as floats, categories of text, :data:`TARGET` as 0 and 1; rows as in ``raw``.

        Parameters
        ----------
        raw : DataFrame
            From :func:`lib.table.reading.read_file`, every sensitive value known.
        file : str
            Its name, for messages.
        """
        table = {}
        for column in self.lens_columns():
            table[column.name] = cells = column.cells(raw, file, _NO_VALUE)
            if column.numeric:
                table[column.name] = cells.fillna(column.fill)
                if column.missing:
                    gaps = f"{column.name} {_NO_VALUE}"
                    if gaps in self.lens:
                        gaps += " "  # no column of a file has a name that ends with a space
                    table[gaps] = cells.isna().astype(float)
        return pd.DataFrame(table | {TARGET: self.is_positive(raw).astype(int)})

    def unknown(self, raw: pd.DataFrame, file: str) -> pd.DataFrame:
        """How many cells of another file hold what the audited file does not, column by column.

        No learner can match these to anybody. A gap is unknown where the audited file has none.

        Returns
        -------
        DataFrame
            The sensitive column, then the lens: ``column, read as, rows, unknown, example``.
        """
        answers = self.answer.cells(raw, file)
        unknown = [(self.sensitive, "sensitive", ~answers.isin(self.answer.values))]
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
    gaps: Sequence[str] | None = None,
    stated: Mapping[str, Coded | str] | None = None,
) -> Schema:
    """Read the columns of the audited file by :func:`~lib.table.columns.read_column`, to which
    ``gaps`` go; ``kinds`` overrides what is ``stated`` by a schema of :mod:`lib.table`, and this
    the rule.

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
    kinds, stated = kinds or {}, stated or {}
    for name in (sensitive, *kinds, *lens):
        validate.choice("column", name, raw.columns)
    for name in stated:
        validate.choice("column of the schema", name, raw.columns)
    for name, kind in kinds.items():
        validate.choice(f"kind of {name}", kind, KINDS)
    own = stated.get(sensitive)
    marks = read_column(raw[sensitive], gaps=gaps, coded=own).gap_texts
    own = own if isinstance(own, Category) else None
    answer = read_column(raw[sensitive], "category", gaps=marks, coded=own)
    answers = answer.cells(raw, "the file")
    positive, why = _positive(answers, positive)
    known = raw[answers.notna()].drop(columns=sensitive)
    columns = tuple(
        read_column(
            known[name],
            kinds.get(name),
            name in lens,
            gaps,
            None if name in kinds else stated.get(name),
        )
        for name in known
    )
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
        answer=replace(answer, why="the sensitive column"),
        positive=positive,
        positive_why=why,
        lens=tuple(lens) or usable,
    )


def _positive(values: pd.Series, named: str | None) -> tuple[str, str]:
    """The value that counts as 1, and why."""
    counts = values.astype(object).value_counts().sort_index()
    some = ", ".join(map(shown, counts.index[:8])) + (", ..." if len(counts) > 8 else "")
    if len(counts) < 2:
        raise ValueError(
            f"sensitive must be a column with at least two values, got {values.name!r} with"
            f" {len(counts)}"
        )
    if named is not None:
        value = spelled_as(pd.Series([named]), counts.index).iloc[0]
        validate.require(value in counts, "positive", f"a value of {values.name!r} ({some})", named)
        others = f"; against the {len(counts) - 1} others" if len(counts) > 2 else ""
        return value, f"named{others}"
    if len(counts) > 2:
        raise ValueError(
            f"positive must be the value of {values.name!r} to set against the rest, got None for"
            f" {len(counts)} values ({some})"
        )
    return str(counts.idxmin()), "the rarer of the two values"
