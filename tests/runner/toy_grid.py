"""The toys as a grid, which a driver or the command line takes as
``tests.runner.toy_grid:GRID``.
"""

from __future__ import annotations

from pathlib import Path

from lib.runner import Grid
from tests.runner.toy import ToyCell, run_slow_toy

CELLS = [ToyCell(number=i) for i in range(150)]
GRID = Grid(
    "toy",
    "Slow toys",
    lambda profile: iter(CELLS),
    run_slow_toy,
    lambda cell: 1.0,
    "1",
    folder=Path("results"),
)
