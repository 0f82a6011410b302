"""The grids of the LDP paper, at the scale of the paper and as a quick slice of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from lib.runner.registry import Grid
from studies.ldp_fairness import cells

_QUICK = {
    "datasets": ("lsac",),
    "protocols": ("GRR", "OUE"),
    "epsilons": (0.25, 50.0),
    "runs": range(2),
}


def _grid(
    name: str,
    title: str,
    cells_of: Callable[..., Iterable[cells.Cell]] = cells.main_grid,
    *,
    quick: dict[str, Any] = _QUICK,
    **paper: Any,
) -> Grid:
    return Grid(
        name,
        f"LDP and fairness, {title}",
        lambda profile: cells_of(**paper | ({} if profile == "paper" else quick)),
        cells.run_cell,
        cells.relative_cost,
        cells.VERSION,
        agrees=lambda cell: "training",
    )


MAIN = _grid("ldp_main", "Figs 2-7")
APPENDIX = _grid(
    "ldp_appendix", "Figs 8-13 (random sensitive attributes)", runs=range(10), sensitive="random"
)
# to see what hangs on the published hyper-parameters
TUNED = _grid(
    "ldp_tuned",
    "Figs 2-7 with hyper-parameters tuned on training folds",
    runs=range(10),
    hyperparameters="tuned",
)
ROUNDED = _grid(
    "ldp_rounded",
    "OLH and SS with the authors' rounding, where it differs",
    cells.rounded_grid,
    quick=_QUICK | {"protocols": ("OLH", "SS"), "epsilons": (2.0, 4.0)},
)
