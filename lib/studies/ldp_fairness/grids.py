"""The grids of the LDP paper, at the scale of the paper and as a quick slice of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lib.runner.registry import Grid
from lib.studies.ldp_fairness import cells

_QUICK = {
    "datasets": ("lsac",),
    "protocols": ("GRR", "OUE"),
    "epsilons": (0.25, 50.0),
    "runs": range(2),
}


def _grid(
    name: str, title: str, grid: Callable[..., Iterable[cells.Cell]], **quick: object
) -> Grid:
    return Grid(
        name,
        f"LDP and fairness, {title}",
        lambda profile: grid(**({} if profile == "paper" else _QUICK | quick)),
        cells.run_cell,
        cells.relative_cost,
        cells.VERSION,
    )


MAIN = _grid("ldp_main", "Figs 2-7", cells.main_grid)
APPENDIX = _grid("ldp_appendix", "Figs 8-13 (random sensitive attributes)", cells.appendix_grid)
TUNED = _grid(
    "ldp_tuned", "Figs 2-7 with hyper-parameters tuned on training folds", cells.tuned_grid
)
ROUNDED = _grid(
    "ldp_rounded",
    "OLH and SS with the authors' rounding, where it differs",
    cells.rounded_grid,
    protocols=("OLH", "SS"),
    epsilons=(2.0, 4.0),
)
