"""Run a grid, or a part of it, or gather parts that ran elsewhere into one results file.

A part is a share of the cells that depends on its number alone, so parts can be run anywhere, in
any order, by machines or people that do not talk to each other, and gathered when they are there.
With a scheduler that all workers reach, ``backend="dask"`` needs no parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import pandas as pd

from lib import validate
from lib.paths import RESULTS, own, to_write
from lib.runner.cell import cell_key
from lib.runner.records import StoreError, provenance, refuse_bare, said_here, said_in
from lib.runner.registry import PROFILES, Grid, NoResults, grid_of, results
from lib.runner.store import Store, merged
from lib.runner.sweep import run_sweep


def run_grid(
    name: str | Grid,
    profile: str = "paper",
    *,
    workers: int = 1,
    backend: str = "loky",
    path: Path | None = None,
    part: tuple[int, int] | None = None,
    replicas: bool = True,
    progress: bool = True,
) -> pd.DataFrame:
    """Run what is missing of a grid and return all its records; interrupt and call again as often
    as you like. With ``progress`` it says beforehand what it will do.

    ``part=(3, 40)`` runs the third of forty parts only, into a file of its own in the working
    folder unless ``path`` is given.

    Raises
    ------
    ValueError
        For a bad argument, and where the grid's own file would get records of a replica, or of
        code with changes that are not committed; without ``replicas``, for any replica;
        :class:`~lib.runner.records.StoreError` for a file that cannot be used, or whose records
        were computed on other rows than are here.
    """
    grid = grid_of(name)
    file = path or file_of(grid, profile, part)
    cells = list(grid.cells(profile))
    if part is not None:
        cells = share(cells, *part, cost=grid.cost)
    committed = _is_committed(grid, profile, path)
    store = Store(file, version=grid.version, committed=committed)
    missing = [cell for cell in cells if cell_key(cell) not in store]
    # what is committed and whole needs no data
    used = {getattr(cell, "dataset", "") for cell in cells if missing or not committed}
    here = said_here(used)
    sources = {said["dataset"]: said["data_source"] for said in here}
    if missing and not replicas and "replica" in sources.values():
        what = "real without --replicas: set COMPANION_DATA or go online"
        raise validate.refusal("data", what, sources)
    known = used if committed else {name for name, _ in store.origins}
    now = [{"commit": provenance()["commit"]}] if missing else []
    store.check([said for said in here if said["dataset"] in known] + now, "here")
    if progress:
        plan = _plan(grid, len(cells), missing, dict.fromkeys(used, "") | sources)
        print(f"{grid.name} ({profile}) in {file}: {plan}", flush=True)
    return run_sweep(
        cells,
        grid.run,
        store,
        workers=workers,
        backend=backend,
        cost=grid.cost,
        progress=progress,
    )


def file_of(grid: Grid, profile: str, part: tuple[int, int] | None = None) -> Path:
    """The file that a run writes to."""
    mine = grid.path(validate.choice("profile", profile, PROFILES))
    return Path(f"{mine.stem}.{part[0]}-of-{part[1]}.parquet") if part else to_write(mine)


def _plan(grid: Grid, number: int, missing: list, sources: dict[str, str]) -> str:
    """What a run will do: cells, hours by stored times, which data."""
    if not missing:
        return f"all {number:,} cells are stored; --again FOLDER runs them again into yours"
    words = f"{len(missing):,} of {number:,} cells to run"
    with suppress(NoResults):
        seconds = results(grid).set_index("cell")["wall_s"]
        total = sum(seconds.get(cell_key(cell), seconds.mean()) for cell in missing)
        words += f", about {total / 3600:.3g} core-hours by stored times"
    data = ", ".join(f"{name} {source}".strip() for name, source in sorted(sources.items()))
    return f"{words}; data: {data or 'of its own'}"


def share(
    cells: Iterable[object], number: int, of: int, cost: Callable[..., float] = lambda cell: 1.0
) -> list[object]:
    """Part ``number`` (1, 2, ...) ``of`` so many: every cell is in one part, and parts cost about
    the same.

    Cells are dealt like cards, dear ones first and equal ones by their keys, so
    that a part is no particular protocol, budget or run.
    """
    validate.integer("of", of, low=1)
    validate.integer("number", number, low=1, high=of)
    dealt = sorted({*cells}, key=lambda cell: (-cost(cell), cell_key(cell)))
    return dealt[number - 1 :: of]


def gather_grid(
    name: str | Grid,
    parts: Iterable[Path | str],
    profile: str = "paper",
    *,
    path: Path | None = None,
) -> tuple[int, int]:
    """Put the records of finished parts into the grid's own file; how many cells it has now, and
    how many are missing. Gathering twice, or parts that overlap, changes nothing.

    Raises
    ------
    StoreError
        Before anything is gathered: for a part that is not there or is a folder, of another
        version, or with records of cells that are not the grid's, computed on other rows of a data
        set than those of the file or of another part, or with another value than these have.
    """
    grid = grid_of(name)
    wanted = set(map(cell_key, grid.cells(validate.choice("profile", profile, PROFILES))))
    tables = {part: _part(Path(part), grid) for part in parts}
    committed = _is_committed(grid, profile, path)
    store = Store(path or file_of(grid, profile), version=grid.version, committed=committed)
    with store.writing():  # what is compared with must stay as it is
        for part, table in tables.items():
            store.check(said_in(table), part)
            if strangers := sorted({*table["cell"]} - wanted):
                raise StoreError(
                    f"{part} has {len(strangers)} records of other cells than the grid's,"
                    f" {strangers[0]} for one"
                )
        every = merged({store.path: store.frame()} | tables).to_dict("records")
        store.append(*(record for record in every if record["cell"] not in store))
    return len(store), sum(key not in store for key in wanted)


def _part(path: Path, grid: Grid) -> pd.DataFrame:
    """The records of a part, which may still be rows of a database after a kill."""
    if path.suffix == ".sqlite":
        path = path.with_suffix(".parquet")
    frame = Store(path, version=grid.version).frame()
    if frame.empty:
        raise StoreError(f"part {path} is not there, or has no records")
    refuse_bare(frame, path)
    return frame


def _is_committed(grid: Grid, profile: str, path: Path | None) -> bool:
    """Whether records go to the file that is committed."""
    folder = grid.path(profile).parent
    # no clone, no commit
    return path is None and profile == "paper" and folder == RESULTS == own(RESULTS)
