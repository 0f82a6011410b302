"""What may be stored: plain values, one kind a field, under names that are free, and of real data
where results are committed.

A field is a column of the parquet file, so it holds text, truth values or
numbers; a gap (None or NaN) goes with each of them. What does not fit is refused
before it is written, since a journal that cannot be folded would end the sweep
cells later, in words that name neither cell nor field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from lib import validate
from lib.parse import shown
from lib.runner.provenance import DIRTY

# what sweep and store write themselves
RESERVED = ("cell", "version", "commit", "versions", "wall_s", "created")
SCORES = "scores"  # the one field that may hold a list of flat records
_GAP = "gap"


def is_gap(value: object) -> bool:
    """Whether a field has no value: None or NaN."""
    return value is None or (isinstance(value, float) and value != value)


def _kind(value: object) -> str | None:
    """Text, truth value, number or gap; None for what no column holds."""
    if is_gap(value):
        return _GAP
    if isinstance(value, str):  # no file could hold half of a pair of surrogates
        return None if re.search("[\ud800-\udfff]", value) else "text"
    if isinstance(value, bool):
        return "truth value"
    if isinstance(value, int):
        return "number" if -(2**63) <= value < 2**64 else None
    return "number" if isinstance(value, float) else None


def plain(record: Mapping[str, object], whose: str) -> dict[str, object]:
    """``record`` with NumPy's scalars as the Python values that they are.

    Parameters
    ----------
    record : mapping
        Flat: a field's name to its value; ``scores`` may be a list of flat mappings.
    whose : str
        The cell, for the message.

    Raises
    ------
    ValueError
        For a field that is no text, truth value, number of 64 bits or None, and for scores that
        differ in their names or take one of the record's.
    """
    if SCORES not in record:
        return _flat(record, whose)
    scores, rest = record[SCORES], {name: x for name, x in record.items() if name != SCORES}
    if not (isinstance(scores, list) and scores and all(isinstance(s, Mapping) for s in scores)):
        raise ValueError(f"{whose}: scores must be a list of flat records, got {shown(scores)}")
    rows = [_flat(score, f"{whose}, scores[{i}]") for i, score in enumerate(scores)]
    for i, row in enumerate(rows):
        if row.keys() != rows[0].keys() or row.keys() & record.keys():
            raise ValueError(
                f"{whose}: scores[{i}] must have the names of scores[0] and none of the record, got"
                f" {', '.join(row)}"
            )
    return _flat(rest, whose) | {SCORES: rows}


def _flat(record: Mapping[str, object], whose: str) -> dict[str, object]:
    flat = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in record.items()
    }
    for name, value in flat.items():
        if not isinstance(name, str):
            raise validate.refusal(f"{whose}: the name of a field", "text", name)
        if _kind(value) is None:
            raise ValueError(
                f"{whose}: {name}={shown(value)} ({type(value).__name__}) cannot be stored: "
                "text, a truth value, a number of 64 bits or None can"
            )
    return flat


def kinds_of(frame: pd.DataFrame) -> dict[str, str]:
    """The kind of every column that holds a value."""
    first = {name: frame[name].dropna().iloc[:1].tolist() for name in frame}
    return {n: kind for n, values in first.items() if values and (kind := _kind(values[0]))}


def refuse_mixture(record: Mapping[str, Any], kinds: dict[str, str]) -> dict[str, str]:
    """``kinds`` with those of a plain ``record`` and of its scores; a ``ValueError`` names the
    field whose kind is another than before.
    """
    kinds = dict(kinds)
    for values in (record, *record.get(SCORES, ())):
        for name, value in values.items():
            kind = _GAP if name == SCORES else _kind(value)
            if kind and kind != _GAP and kinds.setdefault(name, kind) != kind:
                raise ValueError(
                    f"cell {record['cell']}: {name}={shown(value)} is a {kind} and cannot be"
                    f" stored: the records before it have a {kinds[name]} there, and a field is of"
                    " one kind"
                )
    return kinds


def refuse_taken(names: Iterable[str], parameters: Iterable[str], whose: str) -> None:
    """A ``ValueError`` for fields under the name of a parameter of the cell, or one that sweep
    and store use.
    """
    names = set(names)
    for what, taken in (("parameters of the cell", parameters), ("reserved", RESERVED)):
        if both := names.intersection(taken):
            raise ValueError(
                f"{whose}: fields named {', '.join(map(repr, sorted(both)))} are not allowed: these"
                f" names are {what}"
            )


def needs_real(dataset: str, source: str, what: str, instead: str) -> None:
    """Committed results hold no replica's rows: refuse before one gets among them.

    Parameters
    ----------
    dataset, source : str
        A data set and where its rows are from.
    what, instead : str
        What needs the real ones, and what to give to go on with a replica.
    """
    if source == "replica":
        raise ValueError(
            f"{what} needs the real {dataset!r}, and only its replica is here; "
            f"set COMPANION_DATA or go online, or give {instead} for replica results"
        )


def needs_commit(commit: str) -> None:
    """Committed results come from code that others can check out: refuse code with changes.

    Examples
    --------
    >>> needs_commit("188e907373d8")
    >>> needs_commit("188e907373d8-dirty")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
      ...
    ValueError: commit of committed results must be without changes, got '188e907373d8-dirty'; ...
    """
    if commit.endswith(DIRTY):
        raise ValueError(
            f"commit of committed results must be without changes, got {commit!r}; commit what has"
            " changed in lib, or give a path of your own"
        )
