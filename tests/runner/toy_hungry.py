"""A grid whose third cell asks for more memory than any machine has."""

from __future__ import annotations

from pathlib import Path

from lib.runner import Grid
from tests.runner.toy import ToyCell, run_toy


def run_hungry(cell: ToyCell) -> dict:
    """Of cell 2, what Python says where no memory is left."""
    if cell.number == 2:
        raise MemoryError
    return run_toy(cell)


GRID = Grid(
    "hungry",
    "Hungry",
    lambda profile: [ToyCell(number=i) for i in range(4)],
    run_hungry,
    lambda c: 1.0,
    "1",
    folder=Path("results"),
)
