"""The people of an audit: read, typed, split into groups, and who went into a finished release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from lib import validate
from lib.audit.release import Curator, Release, read_release
from lib.audit.request import PEOPLE, Request
from lib.audit.schema import TARGET, Schema, fit_schema
from lib.coherence.distances import Design
from lib.coherence.experiment import halves
from lib.groups import bands_in_order, groups_by_size, to_bands
from lib.rng import stream
from lib.table.coding import in_one_alone
from lib.table.columns import read_column, to_numbers
from lib.table.reading import read_file, repeated, spelled_as
from lib.table.schema import read_schema


@dataclass(frozen=True)
class Table:
    """Everybody concerned, with a known sensitive value.

    Parameters
    ----------
    raw, frame : DataFrame
        The cells as text, and typed for the learners; the same people in the same order.
    schema : Schema
        How they are read.
    members, small : mapping
        Each large enough group with who is in it, shape (n,); the sizes of all others.
    inside : array of bool, shape (n,)
        Who went into a finished release; everybody without one.
    dropped_rows : int
        People left out, since they have no sensitive value.
    used : set of str
        The columns of the lens and of groups.
    gaps : array of bool, shape (n,)
        Who has a gap in one of them.
    release : Release, optional
        The finished release.
    design : Design
        Their clusters and weights.
    notes : tuple of str
        What was recognised in the files, and which columns one of them alone has.
    """

    raw: pd.DataFrame
    frame: pd.DataFrame
    schema: Schema
    members: dict[str, np.ndarray]
    small: dict[str, int]
    inside: np.ndarray
    dropped_rows: int
    used: set[str]
    gaps: np.ndarray
    release: Release | None
    design: Design
    notes: tuple[str, ...]

    @property
    def lens(self) -> tuple[str, ...]:
        """The columns that a predictor sees: all but the target."""
        return tuple(name for name in self.frame.columns if name != TARGET)

    @property
    def gap_shares(self) -> dict[str, float]:
        """The share of each group's people with a gap in a column that is used."""
        return {group: float(self.gaps[who].mean()) for group, who in self.members.items()}

    @property
    def record(self) -> np.ndarray:
        """The number of each person's record as a predictor sees it, shape (n,)."""
        return _numbered(self.frame[list(self.lens)])

    def held(self, release: pd.DataFrame, inside: np.ndarray) -> dict[str, float]:
        """The share of each group's people ``inside`` whose record and answer are in a release; a
        released row stands for one of them.
        """
        number = _numbered(pd.concat([self.frame, release[self.frame.columns]]))
        people, rows = np.split(number, [len(self.frame)])
        copies, shares = np.bincount(rows, minlength=number.max() + 1), {}
        for group, who in self.members.items():
            wanted = np.bincount(people[who & inside], minlength=copies.size)
            shares[group] = float(np.minimum(wanted, copies).sum() / max(1, wanted.sum()))
        return shares


