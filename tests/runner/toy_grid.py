"""The toys as a grid, which a driver or the command line takes as
``tests.runner.toy_grid:GRID``.
"""

from __future__ import annotations

from pathlib import Path

from tests.runner.toy import ToyCell, grid_of_toys, run_slow_toy

CELLS = [ToyCell(number=i) for i in range(150)]
GRID = grid_of_toys(Path("results"), CELLS, run=run_slow_toy)
