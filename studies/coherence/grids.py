"""The grids of the coherence paper: Section 5, and releases with differential privacy."""

from lib.runner.registry import Grid
from studies.coherence import noisy_counts, section5

NOISY_COUNTS = Grid(
    "coherence_dp",
    "Demographic coherence of noisy and of exact counts",
    lambda profile: (
        noisy_counts.dp_grid()
        if profile == "paper"
        else noisy_counts.dp_grid(range(2), (0.1, 10.0))
    ),
    noisy_counts.run_cell,
    lambda cell: 5.0 if cell.reader == "forest" else 1.0,
    noisy_counts.VERSION,
)
SECTION5 = Grid(
    "coherence_section5",
    "Demographic coherence, Section 5 and variations",
    lambda profile: (
        section5.section5_grid()
        if profile == "paper"
        else section5.section5_grid(range(2), (1000,))
    ),
    section5.run_cell,
    lambda cell: 1.0,
    section5.VERSION,
)
