"""A quick experiment for the tests of store and sweep; in a module of its own so that workers
can import it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from unittest.mock import patch

import pandas as pd

from lib.rng import stream
from lib.runner import Grid, Store, run_sweep
from lib.runner.cell import KeyedCell, cell_key

STABLE = ["cell", "number", "value", "label"]  # what is the same in every run
MADE = {"commit": "abc", "versions": "numpy=2", "created": "2026-01-01", "wall_s": 0.5}
ALONE = {"progress": False, "backend": "sequential"}


@dataclass(frozen=True, kw_only=True)
class ToyCell(KeyedCell, kind="toy"):
    number: int
    budget: float = float("nan")


def run_toy(cell: ToyCell) -> dict:
    rng = stream(5, "toy", cell.number)
    return {"value": float(rng.random()), "label": f"cell {cell.number}"}


def run_slow_toy(cell: ToyCell) -> dict:
    time.sleep(0.1)  # all of them take long enough to be interrupted on a loaded machine
    return run_toy(cell)


def record_of(cell: ToyCell, run: Callable[[ToyCell], dict] = run_toy) -> dict:
    """What a sweep would store of a cell."""
    return {"cell": cell_key(cell)} | asdict(cell) | run(cell) | MADE


def sweep(path: Path, cells: Iterable[ToyCell], run=run_toy, **options) -> pd.DataFrame:
    """All records of a results file once the cells are in it."""
    return run_sweep(cells, run, Store(path, version="1"), **{"progress": False} | options)


def stored(path: Path, *records: dict, fold: bool = False) -> Store:
    """A results file with these records; without ``fold`` as a killed writer leaves it."""
    store = Store(path, version="1")
    fold_or_not = store._fold if fold else lambda: None
    with patch.object(store, "_fold", fold_or_not), store.writing():
        store.append(*records)
    return store


def grid_of_toys(
    folder: Path,
    cells: Iterable[KeyedCell],
    name: str = "toy",
    version: str = "1",
    cost: Callable[..., float] = lambda cell: 1.0,
    run: Callable[..., dict] = run_toy,
) -> Grid:
    """A grid of these cells, at every scale."""
    return Grid(name, "Toys", lambda profile: iter(cells), run, cost, version, folder=folder)


# for a driver or the command line, which take them as ``tests.runner.toy:GRID``
MANY = [ToyCell(number=i) for i in range(150)]
GRID = grid_of_toys(Path("results"), MANY, run=run_slow_toy)
