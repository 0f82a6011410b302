"""Measures for the claims of the stratified-DP paper about synthesizers: Figs 4, 5, 7 and 9.

All are taken under the paper's protocol (rows that the synthesizer saw, groups
of more than 0.1% of them, crossing of sex and race) over every data set whose
grid has stored results; in words, what the same says of held-out rows and of
every group.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import pandas as pd
from scipy.stats import t

from lib.claims.rules import LEVEL, Evidence
from lib.experiments.holm import holm
from lib.experiments.summary import rank_correlation
from lib.experiments.synth import AS_SPENT
from lib.experiments.synth_summary import (
    against_vanilla,
    averaged,
    finished_runs,
    group_names,
    main_fits,
    scored,
    stored_tables,
)
from lib.experiments.synth_tables import origin

__all__ = ["MEASURES", "cells"]

NOTHING = Evidence(math.nan, detail="no stored results")
PROTOCOLS = {"published": {"seen": True, "least": 0.001}, "held-out, every group": {"seen": False, "least": 0.0}}
HIGHER = ("acc", "parity_ratio")  # better if larger
RUNS = 5  # of the paper, at each setting


@cache
def _stored() -> tuple[pd.DataFrame, ...]:
    return tuple(stored_tables().values())


@cache
def cells(protocol: str = "published") -> pd.DataFrame:
    """Scores of every stored cell under one of :data:`PROTOCOLS`; empty if there are none."""
    frames = [scored(frame, **PROTOCOLS[protocol]) for frame in _stored()]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def _data() -> str:
    kinds = [origin(frame["data_source"]) for frame in _stored()]
    return "replica" if "replica" in kinds else " and ".join(sorted(set(kinds)))


def _main(frame: pd.DataFrame, as_spent: bool = False) -> pd.DataFrame:
    """The fits of the three; ``as_spent`` puts the published GEM at what its script spends in the place of GEM."""
    if as_spent:
        frame = frame[frame["synthesizer"] != "GEM"].replace({"synthesizer": {AS_SPENT: "GEM"}})
    return main_fits(frame)


def _sign(metric: str) -> int:
    return 1 if metric in HIGHER else -1


def _share(share: Callable[[pd.DataFrame], pd.Series], as_spent: bool = False) -> Evidence:
    """The share of the cells of which ``share`` says true, under the paper's protocol; under the other in words."""
    frame = cells()
    if frame.empty:
        return NOTHING
    holds = share(frame)
    if holds.empty:
        return NOTHING
    other = share(cells("held-out, every group"))
    detail = f"{int(holds.sum())} of {len(holds)} on {', '.join(sorted(set(frame['dataset'])))}; "
    return Evidence(
        float(holds.mean()), runs=finished_runs(_main(frame, as_spent)), of=RUNS, data=_data(),
        detail=f"{detail}held-out rows and every group: {other.mean():.0%}",
    )  # fmt: skip


def _curve_rises(frame: pd.DataFrame, metric: str, stratified_only: bool) -> pd.Series:
    """Of each curve against epsilon: better at the end than at the start, with a rank correlation of .8 or more."""
    frame = _main(frame)
    if stratified_only:
        frame = frame[frame["by"] != "vanilla"]
    curves = averaged(frame, metric).pivot(index=["dataset", "synthesizer", "by"], columns="epsilon", values="mean")
    curves = _sign(metric) * curves.dropna()
    order = pd.Series(curves.columns, index=curves.columns)
    spearman = curves.apply(lambda curve: rank_correlation(curve, order), axis=1)
    return (curves.iloc[:, -1] > curves.iloc[:, 0]) & (spearman >= 0.8)  # a constant does not rise


def synth_improves_with_budget(metric: str, stratified_only: bool = False) -> Evidence:
    """Share of the curves (data set, synthesizer, stratification) that get better as epsilon grows."""
    return _share(lambda frame: _curve_rises(frame, metric, stratified_only))


def _differences(frame: pd.DataFrame, metric: str, synthesizers: Sequence[str], epsilons: Sequence[float],
                 as_spent: bool = False) -> pd.DataFrame:  # fmt: skip
    d = against_vanilla(_main(frame, as_spent), metric)
    d = d[d["synthesizer"].isin(synthesizers) & d["epsilon"].between(min(epsilons), max(epsilons))]
    return d.assign(gain=_sign(metric) * d["mean"])


def synth_stratified_better(metric: str, synthesizers: list[str], epsilons: list[float], worse: bool = False,
                            as_spent: bool = False) -> Evidence:  # fmt: skip
    """Share of the cells with ``epsilons[0] <= epsilon <= epsilons[1]`` in which stratifying betters (worsens) the mean score."""

    def share(frame: pd.DataFrame) -> pd.Series:
        gain = _differences(frame, metric, synthesizers, epsilons, as_spent)["gain"]
        return gain < 0 if worse else gain > 0

    return _share(share, as_spent)


def synth_surely_worse(metric: str, synthesizers: list[str], epsilons: list[float]) -> Evidence:
    """Share of the cells in which stratifying worsens the score beyond chance: paired t tests over runs, Holm over the cells."""

    def share(frame: pd.DataFrame) -> pd.Series:
        d = _differences(frame, metric, synthesizers, epsilons)
        return (d["gain"] < 0) & (holm(_p_values(d)) < LEVEL)

    return _share(share)


