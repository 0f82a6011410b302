"""Run a grid, or gather parts of it that ran elsewhere, into its results file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import joblib
import pandas as pd

from lib import validate
from lib.datasets import TASKS, load
from lib.paths import RESULTS, own, to_write
from lib.runner.cell import cell_key
from lib.runner.parts import gather, parts_there, refuse_other_fields, share
from lib.runner.provenance import provenance
from lib.runner.records import needs_commit, needs_real
from lib.runner.registry import PROFILES, Grid, grid_of
from lib.runner.sources import one_source, refuse_other_data
from lib.runner.store import Store
from lib.runner.sweep import run_sweep


def run_grid(
    name: str | Grid,
    profile: str = "paper",
    *,
    workers: int = 1,
    backend: str = "loky",
    path: Path | None = None,
    mix_versions: bool = False,
    part: tuple[int, int] | None = None,
    progress: bool = True,
) -> pd.DataFrame:
    """Run what is missing of a grid and return all its records; interrupt and call again as often
    as you like.

    ``part=(3, 40)`` runs the third of forty parts only (:mod:`lib.runner.parts`), into a file
    of its own in the working folder unless ``path`` is given.

    Raises
    ------
    ValueError
        For a bad argument, before data are looked for, and where the grid's own file would get
        records of a replica, or of code with changes that are not committed;
        :class:`~lib.runner.errors.StoreError` for a file that cannot be used, or whose records
        were computed on other rows than are here.
    """
    grid = grid_of(name)
    validate.choice("profile", profile, PROFILES)
    validate.integer("workers", workers, low=1)
    with joblib.parallel_config(backend=backend):  # a ValueError for what is none
        pass
    cells, committed = list(grid.cells(profile)), _is_committed(grid, profile, path)
    if part is not None:
        cells = share(cells, *part, cost=grid.cost)
        path = path or Path(f"{grid.path(profile).stem}.{part[0]}-of-{part[1]}.parquet")
    path = path or to_write(grid.path(profile))
    store = Store(path, version=grid.version, mix_versions=mix_versions)
    if committed:
        _needs_real_tables(grid)
        if any(cell_key(cell) not in store for cell in cells):
            needs_commit(provenance()["commit"])
    stored = store.frame()
    refuse_other_data(stored, store.path, cells)
    refuse_other_fields(stored, {cell_key(cell): cell for cell in cells}, store.path)
    same = one_source(stored, store.path, cells)

    def check(record: dict) -> None:
        if committed:
            _refuse_replica(record)
        same(record, f"cell {record['cell']}")

    return run_sweep(
        cells,
        grid.run,
        store,
        workers=workers,
        backend=backend,
        cost=grid.cost,
        check=check,
        progress=progress,
    )


def gather_grid(
    name: str | Grid, parts: Iterable[Path], profile: str = "paper", *, path: Path | None = None
) -> tuple[int, int]:
    """Put the records of finished parts into the grid's own file; how many cells it has now, and
    how many are missing.
    """
    grid, parts = grid_of(name), parts_there(parts)
    own = path or to_write(grid.path(validate.choice("profile", profile, PROFILES)))
    store = Store(own, version=grid.version)
    if _is_committed(grid, profile, path):
        for part in parts:
            for record in Store(part, version=grid.version).frame().to_dict("records"):
                _refuse_replica(record)
                needs_commit(str(record.get("commit")))
    missing = gather(grid.cells(profile), parts, store)
    return len(store), missing


def _is_committed(grid: Grid, profile: str, path: Path | None) -> bool:
    """Whether records go to the file that is committed, which holds no replica's."""
    # no clone, no commit
    return path is None and profile == "paper" and grid.folder == RESULTS == own(RESULTS)


def _refuse_replica(record: dict) -> None:
    """The process that stores has the real data; a worker on another machine may not."""
    if record.get("data_source") == "replica":
        raise ValueError(
            f"cell {record['cell']} of {record.get('dataset')!r} was computed on a replica, so it"
            " is not stored; set COMPANION_DATA on every worker, or keep replica results in a path"
            " of your own"
        )


def _needs_real_tables(grid: Grid) -> None:
    """Ask it of every task of a grid; what the project generates (mixtures, New York's stand-in)
    says so in each record.
    """
    for dataset in sorted({cell.dataset for cell in grid.cells("paper")} & set(TASKS)):
        needs_real(
            dataset,
            load(dataset).source,
            f"grid={grid.name!r} under profile='paper'",
            "a path of your own",
        )
