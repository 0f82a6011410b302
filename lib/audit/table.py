"""The people of an audit: read, typed, split into groups, and who went into a finished release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from lib import validate
from lib.audit.reading import TARGET, read_file, repeated
from lib.audit.release import Release, read_release
from lib.audit.request import LEAST_SHOWN, Request
from lib.audit.schema import Schema, as_floats, fit_schema, to_numbers
from lib.coherence.distances import PLAIN, Design
from lib.groups import groups_by_size, to_bands
from lib.parse import shown
from lib.table.numbers import canonical_column, canonical_text


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
    release : Release, optional
        The finished release.
    design : Design
        Their clusters and weights.
    """

    raw: pd.DataFrame
    frame: pd.DataFrame
    schema: Schema
    members: dict[str, np.ndarray]
    small: dict[str, int]
    inside: np.ndarray
    dropped_rows: int
    release: Release | None = None
    design: Design = PLAIN

    @property
    def lens(self) -> tuple[str, ...]:
        """The columns that a predictor sees: all but the target."""
        return tuple(name for name in self.frame.columns if name != TARGET)


def read_table(request: Request) -> Table:
    """Read what ``request`` names; a ``ValueError`` names the file, column or value at fault."""
    raw, kinds, released = _people(request, request.file), dict(request.columns), None
    pool, inside = _everybody(request, raw)
    if request.members is not None:
        kinds[request.members[0]] = "ignore"
    kinds |= dict.fromkeys(filter(None, (request.cluster, request.weights)), "ignore")
    if request.release is not None:
        released = read_file(request.release)
        if request.count in released:
            released = repeated(released, request.count, request.release.name)
        used = {*released.columns, *request.lens, request.sensitive}
        kinds |= dict.fromkeys(set(raw.columns) - used, "ignore")
    schema = fit_schema(
        pool, sensitive=request.sensitive, positive=request.positive, lens=request.lens, kinds=kinds
    )
    known = pool[schema.sensitive].notna().to_numpy()
    pool, inside = pool[known].reset_index(drop=True), inside[known]
    people, n = f"people with a value of {request.sensitive!r}", int(inside.sum())
    if released is None:
        validate.require(n >= 4, request.file.name, f"of at least 4 {people}", n)
    elif min(n, inside.size - n) < 2:
        raise ValueError(
            f"release must have at least 2 {people} inside and 2 left out, got {n} and"
            f" {inside.size - n}"
        )
    if schema.is_positive(pool).sum() < LEAST_SHOWN and not request.show_small:
        schema = replace(schema, few=LEAST_SHOWN)
    labels = grouping(pool, _grouped(request), _bands(request, pool, schema))
    members, small = _groups(request, labels, pool, schema, request.least_size)
    least = f"at most {len(pool)}, the size of the largest group"
    validate.require(len(members) > 0, "gamma", least, request.least_size)
    frame = schema.typed_table(pool, request.file.name)
    if released is not None:
        released = read_release(released, schema, request.release.name, request.file.name)
        if request.weights in released.raw:
            weights_of(released.raw, request.weights, request.release.name)
    dropped, design = int((~known).sum()), _design(request, pool, inside)
    return Table(pool, frame, schema, members, small, inside, dropped, released, design)


def _people(request: Request, path: Path) -> pd.DataFrame:
    """A file, one row a person."""
    rows = read_file(path)
    return rows if request.count is None else repeated(rows, request.count, path.name)


def _design(request: Request, pool: pd.DataFrame, inside: np.ndarray) -> Design:
    """Clusters and weights of the people; a ``ValueError`` for columns that cannot serve."""
    cluster = weight = None
    for name, column in (("cluster", request.cluster), ("weights", request.weights)):
        if column is not None:
            validate.choice(f"{name} column", column, pool.columns)
            gaps = int(pool[column].isna().sum())
            validate.require(gaps == 0, name, "a column with a value for everybody", f"{gaps} gaps")
    if request.cluster is not None:
        cluster, names = pd.factorize(canonical_column(pool[request.cluster]))
        validate.require(len(names) >= 4, "cluster", "of at least 4 values", len(names))
        both = np.intersect1d(cluster[inside], cluster[~inside])
        whole = "wholly in the release or left out of it, under one name in both files"
        got = f"{both.size} that are both"
        validate.require(both.size == 0, "cluster", f"a column of households {whole}", got)
    if request.weights is not None:
        weight = weights_of(pool, request.weights, "the file")
    return Design(cluster, weight)


