"""What a column may hold, stated by the owner of the table, and the codes that stand for it.

Nothing here is learnt from the rows, because a range or a list of values that was read off them
would tell about people what no budget paid for. So a value that the schema does not have is
refused, unless the schema says where such values go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import yaml

from lib import validate
from lib.domain import Domain
from lib.files import read_yaml, shown
from lib.table.reading import canonical_text

MOST_CODES = 2**15  # of a column: as many as 16 bits hold, and a marginal of two is 8 GB
IGNORE = "ignore"  # stands in a schema for a column that is not coded


@dataclass(frozen=True, kw_only=True)
class Category:
    """A column of stated values: code ``v`` is ``values[v]``, then the other values, then a gap.

    Parameters
    ----------
    values : tuple of str or numbers
        All different; ``1``, ``1.0`` and ``"1"`` are one value.
    missing : bool
        Whether a gap has a code.
    other : str, optional
        What is released in place of any value that is not stated.
    """

    values: tuple[str | float, ...]
    missing: bool = False
    other: str | None = None
    elsewhere: ClassVar[str] = "other: NAME"  # what makes a code for more values

    def __post_init__(self) -> None:
        values = validate.sequence("values", self.values)
        for value in values:  # YAML reads yes and no without quotes as truth values
            number = isinstance(value, int | float) and not isinstance(value, bool)
            good = isinstance(value, str) or (number and abs(value) <= 1e300)
            what = "texts or finite numbers ('yes' and 'no' in quotes)"
            validate.require(good, "values", what, value)
        good = self.other is None or isinstance(self.other, str)
        validate.require(good, "other", "text or None", self.other)
        texts = tuple(canonical_text(str(value).strip()) for value in values)
        named = texts if self.other is None else (*texts, self.other)
        validate.require(len(texts) > 0, "values", "one or more", values)
        good = len(set(named)) == len(named) and "" not in named
        validate.require(good, "values and other", "different and not empty", named)
        validate.boolean("missing", self.missing)
        object.__setattr__(self, "values", texts)
        _require_size(self.size)

    @property
    def size(self) -> int:
        """The number of codes."""
        return len(self.values) + (self.other is not None) + self.missing

    def places(self, distinct: np.ndarray) -> np.ndarray:
        """The code of each of some values, -1 for one that has none."""
        texts = pd.Index([canonical_text(str(value).strip()) for value in distinct], dtype=object)
        places = pd.Index(self.values, dtype=object).get_indexer(texts)
        return places if self.other is None else np.where(places < 0, len(self.values), places)

    def decode(self, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The text of each code, ``None`` for a gap; nothing is drawn."""
        others = [] if self.other is None else [self.other]
        return np.array([*self.values, *others, *[None] * self.missing], dtype=object)[codes]


