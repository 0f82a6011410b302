"""Where the rows behind records are from: a results file holds a data set's real rows or its
replica's, and one version of them.

A record says it in ``data_source`` and ``data_sha256``. A folder, the cache and a download give the
same bytes and count as one. Records without a source, and those of what the project generates, are
not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd

from lib.datasets import TASKS, Unavailable, load, task
from lib.datasets.cache import SOURCES
from lib.runner.errors import StoreError

_KINDS: dict[Any, str] = dict.fromkeys((*SOURCES, "census"), "the real data") | {
    "replica": "the replica",
    "stand-in": "the stand-in",
}
Origin = tuple[str, str]  # the real data or the replica, SHA-256 or ""


def _tasks(cells: Iterable[object]) -> set[str]:
    """Names of tasks: the package's, and those that cells state. A name that stands in records only
    is looked up nowhere: ``"module:TASK"`` would import what a file chooses.
    """
    found = set(TASKS)
    named: set[Any] = {getattr(cell, "dataset", None) for cell in cells}
    for name in named:
        with suppress(ValueError):
            task(name)
            found.add(name)
    return found


def _origins(records: pd.DataFrame | Mapping, tasks: set[str]) -> list[tuple[str, Origin]]:
    """Data sets, and what records of them were computed on; without those that do not say."""
    said: list[Any] = [records]
    if isinstance(records, pd.DataFrame):
        there = [c for c in ("dataset", "data_source", "data_sha256") if c in records]
        said = records[there].drop_duplicates().to_dict("records")
    found = set()
    for record in said:
        dataset, kind = record.get("dataset"), _KINDS.get(record.get("data_source"))
        # the rows of a task are one file's; under another name, your own, may be those of several
        digest = record.get("data_sha256") if dataset in tasks else ""
        if kind is not None and isinstance(dataset, str):
            found.add((dataset, (kind, digest if isinstance(digest, str) else "")))
    return sorted(found)


def _differ(one: Origin, other: Origin) -> bool:
    return one[0] != other[0] or bool(one[1] and other[1] and one[1] != other[1])


def _words(origin: Origin) -> str:
    return f"{origin[0]} (SHA-256 {origin[1][:12]}...)" if origin[1] else origin[0]


def refuse_other_data(frame: pd.DataFrame, path: Path, cells: Iterable[object]) -> None:
    """Refuse to resume where records of these cells' data sets were computed on other rows than
    would be used now.

    ``frame`` is what the file ``path`` holds. A :class:`StoreError` names the file, what is in it,
    what is here, and what to do.
    """
    tasks = _tasks(cells := list(cells))
    asked = {getattr(cell, "dataset", None) for cell in cells} & tasks
    for dataset, stored in _origins(frame, tasks):
        if dataset not in asked:
            continue
        try:
            data = load(dataset)
        except Unavailable:  # your own, without a replica: nothing can be computed, nor mixed
            continue
        here = (_KINDS[data.source], data.sha256)
        if _differ(stored, here):
            raise StoreError(
                f"{path} holds records of {dataset!r} that were computed on {_words(stored)}, and"
                f" here is {_words(here)}; give another path, move the file away, or set"
                " COMPANION_DATA to a folder with the data of the file"
            )


def one_source(
    frame: pd.DataFrame, where: object, cells: Iterable[object]
) -> Callable[[pd.DataFrame | Mapping, object], None]:
    """A check that no data set has two origins, in tables of records or single ones; ``frame`` is
    the first; ``cells`` are those of the grid.

    The check takes what is next and its place for the message, and raises a :class:`StoreError`.
    """
    known: dict[str, tuple[Origin, object]] = {}
    tasks = _tasks(cells)

    def check(records: pd.DataFrame | Mapping, where: object) -> None:
        for dataset, origin in _origins(records, tasks):
            before, place = known.setdefault(dataset, (origin, where))
            if _differ(before, origin):
                raise StoreError(
                    f"{where}: {dataset!r} was computed on {_words(origin)}, and in {place} on"
                    f" {_words(before)}; one file holds one of them: give the other a path of"
                    " its own"
                )

    check(frame, where)
    return check


def in_words(frame: pd.DataFrame) -> str:
    """``"; data: lsac local, nist replica"``, as the records say it; empty if none does."""
    if not {"dataset", "data_source"} <= set(frame.columns):
        return ""
    said = frame.dropna(subset=["dataset", "data_source"]).groupby("dataset")["data_source"]
    words = [f"{dataset} {' and '.join(sorted(found))}" for dataset, found in said.unique().items()]
    return f"; data: {', '.join(words)}" if words else ""
