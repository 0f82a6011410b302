"""Where the rows behind records are from: a results file holds a data set's real rows or its
replica's, and one version of them.

A record says it in ``data_source`` and ``data_sha256``. A folder, the cache and a download give the
same bytes and count as one. Records without a source, and those of what the project generates, are
not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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


def _said(frame: pd.DataFrame) -> list[dict]:
    """The different things that records say of their rows, one record each."""
    return (
        frame[[c for c in ("dataset", "data_source", "data_sha256") if c in frame]]
        .drop_duplicates()
        .to_dict("records")
    )


def _tasks(cells: Iterable[object]) -> set[str]:
    """Names of tasks: the package's, and those that cells state. A name that stands in records only
    is looked up nowhere: ``"module:TASK"`` would import what a file chooses.
    """
    named = {getattr(cell, "dataset", None) for cell in cells}
    return {*TASKS, *(name for name in named if isinstance(name, str) and _is_task(name))}


def _origins(records: Iterable[Mapping], tasks: set[str]) -> dict[str, set[Origin]]:
    """Of each data set, what its records were computed on; without those that do not say."""
    found: dict[str, set[Origin]] = {}
    for record in records:
        dataset, kind = record.get("dataset"), _KINDS.get(record.get("data_source"))
        if kind is None or not isinstance(dataset, str):
            continue
        # the rows of a task are one file's; under another name, your own, may be those of several
        digest = record.get("data_sha256") if dataset in tasks else ""
        found.setdefault(dataset, set()).add((kind, digest if isinstance(digest, str) else ""))
    return found


def _is_task(dataset: str) -> bool:
    try:
        task(dataset)
    except ValueError:
        return False
    return True


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
    cells = list(cells)
    tasks, asked = _tasks(cells), {getattr(cell, "dataset", None) for cell in cells}
    stored = _origins(_said(frame), tasks)
    for dataset in sorted(stored.keys() & tasks & asked):
        try:
            data = load(dataset)
        except Unavailable:  # your own, without a replica: nothing can be computed, nor mixed
            continue
        here = (_KINDS[data.source], data.sha256)
        if other := next((o for o in sorted(stored[dataset]) if _differ(o, here)), None):
            raise StoreError(
                f"{path} holds records of {dataset!r} that were computed on {_words(other)}, and"
                f" here is {_words(here)}; give another path, move the file away, or set"
                " COMPANION_DATA to a folder with the data of the file"
            )


def one_source(
    frame: pd.DataFrame, where: object, cells: Iterable[object] = ()
) -> Callable[[pd.DataFrame | Mapping, object], None]:
    """A check that no data set has two origins, in tables of records or single ones; ``frame`` is
    the first; ``cells`` are those of the grid.

    The check takes what is next and its place for the message, and raises a :class:`StoreError`.
    """
    known: dict[str, tuple[Origin, object]] = {}
    tasks = _tasks(cells)

    def check(records: pd.DataFrame | Mapping, where: object) -> None:
        said = _said(records) if isinstance(records, pd.DataFrame) else [records]
        for dataset, origins in _origins(said, tasks).items():
            for origin in sorted(origins):
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
    sources = (
        frame.dropna(subset=["dataset", "data_source"]).groupby("dataset")["data_source"].unique()
    )
    words = [f"{dataset} {' and '.join(sorted(found))}" for dataset, found in sources.items()]
    return f"; data: {', '.join(words)}" if words else ""
