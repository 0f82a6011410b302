"""Where the rows behind records are from: a results file holds a data set's real rows or its
replica's, and one version of them.

A record says it in ``data_source`` and ``data_sha256``. A folder, the cache and a download give the
same bytes and count as one. Records without a source, and those of what the project generates, are
not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

import pandas as pd

from lib.datasets import TASKS, Unavailable, cache, load, task
from lib.runner.records import SOURCES, StoreError

_KINDS: dict[Any, str] = dict.fromkeys((*cache.SOURCES, "census"), "the real data") | {
    "replica": "the replica",
    "stand-in": "the stand-in",
}


def one_source(
    frame: pd.DataFrame, where: object, cells: Iterable[object], *, here: bool = False
) -> Callable[[pd.DataFrame | Mapping, object], None]:
    """A check that no data set has two origins, in tables of records or single ones; ``frame`` is
    the first; ``cells`` are those of the grid.

    The check takes what is next and its place for the message, and raises a :class:`StoreError`.
    With ``here`` what would be computed here has to be of the same rows as ``frame``.
    """
    known: dict[str, tuple[str, str, object]] = {}
    named: set[Any] = {getattr(cell, "dataset", None) for cell in cells}
    own = {name for name in named if _is_task(name)}

    def check(records: pd.DataFrame | Mapping, where: object) -> None:
        for record in _distinct(records):
            dataset, kind = record.get("dataset"), _KINDS.get(record.get("data_source"))
            if kind is None or not isinstance(dataset, str):
                continue
            # the rows of a task are one file's; under another name, your own, may be of several
            given = record.get("data_sha256") if dataset in own or dataset in TASKS else ""
            digest = given if isinstance(given, str) else ""
            said, other, place = known.setdefault(dataset, (kind, digest, where))
            if kind != said or (digest and other and digest != other):
                raise StoreError(
                    f"{where}: {dataset!r} was computed on {kind} {digest[:12]}, and in {place} on"
                    f" {said} {other[:12]} (SHA-256); one file holds one of them: give the other a"
                    " path of its own, or set COMPANION_DATA to a folder with the data of the file"
                )

    check(frame, where)
    for dataset in sorted(own & known.keys()) if here else ():
        with suppress(Unavailable):  # your own, without a replica: nothing can be computed
            data = load(dataset)
            now = {"dataset": dataset, "data_source": data.source, "data_sha256": data.sha256}
            check(now, "here")
    return check


def _is_task(name: Any) -> bool:
    """Of the package, or of a cell. A name that stands in records only is looked up nowhere:
    ``"module:TASK"`` would import what a file chooses.
    """
    with suppress(ValueError):
        return bool(task(name))
    return False


def _distinct(records: pd.DataFrame | Mapping) -> list[Any]:
    """What records say of their rows, each once."""
    if isinstance(records, Mapping):
        return [records]
    return records.reindex(columns=["dataset", *SOURCES]).drop_duplicates().to_dict("records")


def in_words(frame: pd.DataFrame) -> str:
    """``"; data: lsac local, nist replica"``, as the records say it; empty if none does."""
    if not {"dataset", "data_source"} <= set(frame.columns):
        return ""
    said = frame.dropna(subset=["dataset", "data_source"]).groupby("dataset")["data_source"]
    words = [f"{dataset} {' and '.join(sorted(found))}" for dataset, found in said.unique().items()]
    return f"; data: {', '.join(words)}" if words else ""
