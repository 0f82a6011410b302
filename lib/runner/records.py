"""What may be stored: plain values, one kind a field, under names that are free, and of real data
where results are committed.

A field is a column of the Parquet file, so it holds text, truth values or
numbers; a gap (None or NaN) goes with each of them. What does not fit is refused
before it is written: a table that cannot be folded would end the sweep
hours later, in words that name neither cell nor field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

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


def is_list(value: object) -> bool:
    """Whether a field holds scores, as a cell returns them or as a table gives them back."""
    return isinstance(value, list | np.ndarray)


def plain(
    record: Mapping[str, object], whose: str, kinds: dict[str, str] | None = None
) -> dict[str, Any]:
    """``record`` with NumPy's scalars as the Python values that they are.

    Parameters
    ----------
    record : mapping
        Flat: a field's name to its value; ``scores`` may be a list of flat mappings.
    whose : str
        The cell, for the message.
    kinds : dict, optional
        The kinds of the fields of records before; those of this one are added.

    Raises
    ------
    ValueError
        For a field that is no text, truth value, number or None, or of another kind than before,
        and for scores that differ in their names or take one of the record's.
    """
    kinds = {} if kinds is None else kinds
    flat = {n: _plain(n, value, whose, kinds) for n, value in record.items() if n != SCORES}
    scores: Any = record.get(SCORES)
    if is_gap(scores):
        return flat
    if not (is_list(scores) and len(scores) and all(isinstance(s, Mapping) for s in scores)):
        raise ValueError(f"{whose}: scores must be a list of flat records, got {scores!r:.100}")
    rows = []
    for i, score in enumerate(scores):
        if score.keys() != scores[0].keys() or score.keys() & record.keys():
            raise ValueError(
                f"{whose}: scores[{i}] must have the names of scores[0] and none of the record, got"
                f" {', '.join(score)}"
            )
        place = f"{whose}, scores[{i}]"
        rows.append({name: _plain(name, value, place, kinds) for name, value in score.items()})
    return flat | {SCORES: rows}


def _plain(name: str, value: Any, whose: str, kinds: dict[str, str]) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    if is_gap(value):
        return value
    kind = _kind(value)
    if kind is None or not isinstance(name, str):
        raise ValueError(
            f"{whose}: {name}={value!r:.100} ({type(value).__name__}) cannot be stored: "
            "text, a truth value, a number (a whole one up to 2**53) or None can, under a name that"
            " is text"
        )
    if kinds.setdefault(name, kind) != kind:
        raise ValueError(
            f"{whose}: {name}={value!r:.100} is a {kind} and cannot be stored: the records before"
            f" it have a {kinds[name]} there, and a field is of one kind"
        )
    return value


def _kind(value: object) -> str | None:
    """Text, truth value or number; None for what no column holds."""
    match value:
        case bool():
            return "truth value"
        case str() if not re.search("[\ud800-\udfff]", value):  # no half of a pair of surrogates
            return "text"
        case float():
            return "number"
        case int() if abs(value) <= 2**53:  # a larger one would be rounded beside a gap
            return "number"
    return None


def refuse_without(names: Iterable[str], frame: pd.DataFrame, place: object) -> None:
    """A :class:`StoreError` for records that lack one of these fields, which are text."""
    for name in names:
        if name not in frame or not frame[name].map(lambda value: isinstance(value, str)).all():
            raise StoreError(
                f"{place} has rows without a {name}: nobody can tell what made them; restore it, or"
                " move it away and run the cells again"
            )


def refuse_bare(frame: pd.DataFrame, path: Path) -> None:
    """A :class:`StoreError` for records that do not say what made them, and of which data."""
    refuse_without(["commit", "versions", "created"], frame, path)
    if "dataset" in frame and frame.reindex(columns=[*SOURCES]).isna().any().all():
        raise StoreError(f"{path} must have {' or '.join(SOURCES)} in every record; run it again")


def refuse_uncommitted(record: Mapping[str, Any], whose: object) -> None:
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
