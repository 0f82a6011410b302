"""From the synthesizers' scores to those of the figures: parity errors, disparity, ratios and
gaps between groups.

The stored scores (``lib.runner.scores``) have one row a cell, group, and rows that were ``seen`` or
not. Which groups count is a choice that the figures depend on, so it is an argument everywhere: the
*level* (sex, race, their crossing), whether the rows are those that the synthesizer saw, and the
least share of the rows from which on a group counts (the published 0.1%, or 0).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from lib import validate
from lib.files import read_yaml
from lib.groups import EVERYONE, group_values
from lib.paths import DATA
from lib.runner.registry import NoResults, scores
from lib.stats.summary import summarise
from studies.synthesizers.settings import EPSILONS, MAIN
from studies.synthesizers.tables import BY, LEVELS, TABLES

SETTING = ("dataset", "synthesizer", "by", "epsilon")
KEYS = (*SETTING, "small", "run")
PROTOCOLS: dict[str, dict[str, Any]] = {
    "published": {"seen": True, "least": 0.001},
    "held-out, every group": {"seen": False, "least": 0.0},
}
HIGHER = ("acc", "parity_ratio")  # better if larger
METRICS: dict[str, str] = read_yaml(DATA / "synthesizer_metrics.yml", dict)


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


def group_table(scores: pd.DataFrame, score: str, *level: str, **which) -> pd.DataFrame:
    """``score`` of the groups of :func:`of_level`: one row a cell, one column a group.

    NaN for a group that does not count in a cell, or has no such score, as one of which nobody was
    held out.
    """
    found = of_level(scores, *level, **which)
    validate.choice("score", score, found.columns)
    return found.pivot(index="cell", columns="group", values=score)


def scored(scores: pd.DataFrame, *level: str, seen: bool = False, **which) -> pd.DataFrame:
    """A row a cell: its :data:`KEYS` and :data:`METRICS`; arguments as :func:`of_level`.

    A parity error is that of Definition 11, everyone's divided by the number of groups plus the sum
    over groups; a group without real rows is no group.
    """
    whole = scores[(scores["group"] == EVERYONE) & (scores["seen"] == seen)].set_index("cell")
    rows = of_level(scores, *level, seen=seen, **which)
    place, each = whole.index.get_indexer(rows["cell"]), rows.groupby("cell")
    low, high = (getattr(each[["means", "rate", "fnr"]], end)() for end in ("min", "max"))
    count = each["error"].count().reindex(whole.index, fill_value=0)

    def parity(score: str) -> pd.Series:
        total = np.bincount(place, rows[score].fillna(0), len(whole))  # in the groups' order
        return whole[score] / count.clip(lower=1) + total

    found = whole[[*KEYS, "acc", "error"]].assign(
        parity_means=parity("means"),
        disparity=high["means"],
        parity_error=parity("error"),
        parity_ratio=(low["rate"] / high["rate"]).where(high["rate"] != 0, 1.0),
        fnr_gap=high["fnr"] - low["fnr"],
        groups=count,
    )
    return found.reset_index()


def averaged(
    frame: pd.DataFrame, value: str, by: Sequence[str] = SETTING, *, floor: float = 0.0
) -> pd.DataFrame:
    """Mean of ``value`` over runs with its 95% interval: ``*by, mean, low, high, runs``.

    No score is below 0, so no interval ends below ``floor``; a difference has the floor ``-inf``.
    """
    return summarise(frame, by, value, sort=False, floor=floor)


def stored_tables() -> dict[str, pd.DataFrame]:
    """Stored scores of every table that has a run of each setting; with fewer, shares of settings
    would be of the cheap ones.
    """
    found, settings = {}, len(MAIN) * len(BY) * len(EPSILONS)
    for dataset in TABLES:
        with suppress(NoResults):
            frame = scores(f"synth_{dataset}")
            if main_fits(frame).groupby(list(SETTING)).ngroups == settings:
                found[dataset] = frame
    return found


def main_fits(frame: pd.DataFrame) -> pd.DataFrame:
    """The cells of MST, AIM and GEM that keep every group: those of the paper's figures."""
    return frame[frame["synthesizer"].isin(MAIN) & (frame["small"] == "keep")]


def finished_runs(fits: pd.DataFrame) -> int:
    """Runs that every setting among ``fits`` has."""
    return int(fits.groupby(list(SETTING))["run"].nunique().min())


