"""Run the grids of the studies and store their results."""

from lib.runner.records import StoreError
from lib.runner.registry import Grid, NoResults, grid_of, grids, results, scores
from lib.runner.run import gather_grid, run_grid
from lib.runner.store import Store
from lib.runner.sweep import run_sweep
from lib.runner.tables import tidy
