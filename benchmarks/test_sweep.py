"""Cells of no length: what a sweep takes to send and store them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from lib.runner.cell import KeyedCell
from lib.runner.store import Store
from lib.runner.sweep import run_sweep


@dataclass(frozen=True)
class Short(KeyedCell, kind="benchmark sweep"):
    """A cell that is over at once."""

    i: int = 0


def work(cell: Short) -> dict[str, float]:
    """The cell's number."""
    return {"x": float(cell.i)}


@pytest.mark.parametrize("whose", ["ours, 2 workers", "ours, 1 worker"])
@pytest.mark.benchmark(group="a sweep of 3,000 cells of no length")
def test_sweep(benchmark, whose, tmp_path):
    """The second round on has its workers already."""
    rounds = iter(range(9))

    def sweep() -> None:
        store = Store(tmp_path / f"{next(rounds)}.parquet", version="1")
        cells = [Short(i) for i in range(3000)]
        run_sweep(cells, work, store, workers=int(whose.split()[1]), progress=False)

    benchmark.pedantic(sweep, rounds=3, warmup_rounds=1)
