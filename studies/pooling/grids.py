"""The grids of the study, one for each mechanism, and what was asked of them beforehand."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from lib.runner.registry import Grid, scores
from studies import hypotheses
from studies.pooling import cells
from studies.pooling.statistics import MEASURES

STATED = hypotheses.stated("pooling")
HYPOTHESES = [row for row in STATED.values() if row.place != "Controls"]
CONTROLS = [row for row in STATED.values() if row.place == "Controls"]


def _grid(mechanism: str) -> Grid:
    def listed(profile: str) -> Iterable[object]:
        if profile == "paper":
            return cells.pooling_grid(mechanism)
        return (c for c in cells.pooling_grid(mechanism, range(1)) if c.epsilon == 1)

    return Grid(
        f"pooling_{mechanism.lower()}",
        f"Models of their own or shared: {mechanism}",
        listed,
        cells.run_cell,
        cells.cost,
        cells.VERSION,
        agrees=lambda cell: "arithmetic" if cell.mechanism == "MST" else "choice",
    )


MST, AIM, GEM = map(_grid, cells.MECHANISMS)


def stored() -> pd.DataFrame:
    """The scores of the mechanisms whose grid has run: one row for each cell and group."""
    run = [grid for grid in (MST, AIM, GEM) if grid.path("paper").exists()]
    return pd.concat(map(scores, run), ignore_index=True)


def evaluate(rows: pd.DataFrame, family: Iterable = HYPOTHESES) -> pd.DataFrame:
    """The hypotheses on the mechanisms of ``rows``, put to the test as one family: see
    :func:`studies.hypotheses.evaluate`.
    """
    run = set(rows["mechanism"])
    asked = [row for row in family if row.arguments["mechanism"] in run]
    return hypotheses.evaluate(rows, asked, MEASURES)
