"""What may be stored: plain values, one kind a field, under names that are free, and of real data
where results are committed.

A field is a column of the Parquet file, so it holds text, truth values or
numbers; a gap (None or NaN) goes with each of them. What does not fit is refused
before it is written: a table that cannot be folded would end the sweep
hours later, in words that name neither cell nor field.

A record says which code made it (:func:`provenance`), and of which rows, in ``data_source`` and
``data_sha256``: a results file holds a data set's real rows or its replica's, and one version of
them. A folder, the cache and a download give the same bytes and count as one. Records without a
source, and those of what the project generates, are not checked.
"""

from __future__ import annotations

import math
import re
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as package_version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lib.datasets import TASKS, load
from lib.datasets.cache import SOURCES as READ_FROM
from lib.paths import IN_REPOSITORY, ROOT

DIRTY = "-dirty"  # ends the commit of a record whose code had changes
# what numbers of some grid depend on: mbi and jax fit the synthesizers, optuna proposes the trials
# of the tuning
PACKAGES = "numpy scipy pandas scikit-learn lightgbm mbi jax jaxlib optax optuna".split()


def _git(*arguments: str) -> subprocess.CompletedProcess:
    # no optional locks: a look at the tree must not stand in the way of a commit
    command = ["git", "--no-optional-locks", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


@cache
def provenance() -> dict[str, str]:
    """``commit`` and ``versions`` of this process.

    The commit ends in ``-dirty`` where tracked files under ``lib/`` differ from
    it (results may: a sweep writes them), and is ``"unknown"`` outside a git
    repository. Of :data:`PACKAGES` those are named that are installed.
    """
    commit, found = "", []
    if IN_REPOSITORY:  # elsewhere it would be that of whatever project one works in
        with suppress(OSError):  # a machine without git
            commit = _git("rev-parse", "--short=12", "HEAD").stdout.strip()
            changed = _git("diff", "--quiet", "HEAD", "--", "lib", "studies").returncode == 1
            if commit and changed:
                commit += DIRTY
    for package in PACKAGES:
        with suppress(PackageNotFoundError):  # not every machine needs all
            found.append(f"{package}={package_version(package)}")
    return {"commit": commit or "unknown", "versions": " ".join(found)}


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


def plain_values(
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
            " set COMPANION_DATA (on every worker) or go online, or write to a folder of yours"
            " (--again)"
        )
    if str(record.get("commit")).endswith(DIRTY):
        raise ValueError(
            f"{whose}: commit of committed results must be without changes, got"
            f" {record['commit']!r}; commit what has changed in lib, or write to a folder of yours"
            " (--again)"
        )


# what another processor may change: sums in another order move a number by its last bits, while
# training moves a few predictions (LightGBM sums gradients of 32 bits in an order of its own), and
# a fit that chooses by such sums may choose otherwise, which moves a small group's scores by more
TOLERANCES = {"arithmetic": 1e-9, "training": 0.01, "choice": 0.15}


# who computed a cell, when, and from which copy of the data
_MAY_DIFFER = {*RESERVED, "data_source"} - {"cell", "version"}


def differing_field(
    one: Mapping[str, Any], other: Mapping[str, Any], tolerance: float = TOLERANCES["arithmetic"]
) -> str | None:
    """The first field, by its name, whose values differ; None if there is none.

    Fields of where and when a record was made are not compared, nor seconds.

    Examples
    --------
    >>> differing_field({"acc": 0.5, "fit_s": 2.0}, {"acc": 0.501, "fit_s": 3.0})
    'acc'
    >>> differing_field({"acc": 0.5}, {"acc": 0.501}, tolerance=0.01)
    """
    for name in sorted(one.keys() | other.keys()):
        compared = name not in _MAY_DIFFER and not name.endswith("_s")
        if compared and not _agree(one.get(name), other.get(name), tolerance):
            return name
    return None


def _agree(one: Any, other: Any, tolerance: float) -> bool:
    if is_list(one) and is_list(other):  # scores
        found = (differing_field(*pair, tolerance) for pair in zip(one, other, strict=False))
        return len(one) == len(other) and not any(found)
    if is_gap(one) or is_gap(other):
        return is_gap(one) and is_gap(other)
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
    return repr(one) == repr(other)


_KINDS = dict.fromkeys((*READ_FROM, "census"), "the real data") | {
    "replica": "the replica",
}


def refuse_two_origins(
    known: dict[tuple[str, str], tuple[str, object]], record: Mapping[str, Any], where: object
) -> None:
    """A :class:`StoreError` if ``record`` says another source or SHA-256 of a data set than is
    ``known``; else what it says is known from now on, with its place.
    """
    dataset, kind = record.get("dataset"), _KINDS.get(str(record.get("data_source")))
    if kind is None or not isinstance(dataset, str):
        return
    said = {"data_source": kind}
    if isinstance(digest := record.get("data_sha256"), str):
        said["data_sha256"] = f"SHA-256 {digest:.12}"
    for name, origin in said.items():
        before, place = known.setdefault((dataset, name), (origin, where))
        if origin != before:
            raise StoreError(
                f"{where}: {dataset!r} was computed on {origin}, and in {place} on {before}; one"
                " file holds one of them: give the other a folder of its own (--again), or set"
                " COMPANION_DATA to a folder with the data of the file"
            )


def said_in(frame: pd.DataFrame) -> list[dict]:
    """What the records of a table say of their data and code, each once."""
    said = frame.reindex(columns=["dataset", *SOURCES, "commit"])
    return said.drop_duplicates().to_dict("records")


def said_here(datasets: Iterable[str]) -> list[dict]:
    """What records computed here would say of these data sets, where the package has them."""
    here = map(load, sorted({*datasets} & {*TASKS}))
    return [{"dataset": d.name, "data_source": d.source, "data_sha256": d.sha256} for d in here]
