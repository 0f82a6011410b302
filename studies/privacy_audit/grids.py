"""The grids of audited fits."""

from lib.runner.registry import Grid
from studies.privacy_audit import cells

AUDITS = Grid(
    "privacy_audit",
    "Whole fits audited: declared against certified epsilon, and planted faults",
    cells.privacy_grid,
    cells.run_privacy,
    cells.cost,
    cells.VERSION,
)
