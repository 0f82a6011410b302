"""From the synthesizers' cells to the scores of the figures: parity errors, disparity, ratios and
gaps between groups.

A cell's record has one number a group by name. Which groups count is a choice
that the figures depend on, so it is an argument everywhere: the *level* (sex,
race, their crossing), whether the rows are those that the synthesizer saw, and
the least share of the rows from which on a group counts (the published 0.1%, or 0).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from lib import validate
from lib.runner.registry import NoResults, results
from lib.stats.summary import summarise
from lib.studies.synthesizers.cells import EPSILONS, MAIN
from lib.studies.synthesizers.tables import BY, TABLES

__all__ = [
    "KEYS",
    "LEVELS",
    "METRICS",
    "SETTING",
    "group_names",
    "group_table",
    "scored",
    "averaged",
    "stored_tables",
    "main_fits",
    "finished_runs",
    "against_vanilla",
    "pareto",
]

SETTING = ("dataset", "synthesizer", "by", "epsilon")
KEYS = (*SETTING, "small", "run")
LEVELS = ("SEX", "RAC1P", "SEX_RAC1P")
METRICS: dict[str, str] = {
    "acc": "accuracy of the classifier (Fig. 4)",
    "parity_means": "parity error of the means (Fig. 5)",
    "disparity": "largest error of a group's means (Fig. 7a)",
    "parity_ratio": "demographic parity, least over largest rate (Fig. 7b)",
    "fnr_gap": "largest difference of false negative rates (Fig. 7c)",
    "parity_error": "parity error of three-way marginals (Fig. 9)",
    "error": "error of everybody's three-way marginals",
}


def group_names(frame: pd.DataFrame, level: str = "SEX_RAC1P") -> list[str]:
    """The groups of a level, in the order of their codes: ``"SEX=0"``, ``"RAC1P=3"`` or
    ``"SEX=0,RAC1P=3"``.
    """
    validate.choice("level", level, LEVELS)
    names = [c[2:] for c in frame.columns if c.startswith("n|")]
    if level == "SEX_RAC1P":
        return [n for n in names if "," in n]
    return [n for n in names if n.startswith(level + "=") and "," not in n]


def group_table(
    frame: pd.DataFrame, score: str, level: str = "SEX_RAC1P", *, least: float = 0.0
) -> np.ndarray:
    """``score|<group>``, shape (cells, groups).

    NaN for groups of at most a share ``least`` of the rows seen, and where the records have no such
    score, as of a group of which nobody was held out.
    """
    if not 0 <= least < 1:
        raise ValueError(f"least={least!r} is not allowed: a share from 0 (included) to 1 is")
    names = group_names(frame, level)
    validate.choice("score", score, sorted({c.split("|")[0] for c in frame.columns if "|" in c}))
    values = frame.reindex(columns=[f"{score}|{name}" for name in names]).to_numpy(dtype=float)
    sizes = frame[[f"n|{name}" for name in names]].to_numpy(dtype=float)
    return np.where(sizes > least * frame["rows"].to_numpy(dtype=float)[:, None], values, np.nan)


def _parity(whole: pd.Series, groups: np.ndarray) -> np.ndarray:
    """Definition 11: ``omega * whole + sum over groups``, ``omega = 1/k``; a group without real
    rows is no group.
    """
    k = np.maximum(1, np.isfinite(groups).sum(axis=1))
    return whole.to_numpy(dtype=float) / k + np.nansum(groups, axis=1)


def _spread(groups: np.ndarray, kind: str) -> np.ndarray:
    """Largest minus least, or least over largest, of each line; NaN where no group is left."""
    low, high = (np.where(np.isfinite(groups), groups, fill) for fill in (np.inf, -np.inf))
    low, high = low.min(axis=1), high.max(axis=1)
    some = np.isfinite(low)
    if kind == "gap":
        return np.where(some, high - low, np.nan)
    return np.divide(low, high, out=np.where(some, 1.0, np.nan), where=some & (high > 0))


def scored(
    frame: pd.DataFrame, level: str = "SEX_RAC1P", *, seen: bool = False, least: float = 0.0
) -> pd.DataFrame:
    """A row a cell: its :data:`KEYS` and :data:`METRICS`.

    Parameters
    ----------
    frame : DataFrame
        Records of a ``synth_*`` grid.
    level : {"SEX", "RAC1P", "SEX_RAC1P"}
    seen : bool
        Scores on the rows that the synthesizer saw, as published; else on held-out ones.
    least : float
        Groups of at most this share of the rows do not count; the published rule is 0.001.
    """
    prefix = "seen_" if seen else ""
    groups = {
        s: group_table(frame, prefix + s, level, least=least)
        for s in ("means", "error", "rate", "fnr")
    }
    out = frame[list(KEYS)].reset_index(drop=True)
    return out.assign(
        acc=frame[f"{prefix}acc"].to_numpy(),
        error=frame[f"{prefix}error"].to_numpy(),
        parity_means=_parity(frame[f"{prefix}means"], groups["means"]),
        disparity=np.where(np.isfinite(groups["means"]), groups["means"], -np.inf).max(axis=1),
        parity_error=_parity(frame[f"{prefix}error"], groups["error"]),
        parity_ratio=_spread(groups["rate"], "ratio"),
        fnr_gap=_spread(groups["fnr"], "gap"),
        groups=np.isfinite(groups["error"]).sum(axis=1),
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
    """Stored records of every table that has a run of each setting; with fewer, shares of
    settings would be of the cheap ones.
    """
    found = {}
    for dataset in TABLES:
        try:
            frame = results(f"synth_{dataset}")
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
    return int(fits.groupby(list(SETTING)).size().min())


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
