"""Each group of New York by itself: how wrong everybody's private mean is for it, and its own."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lib.means.grouped import coinpress
from lib.rng import stream
from studies.private_means.census import (
    RHO,
    RUNS,
    SEED,
    SETTINGS,
    budgets,
    known,
    strata,
    stratum_names,
)


def errors_by_group(
    variable: str, crossing: str, setting: str = "scaled, all strata", runs: int = RUNS
) -> pd.DataFrame:
    """Mean absolute error of each group's mean, a row a group, by size.

    Columns ``group`` and ``people``; ``plain``, everybody's private mean used for the group;
    ``stratified``, a private mean of its own; and ``silent``, this one without any noise.

    Examples
    --------
    >>> errors_by_group("SCHL", "SEX", runs=2)["group"].tolist()
    ['men', 'women']
    """
    values, sizes = strata("newyork2024", variable, crossing)
    prior, scored = (
        known("newyork2024", variable, setting),
        sizes > SETTINGS[setting].least * values.size,
    )
    kept, own = values[np.repeat(scored, sizes)], sizes[scored]
    truth = np.add.reduceat(kept, np.cumsum(own) - own) / own
    key, whole = (SEED, "by name", variable, crossing), np.array([values.size])

    def errors(name: tuple[str, ...], x: np.ndarray, of: np.ndarray) -> np.ndarray:
        found = [coinpress(x, of, prior, budgets(RHO), stream(*key, *name, r)) for r in range(runs)]
        return np.abs(np.array(found) - truth).mean(axis=0)

    return pd.DataFrame(
        {
            "group": np.array(stratum_names(variable, crossing))[scored],
            "people": own,
            "plain": errors(("everyone",), values, whole),
            "stratified": errors((), kept, own),
            "silent": np.abs(coinpress(kept, own, prior, budgets(RHO), None) - truth),
        }
    ).sort_values("people", kind="stable", ignore_index=True)
