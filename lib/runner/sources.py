"""Where the rows behind records are from: a results file holds a data set's real rows or its
replica's, and one version of them.

A record says it in ``data_source`` and ``data_sha256``. A folder, the cache and a download give the
same bytes and count as one. Records without a source, and those of what the project generates, are
not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd

from lib.datasets import TASKS, cache, load
from lib.runner.records import SOURCES, StoreError, refuse_uncommitted

_KINDS = dict.fromkeys((*cache.SOURCES, "census"), "the real data") | {"replica": "the replica"}


def one_origin(*, committed: bool) -> Callable[[Iterable[Mapping[str, Any]], object], None]:
    """A function of records and where they are, for the message: a :class:`StoreError` for a data
    set of another origin than in the records before. Those to be ``committed`` are checked for
    that, too.
    """
    known: dict[str, tuple[str, str, object]] = {}

    def check(records: Iterable[Mapping[str, Any]], where: object) -> None:
        for record in records:
            if committed:
                refuse_uncommitted(record, str(where))
            dataset, kind = record.get("dataset"), _KINDS.get(str(record.get("data_source")))
            if kind is None or not isinstance(dataset, str):
                continue
            given = record.get("data_sha256")
            digest = given[:12] if isinstance(given, str) else ""
            said, other, place = known.setdefault(dataset, (kind, digest, where))
            if kind != said or (digest and other and digest != other):
                raise StoreError(
                    f"{where}: {dataset!r} was computed on {kind} {digest}, and in {place} on"
                    f" {said} {other} (SHA-256); one file holds one of them: give the other a"
                    " path of its own, or set COMPANION_DATA to a folder with the data of the file"
                )

    return check


def said_in(frame: pd.DataFrame) -> list[dict]:
    """What the records of a table say of their data and code, each once."""
    return (
        frame.reindex(columns=["dataset", *SOURCES, "commit"]).drop_duplicates().to_dict("records")
    )


def said_here(datasets: Iterable[str]) -> list[dict]:
    """What records computed here would say of these data sets, where the package has them."""
    here = map(load, sorted({*datasets} & {*TASKS}))
    return [{"dataset": d.name, "data_source": d.source, "data_sha256": d.sha256} for d in here]


def in_words(frame: pd.DataFrame) -> str:
    """``"; data: lsac local, nist replica"``, as the records say it; empty if none does."""
    if not {"dataset", "data_source"} <= set(frame.columns):
        return ""
    said = frame.dropna(subset=["dataset", "data_source"]).groupby("dataset")["data_source"]
    words = [f"{dataset} {' and '.join(sorted(found))}" for dataset, found in said.unique().items()]
    return f"; data: {', '.join(words)}" if words else ""
