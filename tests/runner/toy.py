"""A quick experiment for the tests of store and sweep; in a module of its own so that workers
can import it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from lib.rng import stream
from lib.runner import Grid
from lib.runner.cell import KeyedCell


@dataclass(frozen=True, kw_only=True)
class ToyCell(KeyedCell, kind="toy"):
    number: int
    budget: float = float("nan")


def run_toy(cell: ToyCell) -> dict:
    rng = stream(5, "toy", cell.number)
    return {"value": float(rng.random()), "label": f"cell {cell.number}"}


def grid_of_toys(
    folder: Path,
    cells: Iterable[ToyCell],
    name: str = "toy",
    version: str = "1",
    cost: Callable[[ToyCell], float] = lambda cell: 1.0,
) -> Grid:
    """A grid of these cells, at every scale."""
    return Grid(name, "Toys", lambda profile: iter(cells), run_toy, cost, version, folder=folder)


def run_slow_toy(cell: ToyCell) -> dict:
    time.sleep(0.03)
    return run_toy(cell)


if __name__ == "__main__":  # a sweep in a process of its own, to be killed
    import sys

    from lib.runner.store import Store
    from lib.runner.sweep import run_sweep
    from tests.runner import toy  # under its importable name: the keys carry the class only

    run_sweep(
        [toy.ToyCell(number=i) for i in range(60)],
        toy.run_slow_toy,
        Store(sys.argv[1], version="1"),
        workers=int(sys.argv[2]),
        progress=False,
        compact_every=0.2,
    )