def against_vanilla(frame: pd.DataFrame, value: str, *, ratio: bool = False) -> pd.DataFrame:
    """``value`` of each stratified cell minus (with ``ratio``: over) that of the plain fit of the
    same run: mean and 95% interval over runs.

    Columns ``dataset, synthesizer, by, epsilon, mean, low, high, runs, plain``, the last the plain
    fits' mean.
    """
    keep = frame[frame["small"] == "keep"]
    same = ["dataset", "synthesizer", "epsilon", "run"]
    plain = keep.loc[keep["by"] == "vanilla", [*same, value]].rename(columns={value: "_plain"})
    both = keep[keep["by"] != "vanilla"].merge(plain, on=same, validate="many_to_one")
    apart = both[value] / both["_plain"] if ratio else both[value] - both["_plain"]
    out = averaged(both.assign(apart=apart), "apart", floor=0.0 if ratio else -np.inf)
    return out.assign(plain=both.groupby(list(SETTING), sort=False)["_plain"].mean().to_numpy())


def shares_better(scores: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """Share of the settings (stratification and budget) in which stratifying betters a mean score.

    One row for each of :data:`PROTOCOLS` and ``metrics``: columns ``protocol, metric, all``, one
    for each synthesizer, and ``surely``: with the whole 95% interval.
    """
    rows = []
    for protocol, which in PROTOCOLS.items():
        fits = main_fits(scored(scores, **which))
        for metric in metrics:
            d = against_vanilla(fits, metric)
            signs = (1 if metric in HIGHER else -1) * d[["mean", "low", "high"]] > 0
            better, surely = signs["mean"], signs["low"] & signs["high"]
            own = {"protocol": protocol, "metric": metric, "all": better.mean()}
            own |= better.groupby(d["synthesizer"]).mean().reindex(MAIN).to_dict()
            rows.append(own | {"surely": surely.mean()})
    return pd.DataFrame(rows)


def gains_of_groups(scores: pd.DataFrame, **which) -> pd.DataFrame:
    """How much a model of its own lowers each group's own error, mean over runs with its interval:
    the plain fit's error minus that of the fit stratified by sex and race.

    Columns ``synthesizer, epsilon, group, gain, low, high, people``; ``people`` are the group's
    rows, on average. Groups without a score are left out. ``which``: see :func:`of_level`.
    """
    rows = main_fits(of_level(scores, **which))
    keys = ["synthesizer", "epsilon", "group"]
    errors = rows.pivot(index=[*keys, "run"], columns="by", values="error")
    gains = (errors["vanilla"] - errors["SEX_RAC1P"]).dropna()
    gains = gains.where(gains.abs() > 1e-8, 0.0)  # equal errors differ in their last bits
    found = averaged(gains.reset_index(name="gain"), "gain", keys, floor=-np.inf)
    people = rows.groupby("group")["people"].mean()
    found = found.drop(columns="runs").rename(columns={"mean": "gain"})
    return found.assign(people=found["group"].map(people))


def small_group_rules(scores: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """What three rules for groups of at most 0.1% of the rows do, at epsilon 1 and on held-out
    rows; and these groups' names.

    One row for each synthesizer and rule (``small``): the mean errors of ``small groups``, ``the
    others`` and ``everybody``, and how many small groups are ``drawn``. Groups without people are
    left out.
    """
    keys = ["synthesizer", "small"]
    rule = scores[scores["synthesizer"].isin(MAIN) & ~scores["seen"]]
    rule = rule.query("by == 'SEX_RAC1P' and epsilon == 1")
    each = of_level(rule)
    each = each[each.groupby("group")["people"].transform("max") > 0]
    share = (each["people"] / each["rows"]).groupby(each["group"], sort=False).max()
    small = list(share.index[share <= PROTOCOLS["published"]["least"]])
    kind = each["group"].isin(small).map({True: "small groups", False: "the others"})
    error = each["error"].where(each["people"] > 0).groupby([*(each[k] for k in keys), kind])
    shares = each[each["group"].isin(small)].groupby([*keys, "group"])["share"].mean()
    everybody = rule[rule["group"] == EVERYONE].groupby(keys)["error"].mean()
    drawn = (shares > 0).groupby(keys).sum()
    return error.mean().unstack().assign(everybody=everybody, drawn=drawn).reset_index(), small


def pareto(frame: pd.DataFrame, x: str, y: str) -> np.ndarray:
    """Rows of which no other is at least as small in both ``x`` and ``y`` and smaller in one, as
    a mask.
    """
    points = frame[[x, y]].to_numpy(dtype=float)
    others, own = points[None], points[:, None]
    better = (others <= own).all(axis=2) & (others < own).any(axis=2)
    return ~better.any(axis=1)


def p_of_means(table: pd.DataFrame) -> np.ndarray:
    """Two-sided p-values of the means of :func:`lib.stats.summary.summarise`, from their 95% t
    intervals; 1 where there is no interval.
    """
    freedom = np.maximum(table["runs"].to_numpy() - 1, 1)
    error = (table["high"] - table["mean"]).to_numpy() / stats.t.isf(0.025, freedom)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stats.t.sf(np.abs(table["mean"].to_numpy()) / error, freedom)
    return np.where(np.isfinite(p), p, 1.0)  # 0 / 0: no difference in any run
