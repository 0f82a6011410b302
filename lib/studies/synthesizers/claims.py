"""Measures for the claims of the stratified-DP paper about synthesizers: Figs 4, 5, 7 and 9.

All are taken under the paper's protocol (rows that the synthesizer saw, groups
of more than 0.1% of them, crossing of sex and race); in words, what the same
says of held-out rows and of every group. The paper's claims are about New York,
so they are judged there: on the paper's own table where its grid was run, else
on the stand-in from published aggregates. The stand-in can be asked about
groups' sizes and means and about who worked; what follows from its assumed laws
is no evidence (:data:`SILENT`). Other tables are the companion's own rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t

from lib.ledger.rules import LEVEL, Evidence
from lib.stats.holm import holm
from lib.stats.summary import rank_correlation
from lib.studies.synthesizers.cells import AS_SPENT, MAIN
from lib.studies.synthesizers.summary import (
    METRICS,
    against_vanilla,
    averaged,
    finished_runs,
    group_names,
    main_fits,
    scored,
    stored_tables,
)
from lib.studies.synthesizers.tables import ORACLES, origin

__all__ = ["MEASURES", "NEW_YORK", "SPEAKS", "SILENT", "cells", "heard", "tables_of"]

NOTHING = Evidence(math.nan, detail="no stored results")
Tables = str | Sequence[str]
NEW_YORK = "newyork"  # the tables of the paper's claims: its own, or the stand-in
_PAPERS_TABLE, _STAND_IN = "ny_employment", "newyork"
_COLUMNS = ("SEX", "RAC1P", "AGEP", "DIS", "NATIVITY", "SCHL", "PINCP", "WORKED")  # of the stand-in
_ASSUMED = ("SCHL", "PINCP")  # columns of the stand-in whose law inside a group is assumed
_WORKED = (
    "who worked, by sex, disability, nativity, race and age, is published; schooling and income say"
    " no more about it there"
)
# metric -> what the stand-in holds of New York that the metric asks about
SPEAKS: dict[str, str] = {
    "acc": _WORKED,
    "parity_ratio": _WORKED,
    "fnr_gap": _WORKED,
    "parity_means": (
        "the groups' sizes and their means are published, but for the bins of schooling and income"
    ),
    "disparity": (
        "the groups' sizes and their means are published, but for the bins of schooling and income"
    ),
}
_THREE_WAY = (
    "{assumed} of the stand-in's {all} three-way marginals hold schooling or income, whose law"
    " inside a group is assumed"
)
# metric -> why the stand-in is no evidence for it
SILENT: dict[str, str] = {
    "parity_error": _THREE_WAY,
    "error": _THREE_WAY,
    "level of acc": (
        "the stand-in has other columns than the paper's table and another target, who worked in"
        " the past year"
    ),
}
PROTOCOLS: dict[str, dict[str, Any]] = {
    "published": {"seen": True, "least": 0.001},
    "held-out, every group": {"seen": False, "least": 0.0},
}
HIGHER = ("acc", "parity_ratio")  # better if larger
RUNS = 5  # of the paper, at each setting


@cache
def _stored() -> dict[str, pd.DataFrame]:
    return stored_tables()


def tables_of(tables: Tables = NEW_YORK) -> dict[str, pd.DataFrame]:
    """Stored records of the tables named; of ``"newyork"`` the paper's own where it was run,
    else the stand-in's.
    """
    stored = _stored()
    if tables == NEW_YORK:
        tables = _PAPERS_TABLE if _PAPERS_TABLE in stored else _STAND_IN
    names = (tables,) if isinstance(tables, str) else tables
    return {name: stored[name] for name in names if name in stored}


def cells(protocol: str = "published", tables: Tables = NEW_YORK) -> pd.DataFrame:
    """Scores of every stored cell of :func:`tables_of` under one of :data:`PROTOCOLS`; empty if
    there are none.
    """
    frames = [_scored(protocol, name) for name in tables_of(tables)]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


@cache
def _scored(protocol: str, table: str) -> pd.DataFrame:
    return scored(_stored()[table], **PROTOCOLS[protocol])


def _data(tables: Tables) -> str:
    kinds = [origin(frame["data_source"]) for frame in tables_of(tables).values()]
    return "replica" if "replica" in kinds else " and ".join(sorted(set(kinds)))


def _is_stand_in(tables: Tables) -> bool:
    return (
        _STAND_IN in (there := tables_of(tables))
        and origin(there[_STAND_IN]["data_source"]) != "real data"
    )


def heard(metrics: Sequence[str], tables: Tables = NEW_YORK) -> list[str]:
    """Those of ``metrics`` for which the tables are evidence: all of them but on the stand-in."""
    return [m for m in metrics if not (_is_stand_in(tables) and m in SILENT)]


def _told(evidence: Evidence, metrics: Sequence[str], tables: Tables) -> Evidence:
    """``evidence`` with what no budget paid for and the stand-in's limits; not comparable if it
    is none for any of ``metrics``.
    """
    if math.isnan(evidence.value):
        return evidence
    unpaid = "; ".join(f"{name}: {ORACLES[name]}" for name in tables_of(tables) if name in ORACLES)
    if unpaid:
        detail = (
            f"{evidence.detail}; exact group sizes in the stratified fits; oracle, not charged:"
            f" {unpaid}"
        )
        evidence = replace(evidence, detail=detail)
    if not _is_stand_in(tables):
        return evidence
    triples = list(combinations(_COLUMNS, 3))
    assumed = sum(bool(set(triple) & set(_ASSUMED)) for triple in triples)
    silent = "; ".join(
        {SILENT[m].format(assumed=assumed, all=len(triples)): m for m in metrics if m in SILENT}
    )
    if not heard(metrics, tables):
        return replace(
            evidence,
            comparable=False,
            detail=f"{silent}. Not held against the claim: {evidence.detail}",
        )
    words = "; ".join({SPEAKS[m]: m for m in heard(metrics, tables)})
    left = ", ".join(METRICS[m] for m in metrics if m in SILENT)
    out = f"; left out: {left}, as {silent}" if silent else ""
    return replace(evidence, detail=f"{evidence.detail}; on the stand-in {words}{out}")


def _main(frame: pd.DataFrame, as_spent: bool = False) -> pd.DataFrame:
    """The fits of the three; ``as_spent`` puts the published GEM at what its script spends in
    the place of GEM.
    """
    if as_spent:
        frame = frame[frame["synthesizer"] != "GEM"].replace({"synthesizer": {AS_SPENT: "GEM"}})
    return main_fits(frame)


def _sign(metric: str) -> int:
    return 1 if metric in HIGHER else -1


def _share(
    share: Callable[[pd.DataFrame], pd.Series],
    metrics: Sequence[str],
    tables: Tables,
    as_spent: bool = False,
    protocol: str = "published",
) -> Evidence:
    """The share of the cells of which ``share`` says true, under ``protocol``; under the other
    in words.
    """
    frame = cells(protocol, tables)
    if frame.empty:
        return NOTHING
    holds = share(frame)
    if holds.empty:
        return NOTHING
    [other] = set(PROTOCOLS) - {protocol}
    words = {
        "published": "rows that were seen",
        "held-out, every group": "held-out rows and every group",
    }[other]
    detail = f"{int(holds.sum())} of {len(holds)} on {', '.join(sorted(set(frame['dataset'])))}; "
    detail += f"{words}: {share(cells(other, tables)).mean():.0%}"
    found = Evidence(
        float(holds.mean()),
        runs=finished_runs(_main(frame, as_spent)),
        of=RUNS,
        data=_data(tables),
        detail=detail,
    )
    return _told(found, metrics, tables)


def _curve_rises(frame: pd.DataFrame, metric: str, stratified_only: bool) -> pd.Series:
    """Of each curve against epsilon: better at the end than at the start, with a rank
    correlation of .8 or more.
    """
    frame = _main(frame)
    if stratified_only:
        frame = frame[frame["by"] != "vanilla"]
    curves = averaged(frame, metric).pivot(
        index=["dataset", "synthesizer", "by"], columns="epsilon", values="mean"
    )
    curves = _sign(metric) * curves.dropna()
    order = pd.Series(curves.columns, index=curves.columns)
    spearman = curves.apply(lambda curve: rank_correlation(curve, order), axis=1)
    return (curves.iloc[:, -1] > curves.iloc[:, 0]) & (spearman >= 0.8)  # a constant does not rise


def synth_improves_with_budget(
    metric: str, stratified_only: bool = False, tables: Tables = NEW_YORK
) -> Evidence:
    """Share of the curves (data set, synthesizer, stratification) that get better as epsilon
    grows.
    """
    return _share(lambda frame: _curve_rises(frame, metric, stratified_only), [metric], tables)


def _differences(
    frame: pd.DataFrame,
    metric: str,
    synthesizers: Sequence[str],
    epsilons: Sequence[float],
    as_spent: bool = False,
) -> pd.DataFrame:
    d = against_vanilla(_main(frame, as_spent), metric)
    d = d[d["synthesizer"].isin(synthesizers) & d["epsilon"].between(min(epsilons), max(epsilons))]
    return d.assign(gain=_sign(metric) * d["mean"])


def synth_stratified_better(
    metric: str,
    synthesizers: list[str],
    epsilons: list[float],
    worse: bool = False,
    as_spent: bool = False,
    tables: Tables = NEW_YORK,
) -> Evidence:
    """Share of the cells with ``epsilons[0] <= epsilon <= epsilons[1]`` in which stratifying
    betters (worsens) the mean score.
    """

    def share(frame: pd.DataFrame) -> pd.Series:
        gain = _differences(frame, metric, synthesizers, epsilons, as_spent)["gain"]
        return gain < 0 if worse else gain > 0

    return _share(share, [metric], tables, as_spent)


def synth_surely_worse(
    metric: str, synthesizers: list[str], epsilons: list[float], tables: Tables = NEW_YORK
) -> Evidence:
    """Share of the cells in which stratifying worsens the score beyond chance: paired t tests
    over runs, Holm over the cells.
    """

    def share(frame: pd.DataFrame) -> pd.Series:
        d = _differences(frame, metric, synthesizers, epsilons)
        return (d["gain"] < 0) & (holm(_p_values(d)) < LEVEL)

    return _share(share, [metric], tables)


def _p_values(d: pd.DataFrame) -> np.ndarray:
    """Two-sided p-values of the means in ``d``, from their 95% t intervals over ``runs``; 1
    where there is no interval.
    """
    freedom = np.maximum(d["runs"].to_numpy() - 1, 1)
    error = (d["high"] - d["mean"]).to_numpy() / t.isf(LEVEL / 2, freedom)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * t.sf(np.abs(d["mean"].to_numpy()) / error, freedom)
    return np.where(np.isfinite(p), p, 1.0)  # 0 / 0: no difference in any run


def synth_cost(
    metric: str,
    synthesizers: list[str],
    epsilons: list[float],
    margin: float,
    tables: Tables = NEW_YORK,
) -> Evidence:
    """Share of the cells in which stratifying worsens the mean score by at most ``margin``."""

    def share(frame: pd.DataFrame) -> pd.Series:
        return _differences(frame, metric, synthesizers, epsilons)["gain"] >= -margin

    return _share(share, [metric], tables)


def synth_ratio(
    metric: str, synthesizers: list[str], factor: float, tables: Tables = NEW_YORK
) -> Evidence:
    """Share of the cells, all budgets, in which the plain score is at least ``factor`` times the
    stratified one.
    """

    def share(frame: pd.DataFrame) -> pd.Series:
        d = _differences(frame, metric, synthesizers, (0, math.inf))
        return d["plain"] >= factor * (d["plain"] + d["mean"])

    return _share(share, [metric], tables)


def synth_above(
    metric: str, synthesizers: list[str], than: str, tables: Tables = NEW_YORK
) -> Evidence:
    """Share of (stratification, budget) in which the mean scores of all ``synthesizers`` are
    better than that of ``than``.
    """

    def share(frame: pd.DataFrame) -> pd.Series:
        means = averaged(_main(frame), metric).pivot(
            index=["dataset", "by", "epsilon"], columns="synthesizer", values="mean"
        )
        means = _sign(metric) * means[[*synthesizers, than]].dropna()
        return means[synthesizers].gt(means[than], axis=0).all(axis=1)

    return _share(share, [metric], tables)


def synth_traded_off(metric: str, against: list[str], tables: Tables = NEW_YORK) -> Evidence:
    """Share of (cell, other metric) in which the other is worse on average, over stratified cells
    that better ``metric``.

    A cell is a synthesizer, stratification and budget; the others are those of
    ``against`` for which the tables are evidence.
    """
    others = heard(against, tables)
    keys = ["dataset", "synthesizer", "by", "epsilon"]

    def share(frame: pd.DataFrame) -> pd.Series:
        def gains(of: str) -> pd.Series:
            return _differences(frame, of, MAIN, (0, math.inf)).set_index(keys)["gain"]

        better = gains(metric) > 0
        return pd.concat([gains(other)[better] < 0 for other in others])

    return _share(share, [metric, *against], tables)


def synth_near_real(
    synthesizers: list[str], epsilon: float, margin: float, tables: Tables = NEW_YORK
) -> Evidence:
    """Share of the variants whose classifier is within ``margin`` of the accuracy of one trained on
    the real rows.

    On rows that neither was trained on; the published forest was scored on its own training rows,
    which it knows by heart.
    """

    def share(frame: pd.DataFrame) -> pd.Series:
        real = frame[frame["synthesizer"] == "real"].groupby("dataset")["acc"].mean()
        ours = averaged(_main(frame), "acc")
        ours = ours[ours["synthesizer"].isin(synthesizers) & (ours["epsilon"] == epsilon)]
        return ours["mean"] >= ours["dataset"].map(real) - margin

    return _share(share, ["acc"], tables, protocol="held-out, every group")


def synth_real_accuracy(target: float, tables: Tables = NEW_YORK) -> Evidence:
    """Accuracy of the classifier trained on real rows, on rows that it did not see: of the table
    farthest from ``target``.
    """
    frame = cells("held-out, every group", tables)
    if frame.empty:
        return NOTHING
    mean = frame[frame["synthesizer"] == "real"].groupby("dataset")["acc"].mean()
    words = ", ".join(f"{name} {value:.3f}" for name, value in mean.items())
    found = Evidence(
        float(mean[(mean - target).abs().idxmax()]),
        runs=finished_runs(_main(frame)),
        of=RUNS,
        data=_data(tables),
        detail=words,
    )
    return _told(found, ["level of acc"], tables)


def synth_best(
    synthesizer: str,
    metrics: list[str],
    epsilons: list[float],
    stratified_only: bool = True,
    as_spent: bool = False,
    tables: Tables = NEW_YORK,
) -> Evidence:
    """Share of (data set, stratification, budget, metric) in which ``synthesizer`` has the best
    mean score of the three.

    Metrics for which the tables are no evidence are left out.
    """
    asked = heard(metrics, tables) or metrics

    def share(frame: pd.DataFrame) -> pd.Series:
        frame = _main(frame, as_spent)
        frame = frame[frame["epsilon"].between(min(epsilons), max(epsilons))]
        if stratified_only:
            frame = frame[frame["by"] != "vanilla"]
        wins = []
        for metric in asked:
            means = averaged(frame, metric).pivot(
                index=["dataset", "by", "epsilon"], columns="synthesizer", values="mean"
            )
            means = _sign(metric) * means.dropna()
            others = means.drop(columns=synthesizer, errors="ignore").max(axis=1)
            wins.append(
                means[synthesizer] > others if synthesizer in means else pd.Series(dtype=bool)
            )
        return pd.concat(wins)

    return _share(share, metrics, tables, as_spent)


def synth_groups_improve(synthesizer: str, tables: Tables = NEW_YORK) -> Evidence:
    """Share of the groups (stratified fits) whose own three-way error is smaller at the largest
    budget than at the smallest.
    """
    found, words = [], []
    for frame in tables_of(tables).values():
        mine = frame[
            (frame["synthesizer"] == synthesizer)
            & (frame["by"] != "vanilla")
            & (frame["small"] == "keep")
        ]
        large = [
            n
            for n in group_names(frame)
            if (frame[f"n|{n}"] > PROTOCOLS["published"]["least"] * frame["rows"]).all()
        ]
        ends = mine.groupby(["epsilon", "by"])[[f"seen_error|{n}" for n in large]].mean()
        if len(ends.index.unique("epsilon")) < 2:
            continue
        first, last = (
            ends.loc[epsilon] for epsilon in (mine["epsilon"].min(), mine["epsilon"].max())
        )
        both = first.index.intersection(
            last.index
        )  # a grid that has only begun has not all of them
        falls = last.loc[both] < first.loc[both]
        found.append(falls.to_numpy().ravel())
        words.append(f"{frame['dataset'].iloc[0]}: {falls.to_numpy().sum()} of {falls.size}")
    if not found or not sum(map(len, found)):
        return NOTHING
    evidence = Evidence(
        float(np.concatenate(found).mean()),
        runs=finished_runs(_main(cells(tables=tables))),
        of=RUNS,
        data=_data(tables),
        detail="; ".join(words),
    )
    return _told(evidence, ["error"], tables)


MEASURES: dict[str, Callable[..., Evidence]] = {
    f.__name__: f
    for f in (
        synth_improves_with_budget,
        synth_stratified_better,
        synth_surely_worse,
        synth_cost,
        synth_ratio,
        synth_near_real,
        synth_real_accuracy,
        synth_best,
        synth_groups_improve,
        synth_above,
        synth_traded_off,
    )
}
