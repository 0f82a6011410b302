"""Each group of New York by itself: how wrong everybody's private mean is for it, and its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from lib.means.grouped import coinpress
from lib.rng import stream
from lib.runner.cell import COUNT, SEVERAL, KeyedCell, set_checked
from lib.runner.registry import scores
from studies.private_means.census import (
    CROSSINGS,
    NAMES,
    RHO,
    RUNS,
    SEED,
    SETTINGS,
    budgets,
    known,
    strata,
    stratum_names,
    table_of,
)

TABLE = "newyork2024"


@dataclass(frozen=True, kw_only=True)
class GroupsCell(KeyedCell, kind="means by group"):
    """All runs of one variable, crossing and setting."""

    variable: str
    crossing: str
    setting: str
    runs: int = RUNS
    seed: int = SEED

    def __post_init__(self) -> None:
        set_checked(self, variable=NAMES, crossing=CROSSINGS[TABLE], setting=SETTINGS)
        set_checked(self, runs=SEVERAL, seed=COUNT)


def group_errors(cell: GroupsCell) -> pd.DataFrame:
    """Mean absolute error of each group's mean, a row a group, by size.

    Columns ``group`` and ``people``; ``plain``, everybody's private mean used for the group;
    ``stratified``, a private mean of its own; ``silent``, this one without any noise; and
    ``noise`` and ``plain_noise``, the standard deviations of the two private means over runs.

    Examples
    --------
    >>> cell = GroupsCell(variable="SCHL", crossing="SEX", setting="scaled", runs=2)
    >>> group_errors(cell)["group"].tolist()
    ['men', 'women']
    """
    values, sizes = strata(TABLE, cell.variable, cell.crossing)
    prior = known(TABLE, cell.variable, cell.setting)
    scored = sizes > SETTINGS[cell.setting].least * values.size
    kept, own = values[np.repeat(scored, sizes)], sizes[scored]
    truth = np.add.reduceat(kept, np.cumsum(own) - own) / own
    key, whole = (cell.seed, "by name", cell.variable, cell.crossing), np.array([values.size])

    def means(name: tuple[str, ...], x: np.ndarray, of: np.ndarray) -> np.ndarray:
        rngs = (stream(*key, *name, run) for run in range(cell.runs))
        return np.array([coinpress(x, of, prior, budgets(RHO), rng) for rng in rngs])

    everybody, by_group = means(("everyone",), values, whole), means((), kept, own)
    return pd.DataFrame(
        {
            "group": np.array(stratum_names(cell.variable, cell.crossing))[scored],
            "people": own,
            "plain": np.abs(everybody - truth).mean(axis=0),
            "stratified": np.abs(by_group - truth).mean(axis=0),
            "silent": np.abs(coinpress(kept, own, prior, budgets(RHO), None) - truth),
            "noise": by_group.std(axis=0, ddof=1),
            "plain_noise": everybody.std(ddof=1),
        }
    ).sort_values("people", kind="stable", ignore_index=True)


def run_groups(cell: GroupsCell) -> dict:
    """Record of a cell: :func:`group_errors` as its scores."""
    table = table_of(TABLE)
    return {
        "dataset": TABLE,
        "scores": group_errors(cell).to_dict("records"),
        "data_source": table.source,
        "data_sha256": table.sha256,
    }


def stored_groups(
    variable: str | None = None, crossing: str | None = None, setting: str = "scaled, all strata"
) -> pd.DataFrame:
    """The stored errors of real New Yorkers, those of :func:`group_errors`; of all variables or
    crossings where none is named. ``gains`` says whether a group's own mean is nearer.
    """
    rows = scores("means_by_group")
    for name, value in (("variable", variable), ("crossing", crossing), ("setting", setting)):
        rows = rows[rows[name] == value] if value else rows
    rows = rows.assign(gains=rows["stratified"] < rows["plain"])
    return rows.sort_values("people", kind="stable", ignore_index=True)