def _p_values(d: pd.DataFrame) -> np.ndarray:
    """Two-sided p-values of the means in ``d``, from their 95% t intervals over ``runs``; 1 where there is no interval."""
    freedom = np.maximum(d["runs"].to_numpy() - 1, 1)
    error = (d["high"] - d["mean"]).to_numpy() / t.isf(LEVEL / 2, freedom)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * t.sf(np.abs(d["mean"].to_numpy()) / error, freedom)
    return np.where(np.isfinite(p), p, 1.0)  # 0 / 0: no difference in any run


def synth_cost(metric: str, synthesizers: list[str], epsilons: list[float], margin: float) -> Evidence:
    """Share of the cells in which stratifying worsens the mean score by at most ``margin``."""
    return _share(lambda frame: _differences(frame, metric, synthesizers, epsilons)["gain"] >= -margin)


def synth_ratio(metric: str, synthesizers: list[str], factor: float) -> Evidence:
    """Share of the cells, all budgets, in which the plain score is at least ``factor`` times the stratified one."""

    def share(frame: pd.DataFrame) -> pd.Series:
        d = _differences(frame, metric, synthesizers, (0, math.inf))
        return d["plain"] >= factor * (d["plain"] + d["mean"])

    return _share(share)


def synth_near_real(synthesizers: list[str], epsilon: float, margin: float) -> Evidence:
    """Share of the variants whose classifier is within ``margin`` of the accuracy of one trained on the real rows."""

    def share(frame: pd.DataFrame) -> pd.Series:
        real = frame[frame["synthesizer"] == "real"].groupby("dataset")["acc"].mean()
        ours = averaged(_main(frame), "acc")
        ours = ours[ours["synthesizer"].isin(synthesizers) & (ours["epsilon"] == epsilon)]
        return ours["mean"] >= ours["dataset"].map(real) - margin

    return _share(share)


def synth_real_accuracy(target: float) -> Evidence:
    """Accuracy of the classifier trained on real rows, on rows that it did not see: of the table farthest from ``target``."""
    frame = cells("held-out, every group")
    if frame.empty:
        return NOTHING
    mean = frame[frame["synthesizer"] == "real"].groupby("dataset")["acc"].mean()
    words = ", ".join(f"{name} {value:.3f}" for name, value in mean.items())
    return Evidence(
        float(mean[(mean - target).abs().idxmax()]),
        runs=finished_runs(_main(frame)),
        of=RUNS,
        data=_data(),
        detail=words,
    )


def synth_best(synthesizer: str, metrics: list[str], epsilons: list[float], stratified_only: bool = True,
               as_spent: bool = False) -> Evidence:  # fmt: skip
    """Share of (data set, stratification, budget, metric) in which ``synthesizer`` has the best mean score of the three."""

    def share(frame: pd.DataFrame) -> pd.Series:
        frame = _main(frame, as_spent)
        frame = frame[frame["epsilon"].between(min(epsilons), max(epsilons))]
        if stratified_only:
            frame = frame[frame["by"] != "vanilla"]
        wins = []
        for metric in metrics:
            means = averaged(frame, metric).pivot(
                index=["dataset", "by", "epsilon"], columns="synthesizer", values="mean"
            )
            means = _sign(metric) * means.dropna()
            others = means.drop(columns=synthesizer, errors="ignore").max(axis=1)
            wins.append(means[synthesizer] > others if synthesizer in means else pd.Series(dtype=bool))
        return pd.concat(wins)

    return _share(share, as_spent)


def synth_groups_improve(synthesizer: str) -> Evidence:
    """Share of the groups (stratified fits) whose own three-way error is smaller at the largest budget than at the smallest."""
    found, words = [], []
    for frame in _stored():
        mine = frame[(frame["synthesizer"] == synthesizer) & (frame["by"] != "vanilla") & (frame["small"] == "keep")]
        large = [
            n for n in group_names(frame) if (frame[f"n|{n}"] > PROTOCOLS["published"]["least"] * frame["rows"]).all()
        ]
        ends = mine.groupby(["epsilon", "by"])[[f"seen_error|{n}" for n in large]].mean()
        if len(ends.index.unique("epsilon")) < 2:
            continue
        first, last = (ends.loc[epsilon] for epsilon in (mine["epsilon"].min(), mine["epsilon"].max()))
        both = first.index.intersection(last.index)  # a grid that has only begun has not all of them
        falls = last.loc[both] < first.loc[both]
        found.append(falls.to_numpy().ravel())
        words.append(f"{frame['dataset'].iloc[0]}: {falls.to_numpy().sum()} of {falls.size}")
    if not found or not sum(map(len, found)):
        return NOTHING
    return Evidence(
        float(np.concatenate(found).mean()),
        runs=finished_runs(_main(cells())),
        of=RUNS,
        data=_data(),
        detail="; ".join(words),
    )


MEASURES: dict[str, Callable[..., Evidence]] = {
    f.__name__: f
    for f in (
        synth_improves_with_budget, synth_stratified_better, synth_surely_worse, synth_cost, synth_ratio, synth_near_real,
        synth_real_accuracy, synth_best, synth_groups_improve,
    )
}  # fmt: skip
