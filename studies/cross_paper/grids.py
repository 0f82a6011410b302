"""The grid across the papers."""

from __future__ import annotations

import math
from collections.abc import Iterable

from lib.runner.registry import Grid
from studies.cross_paper import cells


def _cells(profile: str) -> Iterable[object]:
    if profile == "paper":
        return cells.across_grid()
    return (c for c in cells.across_grid(range(1), range(0)) if c.epsilon in (1.0, math.inf))


NIST = Grid(
    "across_nist",
    "Across the papers: coherence of synthesizers and of LDP collection",
    _cells,
    cells.run_cell,
    cells.cost,
    cells.VERSION,
    agrees=lambda cell: "choice" if cell.kind in ("AIM", "GEM") else "arithmetic",
)
