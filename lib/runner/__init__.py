"""Grids of the three papers, and the machinery that runs and stores them."""

from lib.runner.grids import GRIDS, Grid, NoResults, gather_grid, grid_of, results, run_grid
from lib.runner.store import Store, StoreError
from lib.runner.sweep import run_sweep

__all__ = [
    "GRIDS",
    "Grid",
    "NoResults",
    "gather_grid",
    "grid_of",
    "run_grid",
    "results",
    "Store",
    "StoreError",
    "run_sweep",
]
