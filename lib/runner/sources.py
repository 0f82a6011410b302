"""Where the rows behind records are from: a results file holds a data set's real rows or its
replica's, and one version of them.

A record says it in ``data_source`` and ``data_sha256``. A folder, the cache and a download give the
same bytes and count as one. Records without a source, and those of what the project generates, are
not checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from lib.datasets import TASKS, cache, load
from lib.runner.records import SOURCES, StoreError

_KINDS = dict.fromkeys((*cache.SOURCES, "census"), "the real data") | {"replica": "the replica"}


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
                " file holds one of them: give the other a path of its own, or set COMPANION_DATA"
                " to a folder with the data of the file"
            )


def said_in(frame: pd.DataFrame) -> list[dict]:
    """What the records of a table say of their data and code, each once."""
    said = frame.reindex(columns=["dataset", *SOURCES, "commit"])
    return said.drop_duplicates().to_dict("records")


def said_here(datasets: Iterable[str]) -> list[dict]:
    """What records computed here would say of these data sets, where the package has them."""
    here = map(load, sorted({*datasets} & {*TASKS}))
    return [{"dataset": d.name, "data_source": d.source, "data_sha256": d.sha256} for d in here]
