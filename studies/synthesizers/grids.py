"""The grids of the synthesizers, one for each table."""

from __future__ import annotations

from collections.abc import Iterable

from lib.runner.registry import Grid
from studies.synthesizers import cells
from studies.synthesizers.settings import VERSION
from studies.synthesizers.tables import TABLES


def _agrees(cell: cells.Cell) -> str:
    return "choice" if cell.synthesizer.startswith(("AIM", "GEM")) else "arithmetic"


def _grid(dataset: str) -> Grid:
    def listed(profile: str) -> Iterable[object]:
        return cells.synth_grid(dataset, *(() if profile == "paper" else (range(1), (1.0,))))

    title = f"Stratified synthesizers on {dataset}, Figs 4, 5, 7, 9"
    return Grid(
        f"synth_{dataset}", title, listed, cells.run_cell, cells.cost, VERSION, agrees=_agrees
    )


NIST, COVERAGE, NEWYORK_EMPLOYMENT, NEWYORK_2018 = map(_grid, TABLES)
