"""The codes of a table by a schema. A value that the schema does not have is refused, unless the
schema says where such values go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from lib import validate
from lib.domain import Domain
from lib.files import shown
from lib.table.kinds import Category, Coded, Date, Number
from lib.table.reading import as_days, as_floats, canonical_text, cell_text, mapped_column
from lib.table.schema import read_schema


@dataclass(frozen=True)
class Table:
    """The codes of a table, shape (n, d), and the schema by which they were made.

    ``codes`` and ``domain`` are what a synthesizer fits.

    Examples
    --------
    >>> from lib.dp import zcdp_rho
    >>> from lib.synth import MST
    >>> schema = {"sex": Category(values=("f", "m")), "age": Number(low=0, high=99, bins=10)}
    >>> people = pd.DataFrame({"sex": ["f", "m"] * 500, "age": [20, 70.5] * 500})
    >>> table = Table.of(people, schema)
    >>> noise, draws = np.random.default_rng(), np.random.default_rng()
    >>> model = MST().fit(table.codes, table.domain, rho=zcdp_rho(1.0, 1e-9), rng=noise)
    >>> release = table.decode(model.sample(round(model.total), draws), draws)
    >>> release.columns.tolist(), bool(release["age"].between(0, 99).all())
    (['sex', 'age'], True)
    """

    codes: pd.DataFrame
    schema: Mapping[str, Coded]

    @classmethod
    def of(cls, frame: pd.DataFrame, schema: Mapping[str, Coded | str] | Path | str) -> Table:
        """Code ``frame`` by a schema or the YAML file of one (:func:`read_schema`).

        Raises
        ------
        ValueError
            If a column stands twice, or is in one of frame and schema alone; if a cell has a
            value that the schema has no code for. The column and the first such cell are named.
        """
        stated = read_schema(Path(schema)) if isinstance(schema, str | Path) else schema
        index = frame.index
        if index.names != [None]:  # as in a file that pandas writes
            frame = frame.reset_index()
        for name in frame.columns[frame.columns.duplicated()]:
            raise validate.refusal("columns of the table", "different names", name)
        if alone := in_one_alone({"table": frame, "schema": stated}):
            raise ValueError(f"columns of the schema must be those of the table, got {alone}")
        coded = {name: column for name, column in stated.items() if not isinstance(column, str)}
        validate.require(len(coded) > 0, "schema", "with a column to code", dict(stated))
        codes = {name: _encode(frame[name], column) for name, column in coded.items()}
        return cls(pd.DataFrame(codes, index=index), coded)

    @property
    def domain(self) -> Domain:
        """How many codes each column has."""
        return Domain.of({name: column.size for name, column in self.schema.items()})

    def decode(self, codes: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        """Rows of codes as rows of values: texts of categories, numbers drawn within their bins.

        Take another ``rng`` than the one that drew the noise of the fit, because a drawn number
        shows 52 bits of what ``rng`` gave. From a few of them anybody can work out what else a
        generator gives, and has given.

        Coding them again gives the same codes, except for a stated ``other``, whose name is one
        more value that is not stated, and so has that code, too.
        """
        validate.generator("rng", rng)
        self.domain.check(codes, "codes")
        table = {}
        for name, column in self.schema.items():
            # stated, because pandas reads off the rows that no rows are no texts
            kind = float if isinstance(column, Number) else "str"
            decoded = column.decode(codes[name].to_numpy(), rng)
            values = pd.Series(decoded, index=codes.index, dtype=kind)
            whole = isinstance(column, Number) and column.whole
            table[name] = values.astype("Int64") if whole else values
        return pd.DataFrame(table, index=codes.index)


def in_one_alone(tables: Mapping[str, Iterable[str]]) -> str:
    """Which columns only one of several tables has, in words; "" if all have the same.

    >>> in_one_alone({"a.csv": ["sex", "age"], "b.csv": ["sex"]})
    "in a.csv alone: 'age'"
    """
    shared = set.intersection(*map(set, tables.values()))
    own = {name: [shown(c) for c in columns if c not in shared] for name, columns in tables.items()}
    return "; ".join(f"in {name} alone: {', '.join(alone)}" for name, alone in own.items() if alone)


def _encode(values: pd.Series, column: Coded) -> np.ndarray:
    """The codes of a column, each distinct value looked at once."""
    if pd.api.types.is_datetime64_any_dtype(values):
        if not isinstance(column, Date):
            what = f"column {values.name!r} of the schema"
            raise validate.refusal(what, "a Date, as its cells are", column)
        values = values.dt.strftime(column.format)
    try:
        cells, distinct = pd.factorize(mapped_column(values, cell_text).astype(object))
    except (TypeError, ValueError):
        what = f"cells of column {values.name!r}"
        raise validate.refusal(what, "texts, numbers or gaps", values.iloc[0]) from None
    places, gaps = column.places(distinct), np.isin(distinct, column.gaps)
    gap = column.size - 1 if column.missing else -1
    codes = np.append(np.where(gaps, gap, places), gap)[cells]
    wrong = codes < 0
    for row in np.flatnonzero(wrong)[:1]:
        if cells[row] < 0 or gaps[cells[row]]:
            got, hint = "a gap", "the schema may say missing: true"
        else:
            unstated = distinct[np.unique(cells[wrong & (cells >= 0)])]
            got, hint = shown(distinct[cells[row]]), _advice(column, unstated, float(wrong.mean()))
        raise ValueError(
            f"column {values.name!r} must have values that its schema states, got {got} in row"
            f" {row + 1} ({hint})"
        )
    return codes.astype(np.int16)


def _advice(column: Coded, unstated: np.ndarray, share: float) -> str:
    """What to mend if the schema lacks some texts, which ``share`` of the rows have."""
    if isinstance(column, Category):
        near = {canonical_text(text).lstrip("0").casefold(): text for text in column.levels}
        for text in unstated:
            if said := near.get(canonical_text(text).lstrip("0").casefold()):
                return f"the schema says {said!r}: write it as the file does"
        remedy = "other: NAME"
    else:
        if isinstance(column, Number):
            what, read = "number", as_floats(unstated, column.decimal)
        else:
            what, read = "day that exists", as_days(unstated, column.format)
        if not np.isfinite(read).all():
            return f"this is no {what}: has the schema its gaps, and decimal or format?"
        remedy = "clip: true"
    if share > 0.5:
        return f"so have {share:.0%} of the rows: does the schema state this column?"
    return f"the schema may say {remedy}"
