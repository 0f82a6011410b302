"""What may be stored: plain values, one kind a field, under names that are free, and of real data
where results are committed.

A field is a column of the Parquet file, so it holds text, truth values or
numbers; a gap (None or NaN) goes with each of them. What does not fit is refused
before it is written: a table that cannot be folded would end the sweep
hours later, in words that name neither cell nor field.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lib import validate
from lib.runner.provenance import DIRTY

# what sweep and store write themselves
RESERVED = ("cell", "version", "commit", "versions", "wall_s", "created")
SCORES = "scores"  # the one field that may hold a list of flat records
SOURCES = ("data_source", "data_sha256")


class StoreError(ValueError):
    """Results that cannot be used as they are; nothing in their files was changed."""


def is_gap(value: object) -> bool:
    """Whether a field has no value: None or NaN."""
    return value is None or (isinstance(value, float) and value != value)


def _kind(value: object) -> str | None:
    """Text, truth value, number or gap; None for what no column holds."""
    if is_gap(value):
        return "gap"
    if isinstance(value, str):  # no file could hold half of a pair of surrogates
        return None if re.search("[\ud800-\udfff]", value) else "text"
    if isinstance(value, bool):
        return "truth value"
    if isinstance(value, int):
        return "number" if -(2**63) <= value < 2**64 else None
    return "number" if isinstance(value, float) else None


def plain(record: Mapping[str, object], whose: str) -> dict[str, Any]:
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
    flat = _flat({name: value for name, value in record.items() if name != SCORES}, whose)
    if SCORES not in record:
        return flat
    scores: Any = record[SCORES]
    if not (isinstance(scores, list) and scores and all(isinstance(s, Mapping) for s in scores)):
        raise ValueError(f"{whose}: scores must be a list of flat records, got {scores!r:.100}")
    rows = [_flat(score, f"{whose}, scores[{i}]") for i, score in enumerate(scores)]
    for i, row in enumerate(rows):
        if row.keys() != rows[0].keys() or row.keys() & record.keys():
            raise ValueError(
                f"{whose}: scores[{i}] must have the names of scores[0] and none of the record, got"
                f" {', '.join(row)}"
            )
    return flat | {SCORES: rows}


def _flat(record: Mapping[str, object], whose: str) -> dict[str, Any]:
    flat = {n: x.item() if isinstance(x, np.generic) else x for n, x in record.items()}
    for name, value in flat.items():
        validate.require(isinstance(name, str), f"{whose}: the name of a field", "text", name)
        if _kind(value) is None:
            raise ValueError(
                f"{whose}: {name}={value!r:.100} ({type(value).__name__}) cannot be stored: "
                "text, a truth value, a number of 64 bits or None can"
            )
    return flat


def kinds_of(record: Mapping[str, Any], known: Mapping[str, str]) -> dict[str, str]:
    """``known``, the kinds of fields, with those of a plain ``record`` and of its scores; a
    ``ValueError`` names the field whose kind is another than before.
    """
    kinds = dict(known)
    for values in (record, *record.get(SCORES, ())):
        for name, value in values.items():
            kind = "gap" if name == SCORES else str(_kind(value))
            if kind != "gap" and kinds.setdefault(name, kind) != kind:
                raise ValueError(
                    f"cell {record['cell']}: {name}={value!r:.100} is a {kind} and cannot be"
                    f" stored: the records before it have a {kinds[name]} there, and a field is of"
                    " one kind"
                )
    return kinds


def refuse_bare(frame: pd.DataFrame, path: Path) -> None:
    """A :class:`StoreError` for records that do not say what made them, and of which data."""
    said = {name for name in frame if frame[name].notna().all()}
    bare = [name for name in ("commit", "versions", "created") if name not in said]
    if "dataset" in frame and said.isdisjoint(SOURCES):
        bare.append(" or ".join(SOURCES))
    if bare:
        raise StoreError(
            f"{path} must have {' and '.join(bare)} in every record, got some without: nobody can"
            " tell what made them; run the cells again"
        )


def refuse_uncommitted(record: Mapping[str, Any], whose: str) -> None:
    """Committed results are of real data, and of code that others can check out.

    Examples
    --------
    >>> refuse_uncommitted({"data_source": "local", "commit": "188e907373d8"}, "cell 1")
    >>> refuse_uncommitted({"commit": "188e907373d8-dirty"}, "cell 1")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
      ...
    ValueError: cell 1: commit of committed results must be without changes, got '188e907373d8-d...
    """
    if record.get("data_source") == "replica":
        raise ValueError(
            f"{whose}: committed results need the real {record.get('dataset')!r}, got its replica;"
            " set COMPANION_DATA (on every worker) or go online, or give a path of your own"
        )
    if str(record.get("commit")).endswith(DIRTY):
        raise ValueError(
            f"{whose}: commit of committed results must be without changes, got"
            f" {record['commit']!r}; commit what has changed in lib, or give a path of your own"
        )