def read_table(request: Request) -> Table:
    """Read what ``request`` names; a ``ValueError`` names the file, column or value at fault."""
    raw, released = _people(request, request.file), None
    pool, inside = _everybody(request, raw)
    notes = [*raw.attrs["notes"]]
    kinds = dict(request.columns) | dict.fromkeys(request.special.values(), "ignore")
    if request.release is not None:
        released = read_file(request.release, encoding=request.encoding)
        notes += released.attrs["notes"]
        if request.count in released:
            released = repeated(released, request.count, request.release.name)
        used = {*released.columns, *request.lens, request.sensitive}
        kinds |= dict.fromkeys(set(raw.columns) - used, "ignore")
        tables = {request.file.name: raw, request.release.name: released}
        if alone := in_one_alone(tables):
            notes.append(f"Columns {alone}; nobody is matched by them.")
    stated = None if request.schema is None else read_schema(request.schema)
    if request.holdout is not None:  # which may count its people from 1 again
        held = {request.sensitive, *request.lens, *kinds, *(stated or {})}
        read = [read_column(raw[name], gaps=request.gaps) for name in raw if name not in held]
        kinds |= {column.name: "ignore" for column in read if column.identifier}
    schema = fit_schema(
        pool,
        sensitive=request.sensitive,
        positive=request.positive,
        lens=request.lens,
        kinds=kinds,
        gaps=request.gaps,
        stated=stated,
    )
    known = schema.answer.texts(pool).notna().to_numpy()
    pool, inside = pool[known].reset_index(drop=True), inside[known]
    people, n = f"people with a value of {request.sensitive!r}", int(inside.sum())
    if released is None:
        validate.require(n >= 4, request.file.name, f"of at least 4 {people}", n)
    elif min(n, inside.size - n) < 2:
        raise ValueError(
            f"release must have at least 2 {people} inside and 2 left out, got {n} and"
            f" {inside.size - n}"
        )
    if schema.is_positive(pool).sum() < request.least_shown:
        schema = replace(schema, few=request.least_shown)
    members, small = _groups(request, pool, schema)
    least = f"at most {len(pool)}, the size of the largest group"
    validate.require(len(members) > 0, "gamma", least, request.least_size)
    frame = schema.typed_table(pool, request.file.name)
    if released is not None:
        released = read_release(released, schema, request.release.name, request.file.name)
    dropped, design = int((~known).sum()), _design(request, pool, inside, schema)
    used = {*request.groups, *chain(*request.crossings), *schema.lens}
    gaps = [column.texts(pool).isna() for column in schema.columns if column.name in used]
    return Table(
        raw=pool,
        frame=frame,
        schema=schema,
        members=members,
        small=small,
        inside=inside,
        dropped_rows=dropped,
        used=used,
        gaps=np.any(gaps, axis=0),
        release=released,
        design=design,
        notes=tuple(notes),
    )


def _numbered(rows: pd.DataFrame) -> np.ndarray:
    """The number of each row; equal rows have one."""
    alike = rows.groupby([*rows.columns], sort=False, observed=True, dropna=False)
    return alike.ngroup().to_numpy()


def _people(request: Request, path: Path) -> pd.DataFrame:
    """A file, one row a person."""
    rows = read_file(path, encoding=request.encoding)
    other = TARGET not in rows
    validate.require(
        other, f"{path.name}: a header", f"other than {TARGET!r}, a name in use", TARGET
    )
    notes = rows.attrs
    rows = rows if request.count is None else repeated(rows, request.count, path.name)
    rows.attrs = notes
    return rows


def _design(request: Request, pool: pd.DataFrame, inside: np.ndarray, schema: Schema) -> Design:
    """Clusters and weights of the people; a ``ValueError`` for columns that cannot serve.

    In a large table weights are rounded to a sixteenth of a power of two, so that people can be
    counted.
    """
    cluster, weight, counted = None, None, len(pool) >= PEOPLE
    columns = {column.name: column for column in schema.columns}
    for name in ("cluster", "weights"):
        if name in request.special:
            gaps = int(columns[request.special[name]].texts(pool).isna().sum())
            validate.require(gaps == 0, name, "a column with a value for everybody", f"{gaps} gaps")
    if request.cluster is not None:
        cluster, names = pd.factorize(pool[request.cluster])
        validate.require(len(names) >= 4, "cluster", "of at least 4 values", len(names))
        both = np.intersect1d(cluster[inside], cluster[~inside])
        whole = "wholly in the release or left out of it, under one name in both files"
        got = f"{both.size} that are both"
        validate.require(both.size == 0, "cluster", f"a column of households {whole}", got)
    if request.weights is not None:
        mark = columns[request.weights].decimal
        weight = to_numbers(pool[request.weights], "the file", mark).to_numpy(float)
        fits = np.isfinite(weight) & (weight > 0)
        others = f"{int((~fits).sum())} others"
        validate.require(bool(fits.all()), "weights", "finite numbers > 0 in the file", others)
        if counted:
            weight = 2 ** ((16 * np.log2(weight)).round() / 16)
    return Design(cluster, weight, counted)


