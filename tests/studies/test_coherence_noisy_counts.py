"""Noisy counts under DemCoh: stored cells rerun bit for bit, the grid is whole, readers share
their halves.
"""

from __future__ import annotations

import math

import pytest

from lib.runner import results, scores
from lib.runner.cell import cell_key
from studies.coherence.noisy_counts import Cell, dp_grid, run_cell


def test_the_grid_is_complete_in_the_store():
    assert {cell_key(c) for c in dp_grid()} == set(results("coherence_dp")["cell"])


@pytest.mark.parametrize(
    "cell",
    [
        Cell(release="coarse", epsilon=0.1, reader="informed", split=0),
        Cell(release="fine", epsilon=math.inf, reader="counts", split=7),
        Cell(release="medium", epsilon=1.0, reader="forest", split=3),
    ],
    ids=lambda c: f"{c.release}-{c.reader}",
)
def test_stored_cells_hold_their_numbers(cell, real_data):
    """Golden: if this fails, what a cell computes has changed. Raise VERSION, run the grid anew."""
    real_data("national2019.csv")
    rows = scores("coherence_dp").set_index("cell").loc[cell_key(cell)]
    for (_, stored), now in zip(rows.iterrows(), run_cell(cell)["scores"], strict=True):
        assert stored[[*now]].to_dict() == now, f"{cell}; raise VERSION"
