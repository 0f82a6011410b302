"""From the synthesizers' scores to those of the figures: parity errors, disparity, ratios and
gaps between groups.

The stored scores (``lib.runner.scores``) have one row a cell, group, and rows that were ``seen`` or
not. Which groups count is a choice that the figures depend on, so it is an argument everywhere: the
*level* (sex, race, their crossing), whether the rows are those that the synthesizer saw, and the
least share of the rows from which on a group counts (the published 0.1%, or 0).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from lib import validate
from lib.groups import EVERYONE, group_values
from lib.runner.registry import NoResults, scores
from lib.stats.summary import summarise
from lib.studies.synthesizers.settings import EPSILONS, MAIN
from lib.studies.synthesizers.tables import BY, LEVELS, TABLES

SETTING = ("dataset", "synthesizer", "by", "epsilon")
KEYS = (*SETTING, "small", "run")
METRICS: dict[str, str] = {
    "acc": "accuracy of the classifier (Fig. 4)",
    "parity_means": "parity error of the means (Fig. 5)",
    "disparity": "largest error of a group's means (Fig. 7a)",
    "parity_ratio": "demographic parity, least over largest rate (Fig. 7b)",
    "fnr_gap": "largest difference of false negative rates (Fig. 7c)",
    "parity_error": "parity error of three-way marginals (Fig. 9)",
    "error": "error of everybody's three-way marginals",
}


def of_level(
    scores: pd.DataFrame, level: str = "SEX_RAC1P", *, seen: bool = False, least: float = 0.0
) -> pd.DataFrame:
    """The scores of the groups of a level that count: of more than a share ``least`` of the rows.

    Parameters
    ----------
    scores : DataFrame
        Scores of a ``synth_*`` grid.
    level : {"SEX", "RAC1P", "SEX_RAC1P"}
    seen : bool
        Scores on the rows that the synthesizer saw, as published; else on held-out ones.
    least : float
        At least 0 and below 1; the published rule is 0.001.
    """
    columns = LEVELS[validate.choice("level", level, LEVELS)]
    validate.require(0 <= least < 1, "least", "a share from 0 (included) to 1", least)
    names = {name for name in scores["group"].unique() if (*group_values(name),) == columns}
    large = scores["people"] > least * scores["rows"]
    return scores[scores["group"].isin(names) & (scores["seen"] == seen) & large]


def group_table(
    scores: pd.DataFrame, score: str, level: str = "SEX_RAC1P", **which
) -> pd.DataFrame:
    """``score`` of the groups of :func:`of_level`: one row a cell, one column a group.

    NaN for a group that does not count in a cell, or has no such score, as one of which nobody was
    held out.
    """
    found = of_level(scores, level, **which)
    validate.choice("score", score, found.columns)
    return found.pivot(index="cell", columns="group", values=score)


def scored(
    scores: pd.DataFrame, level: str = "SEX_RAC1P", *, seen: bool = False, least: float = 0.0
) -> pd.DataFrame:
    """A row a cell: its :data:`KEYS` and :data:`METRICS`; arguments as :func:`of_level`.

    A parity error is that of Definition 11, everyone's divided by the number of groups plus the sum
    over groups; a group without real rows is no group.
    """
    whole = scores[(scores["group"] == EVERYONE) & (scores["seen"] == seen)].set_index("cell")
    rows = of_level(scores, level, seen=seen, least=least)
    place, each = whole.index.get_indexer(rows["cell"]), rows.groupby("cell")
    low, high = (getattr(each[["means", "rate", "fnr"]], end)() for end in ("min", "max"))
    count = each["error"].count().reindex(whole.index, fill_value=0)

    def parity(score: str) -> pd.Series:
        total = np.bincount(place, rows[score].fillna(0), len(whole))  # in the groups' order
        return whole[score] / count.clip(lower=1) + total

    return (
        whole[[*KEYS, "acc", "error"]]
        .assign(
            parity_means=parity("means"),
            disparity=high["means"],
            parity_error=parity("error"),
            parity_ratio=(low["rate"] / high["rate"]).where(high["rate"] != 0, 1.0),
            fnr_gap=high["fnr"] - low["fnr"],
            groups=count,
        )
        .reset_index()
    )


def averaged(
    frame: pd.DataFrame, value: str, by: Sequence[str] = SETTING, *, floor: float = 0.0
) -> pd.DataFrame:
    """Mean of ``value`` over runs with its 95% interval: ``*by, mean, low, high, runs``.

    No score is below 0, so no interval ends below ``floor``; a difference has the floor ``-inf``.
    """
    for column in (value, *by):
        validate.choice("value", column, frame.columns)
    return summarise(frame, by, value, sort=False, floor=floor)


def stored_tables() -> dict[str, pd.DataFrame]:
    """Stored scores of every table that has a run of each setting; with fewer, shares of settings
    would be of the cheap ones.
    """
    found = {}
    for dataset in TABLES:
        try:
            frame = scores(f"synth_{dataset}")
        except NoResults:
            continue
        if len(main_fits(frame).groupby(list(SETTING))) == len(MAIN) * len(BY) * len(EPSILONS):
            found[dataset] = frame
    return found


def main_fits(frame: pd.DataFrame) -> pd.DataFrame:
    """The cells of MST, AIM and GEM that keep every group: those of the paper's figures."""
    return frame[frame["synthesizer"].isin(MAIN) & (frame["small"] == "keep")]


def finished_runs(fits: pd.DataFrame) -> int:
    """Runs that every setting among ``fits`` has."""
    return int(fits.groupby(list(SETTING))["run"].nunique().min())


def against_vanilla(frame: pd.DataFrame, value: str) -> pd.DataFrame:
    """``value`` of each stratified cell minus that of the plain fit of the same run: mean and 95%
    interval over runs.

    Columns ``dataset, synthesizer, by, epsilon, mean, low, high, runs, plain``, the last the plain
    fits' mean.
    """
    keep = frame[frame["small"] == "keep"]
    same = ["dataset", "synthesizer", "epsilon", "run"]
    plain = keep.loc[keep["by"] == "vanilla", [*same, value]].rename(columns={value: "_plain"})
    both = keep[keep["by"] != "vanilla"].merge(plain, on=same, validate="many_to_one")
    both = both.assign(difference=both[value] - both["_plain"])
    out = averaged(both, "difference", floor=-np.inf)
    return out.assign(plain=both.groupby(list(SETTING), sort=False)["_plain"].mean().to_numpy())


def pareto(frame: pd.DataFrame, x: str, y: str) -> np.ndarray:
    """Rows of which no other is at least as small in both ``x`` and ``y`` and smaller in one, as
    a mask.
    """
    points = frame[[x, y]].to_numpy(dtype=float)
    no_worse = (points[None, :, :] <= points[:, None, :]).all(axis=2)
    better = no_worse & (points[None, :, :] < points[:, None, :]).any(axis=2)
    return ~better.any(axis=1)