def first_half(
    request: Request, table: Table, split: int
) -> tuple[pd.DataFrame, np.ndarray, np.random.Generator]:
    """The people whom a split of the experiment learns from, as typed rows and as a mask of the
    table, shape (n,); and the stream that goes on from there.
    """
    rng, n = stream(request.seed, "demcoh", split), len(table.frame)
    rows, _ = halves(n, rng, table.design.cluster)
    return table.frame.iloc[rows], np.isin(np.arange(n), rows), rng


def released_halves(
    request: Request, table: Table, curator: Curator | None
) -> Iterator[tuple[pd.DataFrame, np.ndarray]]:
    """What learners read, and who was inside: the finished release, or that of each half."""
    if table.release is not None:
        yield table.release.table, table.inside
        return
    for i in range(request.splits):
        half, inside, rng = first_half(request, table, i)
        yield half if curator is None else curator(half, rng), inside


def _everybody(request: Request, raw: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray]:
    """The people of the file and those left out, and who is inside."""
    if request.members is not None:
        column, value = request.members
        validate.choice("members column", column, raw.columns)
        marks = raw[column]
        value = spelled_as(pd.Series([value]), marks.cat.categories).iloc[0]
        validate.choice("members value", value, sorted(marks.dropna().unique()))
        inside = (marks == value).to_numpy()
        left_out = "a mark that leaves somebody out of the release"
        validate.require(not inside.all(), "members", left_out, f"{column}={value}")
        return raw, inside
    if request.holdout is None:
        return raw, np.ones(len(raw), dtype=bool)
    out = _people(request, request.holdout)
    if alone := in_one_alone({request.file.name: raw, request.holdout.name: out}):
        same = f"the columns of {request.file.name}"
        raise ValueError(f"{request.holdout.name} must have {same}, got {alone}")
    raw.attrs["notes"] += out.attrs["notes"]
    out = pd.DataFrame({name: spelled_as(out[name], raw[name].cat.categories) for name in raw})
    if out.astype(object).equals(raw.astype(object)):
        raise ValueError(
            f"{request.holdout.name} must hold people who were left out, got the rows of"
            f" {request.file.name}"
        )
    pool = pd.DataFrame({name: union_categoricals([raw[name], out[name]]) for name in raw})
    return pool, np.arange(len(pool)) < len(raw)


def _groups(
    request: Request, pool: pd.DataFrame, schema: Schema
) -> tuple[dict[str, np.ndarray], dict[str, int]]:
    """Who is in each large enough group, and the sizes of all others.

    A number makes bands: those asked for, else its quartiles; a date its year. A missing value is
    in no group.
    """
    alone = [name for name in dict.fromkeys(request.groups) if name != request.sensitive]
    columns, labels = {column.name: column for column in (*schema.columns, schema.answer)}, {}
    for name in dict.fromkeys(chain(alone, *request.crossings)):
        validate.choice("group column", name, pool.columns)
        labels[name] = values = columns[name].cells(pool, "the file")
        if name in request.bands or columns[name].kind == "number":
            if not columns[name].numeric:
                values = to_numbers(values, "the file", columns[name].decimal)
            quartiles = sorted({*values.quantile([0.25, 0.5, 0.75])})
            labels[name] = to_bands(values, [float(e) for e in request.bands.get(name, quartiles)])
        elif columns[name].kind == "date":
            labels[name] = pd.to_datetime(values, unit="D").dt.year
    is_one = schema.is_positive(pool).to_numpy()
    answers = {
        f"{schema.sensitive} = {schema.positive_name}": lambda frame: is_one,
        f"{schema.sensitive} other than {schema.positive_name}": lambda frame: ~is_one,
    }
    labelled = pd.DataFrame(labels, index=pool.index)
    return groups_by_size(labelled, alone, request.crossings, answers, gamma=request.least_size)


def in_order(rows: pd.DataFrame) -> pd.DataFrame:
    """Results with one row a group, in the order of :func:`lib.groups.bands_in_order`."""
    return rows.set_index("group").loc[bands_in_order(rows["group"])].reset_index()
