"""The grids of audited fits."""

from lib.runner.registry import Grid
from studies.privacy_audit import cells, power

AUDITS = Grid(
    "privacy_audit",
    "Whole fits audited: declared against certified epsilon, and planted faults",
    cells.privacy_grid,
    cells.run_privacy,
    cells.cost,
    cells.VERSION,
)
POWER = Grid(
    "privacy_power",
    "How small a fault the audit of whole fits still sees",
    power.power_grid,
    power.run_power,
    lambda cell: cell.runs,
    power.VERSION,
)
