"""Measures for the claims of the stratified-DP paper about synthesizers: Figs 4, 5, 7 and 9.

All are taken under the paper's protocol (rows that the synthesizer saw, groups
of more than 0.1% of them, crossing of sex and race); in words, what the same
says of held-out rows and of every group. :mod:`studies.synthesizers.evidence`
has the tables that they are asked of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from lib.ledger.authors import AUTHORS
from lib.ledger.rules import LEVEL, Evidence
from lib.runner import NoResults
from lib.stats.p_values import holm
from lib.stats.summary import RELATIVE, above
from studies.measures import measures_of, share_of_draws
from studies.synthesizers.draws import all_above, differences, drawn, order_correlation
from studies.synthesizers.evidence import (
    NEW_YORK,
    NOTHING,
    Tables,
    cells,
    measured,
    places,
    share_of_settings,
    tables_of,
)
from studies.synthesizers.settings import MAIN
from studies.synthesizers.summary import (
    HIGHER,
    METRICS,
    PROTOCOLS,
    against_vanilla,
    main_fits,
    of_level,
    p_of_means,
)
from studies.synthesizers.tables import BY


@share_of_settings
def synth_improves_with_budget(
    frame: pd.DataFrame, metric: str, stratified_only: bool = False, correlation: float = 0.8
) -> pd.DataFrame:
    """Of each curve against epsilon: better at the end than at the start, with a rank correlation
    of at least ``correlation``.
    """
    fits = main_fits(frame)
    means = drawn(fits[fits["by"] != "vanilla"] if stratified_only else fits, metric)
    curves = means.unstack("epsilon").dropna()
    cube = curves.to_numpy().reshape(len(curves), means.shape[1], -1)
    rise = above(cube[..., -1], cube[..., 0])  # a constant does not rise
    return pd.DataFrame(rise & (order_correlation(cube) >= correlation))


@share_of_settings
def synth_stratified_better(frame: pd.DataFrame, worse: bool = False, **which) -> pd.DataFrame:
    """Whether stratifying betters (worsens) the mean score, of each stratified cell."""
    own, plain = differences(frame, **which)
    return above(plain, own) if worse else above(own, plain)


@share_of_settings
def synth_cost(frame: pd.DataFrame, margin: float, **which) -> pd.DataFrame:
    """Of each cell: stratifying worsens the mean score by at most ``margin``."""
    own, plain = differences(frame, **which)
    return own - plain >= -margin - RELATIVE


@share_of_settings
def synth_ratio(frame: pd.DataFrame, factor: float, **which) -> pd.DataFrame:
    """Whether the plain error is at least ``factor`` times the stratified one, of each cell."""
    own, plain = differences(frame, **which)
    return plain <= factor * own  # both are errors with a minus


@share_of_settings
def synth_above(
    frame: pd.DataFrame, metric: str, synthesizers: list[str], than: str
) -> pd.DataFrame:
    """Of each stratification and budget: the mean scores of all ``synthesizers`` are better than
    that of ``than``.
    """
    return all_above(drawn(main_fits(frame), metric), synthesizers, [than])


@share_of_settings
def synth_traded_off(frame: pd.DataFrame, metric: str, against: Sequence[str]) -> pd.DataFrame:
    """Of each stratified cell that betters ``metric`` and each other metric: the other is worse on
    average.
    """
    better = above(*differences(frame, metric))
    found = {}
    for other in against:
        own, plain = differences(frame, other)
        found[other] = pd.DataFrame(above(plain, own)).astype(float).where(better)
    return pd.concat(found).dropna(how="all")


@share_of_settings
def synth_helps(
    frame: pd.DataFrame, metric: str, against: Sequence[str], margin: float, **which
) -> pd.DataFrame:
    """Of each stratified cell: ``metric`` is better, and no mean score of ``against`` is worse by
    more than ``margin``.
    """
    true = above(*differences(frame, metric, **which))
    for other in against:
        own, plain = differences(frame, other, **which)
        true = true & (own - plain >= -margin - RELATIVE).to_numpy()
    return pd.DataFrame(true)


@share_of_settings
def synth_best(
    frame: pd.DataFrame,
    synthesizer: str,
    metrics: Sequence[str],
    epsilons: list[float],
    stratified_only: bool = True,
    among: Sequence[str] = MAIN,
) -> pd.DataFrame:
    """Of each data set, stratification, budget and metric: ``synthesizer`` has the best mean score
    of those ``among`` which it is.
    """
    fits = main_fits(frame[frame["epsilon"].between(min(epsilons), max(epsilons))])
    if stratified_only:
        fits = fits[fits["by"] != "vanilla"]
    others = [name for name in among if name != synthesizer]
    return pd.concat({m: all_above(drawn(fits, m), [synthesizer], others) for m in metrics})


@partial(share_of_settings, protocol="held-out, every group")
def synth_near_real(
    frame: pd.DataFrame, synthesizers: list[str], epsilon: float, margin: float
) -> pd.DataFrame:
    """Of each variant: its classifier is within ``margin`` of the accuracy of one trained on the
    real rows.

    On rows that neither was trained on; the published forest was scored on its own training rows,
    which it knows by heart.
    """
    ours = main_fits(frame)
    own = drawn(ours[ours["synthesizer"].isin(synthesizers) & (ours["epsilon"] == epsilon)], "acc")
    real = drawn(frame[frame["synthesizer"] == "real"], "acc", ["dataset"])
    return own >= real.reindex(own.index.get_level_values("dataset")).set_axis(own.index) - margin


def synth_surely_worse(
    metric: str,
    synthesizers: Sequence[str],
    epsilons: Sequence[float],
    tables: Tables = NEW_YORK,
    by: Sequence[str] = BY,
) -> Evidence:
    """Whether stratifying worsens the score beyond chance in a cell: paired t tests over runs, Holm
    over the cells.
    """
    if tables == AUTHORS:
        raise NoResults(METRICS[metric])
    found = []
    for protocol in PROTOCOLS:
        if (frame := cells(protocol, tables)).empty:
            return NOTHING
        d = against_vanilla(main_fits(frame[frame["by"].isin(["vanilla", *by])]), metric)
        low, high = min(epsilons), max(epsilons)
        d = d[d["synthesizer"].isin(synthesizers) & d["epsilon"].between(low, high)]
        worse = (d["mean"] < 0) if metric in HIGHER else (d["mean"] > 0)
        found.append(worse & (holm(p_of_means(d)) < LEVEL))
    true, held_out = found
    words = (
        f"beyond chance in {true.sum()} of {true.size} on {places(tables)}; held-out rows and every"
        f" group: {held_out.sum()}"
    )
    return measured({"value": float(true.any())}, words, [metric], tables, frame)


def synth_real_accuracy(target: float, tables: Tables = NEW_YORK) -> Evidence:
    """Accuracy of the classifier trained on real rows, on rows that it did not see: of the table
    farthest from ``target``.

    The 20,000 New Yorkers are adults. The paper's table has children, too, none of whom is
    employed, so its accuracy is another one.
    """
    frame = cells("held-out, every group", tables)
    if frame.empty:
        return NOTHING
    mean = frame[frame["synthesizer"] == "real"].groupby("dataset")["acc"].mean()
    words = ", ".join(f"{name} {value:.3f}" for name, value in mean.items())
    farthest = {"value": float(mean[(mean - target).abs().idxmax()])}
    adults = NEW_YORK in mean.index
    words += "; adults alone, where the paper's table has children, too" if adults else ""
    return replace(measured(farthest, words, ["acc"], tables, frame), comparable=not adults)


def synth_groups_improve(synthesizer: str, tables: Tables = NEW_YORK) -> Evidence:
    """Share of the groups (stratified fits) whose own three-way error is smaller at the largest
    budget than at the smallest.
    """
    falls = {}
    for name, scores in tables_of(tables).items():
        large = of_level(scores, **PROTOCOLS["published"])
        often = large["group"].value_counts() == scores["cell"].nunique()
        mine = main_fits(large[large["group"].map(often)]).query("by != 'vanilla'")
        mine = mine[mine["synthesizer"] == synthesizer]
        if mine["epsilon"].nunique() > 1:
            means = drawn(mine, "error", ["by", "group", "epsilon"])
            ends = mine["epsilon"].min(), mine["epsilon"].max()
            first, last = (means.xs(end, level="epsilon") for end in ends)
            both = last.index.intersection(first.index)  # a grid that has only begun lacks some
            falls[name] = above(last.loc[both], first.loc[both])
    if not sum(map(len, falls.values())):
        return NOTHING
    words = "; ".join(f"{name}: {true[0].sum()} of {len(true)}" for name, true in falls.items())
    share = share_of_draws(pd.concat(falls.values()).to_numpy())
    return measured(share, words, ["error"], tables, cells(tables=tables))


MEASURES = measures_of(__name__, "synth_newyork2018")