@dataclass(frozen=True, kw_only=True)
class Number:
    """A column of numbers in bins of equal width; a gap, if stated, has the last code.

    Parameters
    ----------
    low, high : float
        The stated range, both ends in it.
    bins : int
    whole : bool
        Whether all numbers are whole; then ``low`` and ``high`` are, and each bin holds one.
    clip : bool
        Whether a number out of the range counts as its nearest end; it is refused otherwise.
    missing : bool
        Whether a gap has a code.
    """

    low: float
    high: float
    bins: int
    whole: bool = False
    clip: bool = False
    missing: bool = False
    elsewhere: ClassVar[str] = "clip: true, for numbers out of its range"

    def __post_init__(self) -> None:
        for name in ("whole", "clip", "missing"):
            validate.boolean(name, getattr(self, name))
        far = 2.0**53 if self.whole else 1e300
        for name in ("low", "high"):
            value = validate.budget(name, getattr(self, name), low=-far, high=far)
            fits = not self.whole or value == round(value)
            validate.require(fits, name, "a whole number, as the column is whole", value)
        validate.require(self.low < self.high, "low", f"below high={self.high!r}", self.low)
        most = min(MOST_CODES, self.high - self.low + 1 if self.whole else MOST_CODES)
        validate.integer("bins", self.bins, low=1, high=int(most))
        different = bool((np.diff(self.edges) > 0).all())
        validate.require(different, "bins", "few enough for ends that differ", self.bins)
        _require_size(self.size)

    @property
    def size(self) -> int:
        """The number of codes."""
        return self.bins + self.missing

    @property
    def edges(self) -> np.ndarray:
        """Where bins begin, and the end of the last, shape ``(bins + 1,)``."""
        edges = np.linspace(float(self.low), float(self.high) + self.whole, self.bins + 1)
        return np.ceil(edges) if self.whole else edges

    def places(self, distinct: np.ndarray) -> np.ndarray:
        """The code of each of some values, -1 for one that has none."""
        numbers = pd.to_numeric(pd.Series(distinct), errors="coerce").to_numpy(float)
        known = np.isfinite(numbers) & ((numbers == np.floor(numbers)) | (not self.whole))
        if not self.clip:
            known &= (numbers >= self.low) & (numbers <= self.high)
        bins = np.searchsorted(self.edges[1:-1], numbers, side="right")
        return np.where(known, bins, -1)

    def decode(self, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A number drawn evenly from each code's bin, NaN for a gap."""
        edges, bins = self.edges, np.minimum(codes, self.bins - 1)
        low, high = edges[bins], edges[bins + 1]
        drawn = low + rng.random(len(codes)) * (high - low)
        # rounding may reach the next bin
        inside = np.minimum(drawn, np.nextafter(high, low))
        return np.where(codes == self.bins, np.nan, np.floor(inside) if self.whole else inside)


Coded = Category | Number


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
    >>> model = MST().fit(table.codes, table.domain, zcdp_rho(1.0, 1e-9), noise)
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
        for name in frame.columns[frame.columns.duplicated()]:
            raise validate.refusal("columns of the table", "different names", name)
        for name in frame.columns.difference(list(stated), sort=False):
            raise validate.refusal("columns of the table", "columns of the schema", name)
        for name in stated:
            validate.choice("column of the schema", name, frame.columns)
        coded = {name: column for name, column in stated.items() if not isinstance(column, str)}
        validate.require(len(coded) > 0, "schema", "with a column to code", dict(stated))
        codes = {name: _encode(frame[name], column) for name, column in coded.items()}
        return cls(pd.DataFrame(codes, index=frame.index), coded)

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


def _encode(values: pd.Series, column: Coded) -> np.ndarray:
    """The codes of a column, each distinct value looked at once."""
    try:
        cells, distinct = pd.factorize(values)  # -1 stands for a gap
    except TypeError:
        what = f"cells of column {values.name!r}"
        raise validate.refusal(what, "texts, numbers or gaps", values.iloc[0]) from None
    places = column.places(np.asarray(distinct, dtype=object if values.dtype == object else None))
    codes = np.append(places, column.size - 1 if column.missing else -1)[cells]
    for row in np.flatnonzero(codes < 0)[:1]:
        got = "a gap" if cells[row] < 0 else shown(str(values.iloc[row]))
        hint = "missing: true" if cells[row] < 0 else column.elsewhere
        raise ValueError(
            f"column {values.name!r} must have values that its schema states, got {got} in row"
            f" {row + 1} (the schema may say {hint})"
        )
    return codes.astype(np.int16)


def schema_text(schema: Mapping[str, Coded | str]) -> str:
    """A schema in YAML, of which :func:`read_schema` makes an equal one.

    Equal schemas in one order of columns have one text: it is made of the parameters alone, each
    number in one form, without those that have their default. The comments of a file that a schema
    was read from are not in it, because those of a draft count people.

    Examples
    --------
    >>> print(schema_text({"age": Number(low=0.0, high=99, bins=10, whole=True), "id": "ignore"}))
    age: {low: 0, high: 99, bins: 10, whole: true}
    id: ignore
    <BLANKLINE>
    """
    return "".join(
        entry_text(name, column if isinstance(column, str) else _parameters(column))
        for name, column in schema.items()
    )


def entry_text(name: str, entry: Mapping[str, Any] | str) -> str:
    """A column of a schema in YAML, its parameters in one line.

    Examples
    --------
    >>> entry_text("sex", {"values": ["f", "m"]})
    'sex:\\n  values: [f, m]\\n'
    """
    texts = [entry] if isinstance(entry, str) else [entry.get("other"), *entry.get("values", ())]
    # escaped otherwise, because libyaml reads some ends of lines as others than PyYAML wrote
    printable = all(str(text).isprintable() for text in [name, *texts])
    return yaml.safe_dump(
        {name: entry if isinstance(entry, str) else dict(entry)},
        default_flow_style=None if isinstance(entry, dict) else False,
        sort_keys=False,
        width=10**9,
        allow_unicode=printable,
    )


def _parameters(column: Coded) -> dict[str, object]:
    """The parameters of a column but for defaults, in the types that YAML has."""
    values = ((field, getattr(column, field.name)) for field in fields(column))
    return {field.name: _plain(value) for field, value in values if value != field.default}


def _plain(value: Any) -> object:
    """The one form of a parameter: equal numbers of several types are written alike."""
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | np.bool_):
        return bool(value)
    whole = value == int(value) and -(2**63) <= value < 2**64  # others YAML is not read with
    return int(value) if whole else float(value)


def read_schema(path: Path) -> dict[str, Coded | str]:
    """The schema in a YAML file: a mapping from each column to ``ignore``, or to the parameters of
    a :class:`Category` (with ``values``) or a :class:`Number`.

    Raises
    ------
    ValueError
        That names the file and the column, for anything else.
    """
    schema = {}
    for name, entry in read_yaml(path, dict).items():
        validate.require(isinstance(name, str), path.name, "columns named by texts", name)
        try:
            schema[name] = entry if entry == IGNORE else _coded(entry)
        except ValueError as error:
            raise ValueError(f"{path.name}, column {name!r}: {error}") from None
    return schema


def _coded(entry: object) -> Coded:
    if not isinstance(entry, dict):
        raise validate.refusal("entry", f"{IGNORE!r} or a mapping", entry)
    kind: type[Coded] = Category if "values" in entry else Number
    allowed = {field.name: field.default is MISSING for field in fields(kind)}
    for name in entry:
        validate.choice("entry", name, allowed)
    for name, needed in allowed.items():
        validate.require(not needed or name in entry, name, "given", None)
    return kind(**entry)


def _require_size(size: int) -> None:
    validate.require(size <= MOST_CODES, "codes of a column", f"at most {MOST_CODES:,}", size)
