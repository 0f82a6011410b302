"""A grid in parts, for machines or people that do not talk to each other: whose cells are whose,
and one store of all.

A part is a share of the cells that depends on its number alone, so parts can be
run anywhere, in any order, and gathered when they are there. With a scheduler
that all workers reach, ``backend="dask"`` needs no parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pandas as pd

from lib import validate
from lib.parse import shown
from lib.runner.agreement import refuse_two_values
from lib.runner.cell import cell_key
from lib.runner.errors import StoreError
from lib.runner.records import is_gap
from lib.runner.sources import one_source
from lib.runner.store import Store, refuse_bare


def share(
    cells: Iterable[object], number: int, of: int, cost: Callable[..., float] | None = None
) -> list[object]:
    """Part ``number`` (1, 2, ...) ``of`` so many: every cell is in one part, and parts cost about
    the same.

    Cells are dealt like cards, dear ones first and equal ones by their keys, so
    that a part is no particular protocol, budget or run.
    """
    validate.integer("of", of, low=1)
    validate.integer("number", number, low=1, high=of)
    by_key = {cell_key(cell): cell for cell in cells}
    order = sorted(by_key, key=lambda key: (-(cost(by_key[key]) if cost else 1.0), key))
    return [by_key[key] for key in order[number - 1 :: of]]


def parts_there(parts: Iterable[Path | str]) -> list[Path]:
    """``parts`` as paths if each is a file, or has a journal beside it, as that of a run that was
    killed.

    Raises
    ------
    StoreError
        For a folder, and for what is not there.
    """
    paths = [Path(part) for part in parts]
    for path in paths:
        if path.is_dir():
            raise StoreError(f"part {path} is a folder; a results file is needed")
        if not (path.is_file() or path.with_suffix(".journal").is_file()):
            raise StoreError(f"part {path} is not there")
    return paths


def refuse_other_fields(frame: pd.DataFrame, cells: Mapping[str, Any], path: Path) -> None:
    """Refuse records under the key of one of ``cells`` whose parameters are not that cell's.

    A :class:`StoreError` names the first. A field that was added later may be absent, and is then
    at its frozen default.
    """
    for record in frame.to_dict("records"):
        cell = cells.get(record["cell"])
        for field in () if cell is None else fields(cell):
            value, stored = getattr(cell, field.name), record.get(field.name)
            if is_gap(stored):
                stored = field.metadata.get("frozen")
            if stored != value and not (is_gap(stored) and is_gap(value)):
                raise StoreError(
                    f"{path}: {field.name} of cell {record['cell']} must be {value!r}, as its key"
                    f" says, got {shown(stored)}; remove that record, or restore the file"
                )


def gather(cells: Iterable[object], parts: Iterable[Path], store: Store) -> int:
    """Put the records of ``parts`` into ``store``; the number of cells that are still missing is
    returned.

    Gathering twice, or parts that overlap, changes nothing.

    Raises
    ------
    StoreError
        Before anything is gathered: for a part that is not there or is a folder, of another
        version, or with records of cells that are not the grid's, computed on other rows of a data
        set than those of the store or of another part, or with another value than these have.
    """
    parts, wanted = parts_there(parts), {cell_key(cell): cell for cell in cells}
    try:
        store.become_writer()  # what is compared with must stay as it is
        tables = {store.path: store.frame()}
        same = one_source(tables[store.path], store.path, wanted.values())
        for path in parts:
            frame = Store(path, version=store.version).frame()
            if frame.empty:
                raise StoreError(f"{path} has no records")
            if strangers := sorted(set(frame["cell"]) - wanted.keys()):
                raise StoreError(
                    f"{path} has {len(strangers)} records of other cells than the grid's,"
                    f" {shown(strangers[0])} for one"
                )
            same(frame, path)
            refuse_other_fields(frame, wanted, path)
            refuse_bare(frame, path)
            tables[path] = frame
        refuse_two_values(tables.items())
        for path in parts:
            for record in tables[path].to_dict("records"):
                store.append(record)
        store.compact()
    finally:
        store.close()
    return sum(key not in store for key in wanted)