def weights_of(rows: pd.DataFrame, column: str, file: str) -> np.ndarray:
    """A column of positive numbers, shape (n,); a ``ValueError`` for any other."""
    weight = to_numbers(rows[column], file).to_numpy(float)
    fits = np.isfinite(weight) & (weight > 0)
    what, others = f"finite numbers > 0 in {file}", f"{int((~fits).sum())} others"
    validate.require(bool(fits.all()), "weights", what, others)
    return weight


def _everybody(request: Request, raw: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray]:
    """The people of the file and those left out, and who is inside."""
    if request.members is not None:
        column, value = request.members
        validate.choice("members column", column, raw.columns)
        marks, value = canonical_column(raw[column]), canonical_text(value)
        validate.choice("members value", value, sorted(marks.dropna().unique()))
        inside = (marks == value).to_numpy()
        left_out = "a mark that leaves somebody out of the release"
        validate.require(not inside.all(), "members", left_out, f"{column}={value}")
        return raw, inside
    if request.holdout is None:
        return raw, np.ones(len(raw), dtype=bool)
    out = _people(request, request.holdout)
    if odd := sorted(set(out.columns) ^ set(raw.columns)):
        raise ValueError(
            f"{request.holdout.name} must have the columns of {request.file.name}, got another"
            f" {shown(odd[0])}"
        )
    if out[raw.columns].apply(canonical_column).equals(raw.apply(canonical_column)):
        raise ValueError(
            f"{request.holdout.name} must hold people who were left out, got the rows of"
            f" {request.file.name}"
        )
    pool = pd.DataFrame({name: union_categoricals([raw[name], out[name]]) for name in raw})
    return pool, np.arange(len(pool)) < len(raw)


def released_groups(request: Request, table: Table, rows: pd.DataFrame) -> dict[str, np.ndarray]:
    """Who of the ``rows`` of a release is in each group of the file, by the file's bands.

    A group of a column that the release does not have is empty, and a cell that is no number is in
    no band.
    """
    pool, bands = table.raw, _bands(request, table.raw, table.schema)
    names, labels = _grouped(request), {}
    for name, label in grouping(pool, names, bands).items():
        if name not in rows:
            labels[name] = pd.Series(None, index=rows.index, dtype=object)
        elif name in bands:
            band, own = (np.digitize(as_floats(frame[name]), bands[name]) for frame in (pool, rows))
            named = dict(zip(band[label.notna()], label.dropna(), strict=True))
            finite = np.isfinite(as_floats(rows[name]))
            labels[name] = pd.Series(own, rows.index).map(named).where(finite, None)
        else:
            labels[name] = canonical_column(rows[name])
    found = _groups(request, pd.DataFrame(labels, index=rows.index), rows, table.schema, 0)[0]
    return {name: found.get(name, np.zeros(len(rows), dtype=bool)) for name in table.members}


def _grouped(request: Request) -> list[str]:
    """The columns that make groups."""
    columns = [name for name in request.groups if name != request.sensitive]
    return list(dict.fromkeys(chain(columns, *request.crossings)))


def _bands(request: Request, pool: pd.DataFrame, schema: Schema) -> dict[str, list[float]]:
    """The edges of each number that makes groups: those asked for, else its quartiles."""
    edges = {name: [float(edge) for edge in band] for name, band in request.bands.items()}
    for column in schema.columns:
        if column.kind == "number" and column.name in {*_grouped(request)} - {*edges}:
            values = to_numbers(pool[column.name], "the file")
            edges[column.name] = sorted(set(values.quantile([0.25, 0.5, 0.75])))
    return edges


def _groups(
    request: Request, labels: pd.DataFrame, raw: pd.DataFrame, schema: Schema, gamma: float
) -> tuple[dict[str, np.ndarray], dict[str, int]]:
    columns = [name for name in dict.fromkeys(request.groups) if name != request.sensitive]
    is_one = schema.is_positive(raw).to_numpy()
    answers = {
        f"{schema.sensitive} = {schema.positive_name}": lambda frame: is_one,
        f"{schema.sensitive} other than {schema.positive_name}": lambda frame: ~is_one,
    }
    return groups_by_size(labels, columns, request.crossings, answers, gamma=gamma)


def grouping(
    raw: pd.DataFrame,
    columns: Sequence[str],
    bands: Mapping[str, Sequence[float]],
) -> pd.DataFrame:
    """The columns that make groups, as labels; a missing value belongs to no group.

    ``bands`` has the edges of numeric columns, see :func:`lib.groups.to_bands`.
    """
    labels = {}
    for name in columns:
        validate.choice("group column", name, raw.columns)
        if name in bands:
            labels[name] = to_bands(to_numbers(raw[name], "the file"), bands[name])
        else:
            labels[name] = canonical_column(raw[name])
    return pd.DataFrame(labels, index=raw.index)
