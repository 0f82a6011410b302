"""A grid whose third cell asks for more memory than any machine has."""

from __future__ import annotations

from pathlib import Path

from tests.runner.toy import ToyCell, grid_of_toys, run_toy


def run_hungry(cell: ToyCell) -> dict:
    """Of cell 2, what Python says where no memory is left."""
    if cell.number == 2:
        raise MemoryError
    return run_toy(cell)


GRID = grid_of_toys(Path("results"), [ToyCell(number=i) for i in range(4)], run=run_hungry)
