"""The table of an audit: read, typed, split into groups, with who went into a finished release
marked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from lib import validate
from lib.audit.numbers import spelling, spelt
from lib.audit.release import Reading, read_release
from lib.audit.request import Request
from lib.audit.schema import TARGET, Schema, fit_schema, grouping, read_csv
from lib.coherence.collection import groups_by_size

__all__ = ["Table", "prepared"]


@dataclass(frozen=True)
class Table:
    """Everybody concerned: text, typed, groups; ``inside`` marks the people of a finished
    release.
    """

    raw: pd.DataFrame
    frame: pd.DataFrame
    schema: Schema
    members: dict[str, np.ndarray]
    small: dict[str, int]
    inside: np.ndarray
    dropped_rows: int
    release: Reading | None = None

    @property
    def lens(self) -> tuple[str, ...]:
        """The columns that a predictor sees: all but the target."""
        return tuple(name for name in self.frame.columns if name != TARGET)


def prepared(request: Request) -> Table:
    """Read what ``request`` names; a ``ValueError`` names the file, column or value that cannot
    be used.
    """
    raw = read_csv(request.file)
    for name in {
        request.sensitive,
        *request.groups,
        *(c for crossing in request.crossings for c in crossing),
        *request.bands,
        *request.kinds,
        *request.lens,
    }:
        validate.choice("column", name, raw.columns)
    kinds, lens = dict(request.kinds), request.lens
    pool, inside = _everybody(request, raw)
    if request.members is not None:
        kinds[request.members[0]] = "ignore"
    released = None if request.release is None else read_csv(request.release)
    if released is not None:
        if request.sensitive not in released.columns:
            raise ValueError(
                f"{request.release.name} has no column {request.sensitive!r}: nothing about it can"
                " be learnt from it"
            )
        kinds |= {
            name: "ignore"
            for name in raw.columns
            if name not in (*released.columns, *lens, request.sensitive)
        }
    schema = fit_schema(
        pool, sensitive=request.sensitive, positive=request.positive, lens=lens, kinds=kinds
    )
    known = pool[schema.sensitive].notna().to_numpy()
    pool, inside = pool[known].reset_index(drop=True), inside[known]
    _enough(request, inside)
    kept, small = _groups(request, pool, schema)
    if not kept:
        raise ValueError(
            f"gamma={request.gamma!r} is not allowed: the largest group has {len(pool)} people"
        )
    frame = schema.typed(pool, request.file.name)
    reading = (
        None
        if released is None
        else read_release(released, schema, request.release.name, request.file.name)
    )
    return Table(pool, frame, schema, kept, small, inside, int((~known).sum()), reading)


def _enough(request: Request, inside: np.ndarray) -> None:
    """At least two people on either side, of those with a sensitive value."""
    if request.release is None and inside.size < 4:
        raise ValueError(
            f"{request.file.name} has {inside.size} people with a value of {request.sensitive!r}; 4"
            " are needed"
        )
    if request.release is not None and not 2 <= inside.sum() <= inside.size - 2:
        raise ValueError(
            f"of the people with a value of {request.sensitive!r} {inside.sum()} went into the"
            f" release and {inside.size - inside.sum()} were left out; at least 2 of each are"
            " needed"
        )


def _everybody(request: Request, raw: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray]:
    """The people of the file and those left out, and who is inside."""
    if request.members is not None:
        column, value = request.members
        validate.choice("members column", column, raw.columns)
        marks = spelt(raw[column])
        validate.choice("members value", spelling(value), sorted(marks.dropna().unique()))
        inside = (marks == spelling(value)).to_numpy()
        if inside.all():
            raise ValueError(
                f"members={column}={value} marks everybody: nobody is left out of the release"
            )
        return raw, inside
    if request.holdout is None:
        return raw, np.ones(len(raw), dtype=bool)
    out = read_csv(request.holdout)
    if set(out.columns) != set(raw.columns):
        odd = sorted(set(out.columns) ^ set(raw.columns))
        raise ValueError(
            f"{request.holdout.name} and {request.file.name} differ in the column {odd[0]!r}"
        )
    out = out[list(raw.columns)]
    if out.apply(spelt).equals(raw.apply(spelt)):
        raise ValueError(
            f"{request.holdout.name} holds the same rows as {request.file.name}: nobody was"
            " left out"
        )
    return pd.concat([raw, out], ignore_index=True), np.arange(len(raw) + len(out)) < len(raw)


def _groups(
    request: Request, pool: pd.DataFrame, schema: Schema
) -> tuple[dict[str, np.ndarray], dict[str, int]]:
    columns = [name for name in dict.fromkeys(request.groups) if name != request.sensitive]
    needed = dict.fromkeys([*columns, *(c for crossing in request.crossings for c in crossing)])
    numbers = [c.name for c in schema.columns if c.kind == "number"]
    labels = grouping(pool, list(needed), request.bands, pool, as_numbers=numbers)
    is_one = schema.is_positive(pool).to_numpy()
    name = f"{schema.sensitive} = {schema.positive}"
    told = {
        name: lambda frame: is_one,
        f"{schema.sensitive} other than {schema.positive}": lambda frame: ~is_one,
    }
    return groups_by_size(labels, columns, request.crossings, told, gamma=request.gamma)
