"""What an experiment found: a group's mean distance over splits, and how often it is exceeded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from lib.coherence.distances import TIE
from lib.stats.summary import clopper_pearson, summarise


@dataclass(frozen=True)
class Result:
    """All splits of an experiment.

    ``rows`` are those of :func:`~lib.coherence.experiment.one_split`, with the number of the
    ``split``. A group with nobody in one half has no distance there (Definition 2 has nothing to
    compare), and means and shares are over the splits in which it has one. Simulations of a bound,
    which must not be helped by that, count 2 instead, as
    :func:`~lib.coherence.bounds.within_group.membership_distances` does.
    """

    rows: pd.DataFrame

    def summary(self) -> pd.DataFrame:
        """One row per group: mean distance over splits with its t interval, null, and excess."""
        rows = self.rows.assign(excess=self.rows["distance"] - self.rows["null"])
        groups = rows.groupby("group", sort=False)
        found = summarise(rows, ["group"], "distance", sort=False).set_index("group")
        found = found.rename(columns={"mean": "distance", "runs": "splits"})
        found = found.join(groups[["null", "excess"]].mean()).assign(n=groups["n"].first())
        columns = ["n", "splits", "distance", "low", "high", "null", "excess"]
        return found[columns].reset_index()

    def beta(
        self, alpha: float, group: str | None = None, level: float = 0.95
    ) -> tuple[float, float, float]:
        """Share of splits in which the group (or some group) is more than ``alpha`` apart.

        With its Clopper-Pearson interval. Over the splits in which the group (or some group) has a
        distance; NaN if there is none.
        """
        rows = self.rows if group is None else self.rows[self.rows["group"] == group]
        if rows.empty:
            raise ValueError(
                f"group must be one of {', '.join(self.rows['group'].unique())}, got {group!r}"
            )
        worst = rows.groupby("split")["distance"].max().dropna()
        if worst.empty:
            return np.nan, np.nan, np.nan
        hits = int((worst > alpha + TIE).sum())
        return hits / worst.size, *clopper_pearson(hits, worst.size, level)
