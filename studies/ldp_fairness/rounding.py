"""What the authors' rounding changes in the main grid: OLH's hash range and SS's subset size,
rounded or rounded down.

The text rounds both down; the published code takes the nearest whole number.
The grid ``ldp_rounded`` has the cells in which the two differ, on the splits of
the main grid, so every difference is paired by run.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from lib.ldp import ROUNDED
from lib.runner.registry import NoResults, results
from lib.stats.summary import summarise
from studies.ldp_fairness.cells import rounded_grid
from studies.ldp_fairness.summary import CURVE

GRID = "ldp_rounded"
_KEY = [*CURVE, "run"]


def rounded_cells() -> pd.DataFrame:
    """The stored cells under the authors' rounding, of whole runs, with the protocols' usual names.

    Raises
    ------
    NoResults
        If no run is whole: the grid fills run by run.
    """
    found = results(GRID)
    size = found.groupby("run")["run"].transform("size")
    whole = found[size == len(list(rounded_grid(runs=[0])))]
    if whole.empty:
        raise NoResults(f"no run of {GRID} is whole yet")
    return whole.replace({"protocol": {rounded: name for name, rounded in ROUNDED.items()}})


def rounded_frame() -> pd.DataFrame:
    """The main grid under the authors' rounding: the runs of :func:`rounded_cells`, with those
    cells in the place of theirs.
    """
    both = pd.concat([printed_frame(), rounded_cells()], ignore_index=True)
    return both.drop_duplicates(_KEY, keep="last", ignore_index=True)


def printed_frame() -> pd.DataFrame:
    """The main grid as it is, under the printed rounding, in the same runs: what
    :func:`rounded_frame` compares with.
    """
    main = results("ldp_main")
    return main[main["run"].isin(rounded_cells()["run"])]


def rounding_changes(metrics: Sequence[str]) -> pd.DataFrame:
    """Each metric under the authors' rounding minus that under the printed one, where the two
    differ.

    Returns
    -------
    DataFrame
        ``metric, dataset, protocol, split, epsilon, mean, low, high, runs``: mean over runs of the
        paired difference, with its 95% t interval.
    """
    rounded = rounded_cells().set_index(_KEY)[[*metrics]]
    change = rounded - results("ldp_main").set_index(_KEY)[[*metrics]].reindex(rounded.index)
    long = change.melt(ignore_index=False, var_name="metric", value_name="change").reset_index()
    return summarise(long, ["metric", *CURVE], "change")


# the two sides of the comparison, as grids that a claim can be asked of
FRAMES = {GRID: rounded_frame, "ldp_printed": printed_frame}
