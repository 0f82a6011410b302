"""Private means that the paper's authors stored: New York (Fig. 2) and mixtures (Figs 3, 6, 7)."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd

from lib.ledger.authors import AUTHORS, Repository, Table
from lib.ledger.unpickle import read_pickle
from studies.private_means.census import RHO
from studies.private_means.parity import parity_error, stratum_errors
from studies.private_means.scores import METHODS

REPOSITORY = Repository("lurosenb/stratify_dp", "a4b70789442e55c0c789cb4da419f5e55c14fd64")
_MEANS, _MIXTURES = "stratified_data_means.db", "results_df.pkl"
_NAMES = dict(zip(("Coinpress", "StratCoinpress", "StratCoinpressPublic"), METHODS, strict=True))


def _place(folder: str, name: str, files: Mapping[str, bytes]) -> Path:
    place = Path(folder) / name
    place.write_bytes(files[name])
    return place


def _census(files: Mapping[str, bytes]) -> pd.DataFrame:
    """A row a variable, crossing and method: errors of its one stored run."""
    with tempfile.TemporaryDirectory() as folder:
        address = f"{_place(folder, _MEANS, files).as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as connection:
            rows = pd.read_sql_query("SELECT * FROM means", connection)
    found = []
    for (crossing, variable), own in rows.groupby(["combination", "column_name"], sort=False):
        value = own.pivot(index="stratum_id", columns="method", values="mean_value")
        sizes = own.drop_duplicates("stratum_id").set_index("stratum_id")
        whole, groups = value.loc["overall"], value.drop(index="overall")
        sizes = sizes.loc[groups.index]
        truth, estimate = groups["standard"].to_numpy(), groups["coinpress"].to_numpy()
        plain = whole["coinpress"]
        answers = (
            (plain, np.full_like(truth, plain)),
            *(
                (np.average(estimate, weights=sizes[weights]), estimate)
                for weights in ("exact_data_size", "public_data_size")
            ),
        )
        for method, (everyone, own_means) in zip(METHODS, answers, strict=True):
            found.append(
                {
                    "variable": variable,
                    "crossing": "_".join(crossing.strip("()").replace("'", "").split()),
                    "strata": len(groups),
                    "method": method,
                    "error": float(stratum_errors(whole["standard"], everyone)),
                    "parity": float(parity_error(truth, own_means, whole["standard"], everyone)),
                }
            )
    return pd.DataFrame(found).round(12)


def _mixtures(files: Mapping[str, bytes]) -> pd.DataFrame:
    """A row a setting and method: mean and spread over runs of the population's error."""
    with tempfile.TemporaryDirectory() as folder:
        rows = read_pickle(_place(folder, _MIXTURES, files))
    rows = rows.assign(method=rows["method"].map(_NAMES), n=rows["n"] // 2)
    keys = ["n", "k", "alpha", "method"]
    return rows[[*keys, "error", "std"]].sort_values(keys[:-1], kind="stable").round(12)


CENSUS = Table(
    name="census_means",
    repository=REPOSITORY,
    wanted=_MEANS.__eq__,
    make=_census,
    about={
        "title": "private means of New York",
        "what": "A row for each variable, crossing and method of Fig. 2: relative errors of the"
        " stored means (the method coinpress) against the true ones (standard), New York 2018.",
        "columns": "error: of everybody's mean; the stratified one adds up the groups' means with"
        " their exact or public sizes as weights, as coinpress_results.ipynb does. parity:"
        " Definition 11 with omega 1/k, over the strata that are stored.",
        "runs": "One. So no interval and no test: what needs them is not stored.",
        "missing": "None. Strata of at most 0.1% of the rows are left out, as in the script.",
        "ties": "None.",
        "caution": "Sizes of the public half are matched to strata by position"
        " (coinpress_results.ipynb:488), which misaligns them; so the public weights are those of"
        " other strata.",
    },
)
MIXTURES = Table(
    name="mixtures",
    repository=REPOSITORY,
    wanted=_MIXTURES.__eq__,
    make=_mixtures,
    about={
        "title": "private means of mixtures",
        "what": "A row for each setting and method of Figs 3, 6 and 7: mean and spread (std, with"
        " the number of runs as divisor) of the absolute error of everybody's mean.",
        "columns": "n: private rows, half of the total that the file names. k, alpha: strata and"
        " Dirichlet parameter.",
        "runs": "Ten of each setting; only their mean and spread are stored, for each method by"
        " itself: no difference run by run and so no interval of one.",
        "missing": "None.",
        "ties": "None.",
        "caution": "The errors of the two stratified methods have no noise: the notebook adds up"
        " the groups' true means and leaves their private ones unused"
        " (coinpress_results.ipynb:135).",
    },
)


def census() -> pd.DataFrame:
    """The stored errors as scores: one row a variable, crossing, metric and method."""
    wide = CENSUS.read()
    keys = ["variable", "crossing", "strata", "method"]
    rows = wide.melt(keys, var_name="metric", value_name="mean")
    more = {"dataset": AUTHORS, "setting": "published", "mechanism": "coinpress", "budget": RHO}
    return _as_scores(rows.assign(cell=rows["variable"] + " " + rows["crossing"], runs=1, **more))


def mixtures() -> pd.DataFrame:
    """The stored errors as scores: one row a setting and method."""
    rows = MIXTURES.read().rename(columns={"error": "mean"})
    cell = rows["n"].astype(str) + " " + rows["k"].astype(str) + " " + rows["alpha"].astype(str)
    return _as_scores(rows.assign(cell=cell, metric="error", spreads="one", runs=10))


def _as_scores(rows: pd.DataFrame) -> pd.DataFrame:
    """With the gap to plain COINPRESS, and no intervals."""
    plain = rows[rows["method"] == METHODS[0]].set_index(["cell", "metric"])["mean"]
    own = pd.MultiIndex.from_frame(rows[["cell", "metric"]])
    gap = rows["mean"] - plain.reindex(own).to_numpy()
    ends = dict.fromkeys(("low", "high", "gap_low", "gap_high"), np.nan)
    return rows.assign(gap=gap, data_source=AUTHORS, **ends)
