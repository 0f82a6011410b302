"""Private means that the paper's authors stored: New York (Fig. 2) and mixtures (Figs 3, 6, 7)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lib.ledger.authors import AUTHORS, read_table
from studies.private_means.census import RHO
from studies.private_means.scores import METHODS


def census() -> pd.DataFrame:
    """The stored errors as scores: one row a variable, crossing, metric and method."""
    wide = read_table("census_means")
    keys = ["variable", "crossing", "strata", "method"]
    rows = wide.melt(keys, var_name="metric", value_name="mean")
    more = {"dataset": AUTHORS, "setting": "published", "mechanism": "coinpress", "budget": RHO}
    return _as_scores(rows.assign(cell=rows["variable"] + " " + rows["crossing"], runs=1, **more))


def mixtures() -> pd.DataFrame:
    """The stored errors as scores: one row a setting and method."""
    rows = read_table("mixtures").rename(columns={"error": "mean"})
    cell = rows["n"].astype(str) + " " + rows["k"].astype(str) + " " + rows["alpha"].astype(str)
    return _as_scores(rows.assign(cell=cell, metric="error", spreads="one", runs=10))


def _as_scores(rows: pd.DataFrame) -> pd.DataFrame:
    """With the gap to plain COINPRESS, and no intervals."""
    plain = rows[rows["method"] == METHODS[0]].set_index(["cell", "metric"])["mean"]
    own = pd.MultiIndex.from_frame(rows[["cell", "metric"]])
    gap = rows["mean"] - plain.reindex(own).to_numpy()
    ends = dict.fromkeys(("low", "high", "gap_low", "gap_high"), np.nan)
    return rows.assign(gap=gap, data_source=AUTHORS, **ends)
