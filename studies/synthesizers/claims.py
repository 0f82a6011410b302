"""Measures for the claims of the stratified-DP paper about synthesizers: Figs 4, 5, 7 and 9.

All are taken under the paper's protocol (rows that the synthesizer saw, groups
of more than 0.1% of them, crossing of sex and race); in words, what the same
says of held-out rows and of every group. The paper's claims are about New York,
so they are judged there: on the paper's own table where its grid was run, else
on the stand-in from published aggregates. The stand-in can be asked about
groups' sizes and means and about who worked; what follows from its assumed laws
is no evidence (:data:`SILENT`). Other tables are the companion's own rows. The
scores that the paper's authors stored are asked as the table ``"authors"``; they
are of the published protocol alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, partial, wraps
from typing import Any

import numpy as np
import pandas as pd

from lib.ledger.authors import AUTHORS
from lib.ledger.measures import fact, measures_of
from lib.ledger.rules import LEVEL, Evidence
from lib.runner import NoResults
from lib.stats.holm import holm
from lib.stats.ties import RELATIVE, above
from studies.synthesizers import authors
from studies.synthesizers.draws import differences, drawn, held, named, order_correlation
from studies.synthesizers.settings import AS_SPENT, MAIN
from studies.synthesizers.summary import (
    ABOUT,
    HIGHER,
    METRICS,
    PROTOCOLS,
    against_vanilla,
    finished_runs,
    main_fits,
    of_level,
    p_of_means,
    scored,
    stored_tables,
)
from studies.synthesizers.tables import BY, ORACLES, origin

NOTHING = fact(math.nan, "no stored results")
Tables = str | Sequence[str]
NEW_YORK = "newyork"  # the tables of the paper's claims: its own, or the stand-in
_PAPERS_TABLE, _STAND_IN = "ny_employment", "newyork"
PLACES = {
    "nist": "the national sample",
    "acs_coverage": "Texas",
    _STAND_IN: "the stand-in for New York",
    _PAPERS_TABLE: "New York",
    AUTHORS: "New York as the authors stored it",
}
# metric -> what the stand-in holds of New York that the metric asks about
SPEAKS = {name: about["speaks"] for name, about in ABOUT.items() if "speaks" in about}
# metric -> why the stand-in is no evidence for it
SILENT = {name: about["silent"] for name, about in ABOUT.items() if "silent" in about}
RUNS = 5  # of the paper, at each setting


@cache
def _stored() -> dict[str, pd.DataFrame]:
    return stored_tables()


def tables_of(tables: Tables = NEW_YORK) -> dict[str, pd.DataFrame]:
    """Stored scores of the tables named; of ``"newyork"`` the paper's own where it was run,
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
    if tables == AUTHORS:
        return authors.cells() if protocol == "published" else pd.DataFrame()
    frames = [_scored(protocol, name) for name in tables_of(tables)]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


@cache
def _scored(protocol: str, table: str) -> pd.DataFrame:
    return scored(_stored()[table], **PROTOCOLS[protocol])


def _data(tables: Tables) -> str:
    kinds = [origin(frame["data_source"].unique()) for frame in tables_of(tables).values()]
    return "replica" if "replica" in kinds else " and ".join(sorted(set(kinds)))


def _is_stand_in(tables: Tables) -> bool:
    frame = tables_of(tables).get(_STAND_IN)
    return frame is not None and origin(frame["data_source"].unique()) != "real data"


def heard(metrics: Sequence[str], tables: Tables = NEW_YORK) -> list[str]:
    """Those of ``metrics`` for which the tables are evidence: all of them but on the stand-in, and
    those that the authors stored.
    """
    if tables == AUTHORS:
        return [metric for metric in metrics if metric in authors.SCORES]
    silent = SILENT if _is_stand_in(tables) else ()
    return [metric for metric in metrics if metric not in silent]


def _measured(
    share: dict[str, Any], detail: str, metrics: Sequence[str], tables: Tables, runs: int
) -> Evidence:
    """With what no budget paid for and the stand-in's limits; not comparable if the tables are no
    evidence for any of ``metrics``. ``share`` has the value, and what else is known of it.
    """
    said, spoken = [detail], heard(metrics, tables)
    more = share | {"runs": runs, "of": RUNS}
    if tables == AUTHORS:
        if left := [METRICS[metric] for metric in metrics if metric not in spoken]:
            said.append(f"left out, as it is not stored: {', '.join(left)}")
        return Evidence(detail="; ".join(said), **more)
    if unpaid := [f"{name}: {ORACLES[name]}" for name in tables_of(tables) if name in ORACLES]:
        unpaid[0] = f"oracle, not charged: {unpaid[0]}"
        said += ["exact group sizes in the stratified fits", *unpaid]
    left = [m for m in metrics if m not in spoken]
    silent = "; ".join(dict.fromkeys(SILENT[m] for m in left))
    if not spoken:
        said[0] = f"{silent}. Not held against the claim: {detail}"
    elif _is_stand_in(tables):
        said.append("on the stand-in " + "; ".join(dict.fromkeys(SPEAKS[m] for m in spoken)))
        if left:
            said.append(f"left out: {', '.join(METRICS[m] for m in left)}, as {silent}")
    more |= {"comparable": bool(spoken), "data": _data(tables)}
    return Evidence(detail="; ".join(said), **more)


def _share(
    cases: Callable[..., pd.DataFrame], protocol: str = "published"
) -> Callable[..., Evidence]:
    """A measure: the share of the ``cases`` that are true under ``protocol``; under the other in
    words.

    ``cases`` gives one row a case, and one column for the stored runs and for each draw of runs
    (:mod:`studies.synthesizers.draws`); the interval is over the draws. The measure takes the
    arguments of ``cases`` by name, and besides: ``tables``; ``by``, the stratifications that count
    beside the plain fits; and ``as_spent`` for GEM at what the published script spends. Of
    ``metrics`` and ``against``, those for which the tables are no evidence are left out.
    """
    [other] = set(PROTOCOLS) - {protocol}
    words = {
        "published": "rows that were seen",
        "held-out, every group": "held-out rows and every group",
    }[other]

    @wraps(cases)
    def measure(
        *,
        tables: Tables = NEW_YORK,
        as_spent: bool = False,
        by: Sequence[str] = BY,
        **arguments,
    ) -> Evidence:
        asked = [arguments["metric"]] if "metric" in arguments else []
        for name in {"metrics", "against"} & set(arguments):
            asked += arguments[name]
            arguments[name] = heard(arguments[name], tables) or arguments[name]
        if tables == AUTHORS and asked and not heard(asked, tables):
            raise NoResults(", ".join(METRICS[metric] for metric in asked))

        def frame_of(protocol: str) -> pd.DataFrame:
            frame = cells(protocol, tables)
            if frame.empty:
                return frame
            if as_spent and tables != AUTHORS:  # the published GEM in the place of GEM
                frame = frame[frame["synthesizer"] != "GEM"]
                frame = frame.replace({"synthesizer": {AS_SPENT: "GEM"}})
            return frame[frame["by"].isin(["vanilla", *by])]

        frame = frame_of(protocol)
        if frame.empty or (true := cases(frame, **arguments)).empty:
            return NOTHING
        names = [AUTHORS] if tables == AUTHORS else sorted(tables_of(tables))
        places = ", ".join(PLACES[name] for name in names)
        detail = f"{int(true[0].sum())} of {int(true[0].notna().sum())} on {places}"
        if len(frame_of(other)):
            detail += f"; {words}: {cases(frame_of(other), **arguments)[0].mean():.0%}"
        runs = finished_runs(main_fits(frame))
        return _measured(held(true), detail, asked or ["acc"], tables, runs)

    measure.__annotations__ = cases.__annotations__ | {"return": "Evidence"}
    return measure


@_share
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


@_share
def synth_stratified_better(frame: pd.DataFrame, worse: bool = False, **which) -> pd.DataFrame:
    """Whether stratifying betters (worsens) the mean score, of each stratified cell."""
    own, plain = differences(frame, **which)
    return above(plain, own) if worse else above(own, plain)


@_share
def synth_cost(frame: pd.DataFrame, margin: float, **which) -> pd.DataFrame:
    """Of each cell: stratifying worsens the mean score by at most ``margin``."""
    own, plain = differences(frame, **which)
    return own - plain >= -margin - RELATIVE


@_share
def synth_ratio(frame: pd.DataFrame, factor: float, **which) -> pd.DataFrame:
    """Whether the plain error is at least ``factor`` times the stratified one, of each cell."""
    own, plain = differences(frame, **which)
    return plain <= factor * own  # both are errors with a minus


@_share
def synth_above(
    frame: pd.DataFrame, metric: str, synthesizers: list[str], than: str
) -> pd.DataFrame:
    """Of each stratification and budget: the mean scores of all ``synthesizers`` are better than
    that of ``than``.
    """
    means = drawn(main_fits(frame), metric)
    each = [named(means, name) for name in (*synthesizers, than)]
    both = pd.concat(each, axis=1, keys=range(len(each)), join="inner").dropna()
    than_it = both[len(synthesizers)]
    better = [above(both[place], than_it) for place in range(len(synthesizers))]
    return pd.DataFrame(np.logical_and.reduce(better), index=both.index)


@_share
def synth_traded_off(frame: pd.DataFrame, metric: str, against: Sequence[str]) -> pd.DataFrame:
    """Of each stratified cell that betters ``metric`` and each other metric: the other is worse on
    average.
    """
    own, plain = differences(frame, metric)
    others = []
    for other in against:
        mean, of_plain = differences(frame, other)
        worse = np.where(above(own, plain), above(of_plain, mean), np.nan)
        others.append(pd.DataFrame(worse, own.index, own.columns))
    return pd.concat(others, keys=against).dropna(how="all")


@_share
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
    frame = frame[frame["epsilon"].between(min(epsilons), max(epsilons))]
    if stratified_only:
        frame = frame[frame["by"] != "vanilla"]
    found = []
    for metric in metrics if synthesizer in set(frame["synthesizer"]) else ():
        means = drawn(main_fits(frame), metric)
        own = named(means, synthesizer)
        others = [named(means, name).reindex(own.index) for name in among if name != synthesizer]
        whole = ~np.logical_or.reduce([other.isna() for other in others]).any(axis=1)
        best = np.logical_and.reduce([above(own, other) for other in others])
        found.append(pd.DataFrame(best, index=own.index)[whole])
    return pd.concat(found, keys=metrics) if found else pd.DataFrame()


@partial(_share, protocol="held-out, every group")
def synth_near_real(
    frame: pd.DataFrame, synthesizers: list[str], epsilon: float, margin: float
) -> pd.DataFrame:
    """Of each variant: its classifier is within ``margin`` of the accuracy of one trained on the
    real rows.

    On rows that neither was trained on; the published forest was scored on its own training rows,
    which it knows by heart.
    """
    ours = main_fits(frame)
    ours = ours[ours["synthesizer"].isin(synthesizers) & (ours["epsilon"] == epsilon)]
    real = drawn(frame[frame["synthesizer"] == "real"], "acc", ["dataset"])
    own = drawn(ours, "acc")
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
    found = {}
    for protocol in PROTOCOLS:
        if (frame := cells(protocol, tables)).empty:
            return NOTHING
        d = against_vanilla(main_fits(frame[frame["by"].isin(["vanilla", *by])]), metric)
        d = d[d["synthesizer"].isin(synthesizers)]
        d = d[d["epsilon"].between(min(epsilons), max(epsilons))]
        worse = (d["mean"] < 0) if metric in HIGHER else (d["mean"] > 0)
        found[protocol] = worse & (holm(p_of_means(d)) < LEVEL)
    true = found["published"]
    places = ", ".join(PLACES[name] for name in sorted(tables_of(tables)))
    words = (
        f"beyond chance in {true.sum()} of {true.size} on {places}; held-out rows and every"
        f" group: {found['held-out, every group'].sum()}"
    )
    runs = finished_runs(main_fits(frame))
    return _measured({"value": float(true.any())}, words, [metric], tables, runs)


def _real_accuracy(frame: pd.DataFrame) -> pd.Series:
    return frame[frame["synthesizer"] == "real"].groupby("dataset")["acc"].mean()


def synth_real_accuracy(target: float, tables: Tables = NEW_YORK) -> Evidence:
    """Accuracy of the classifier trained on real rows, on rows that it did not see: of the table
    farthest from ``target``.
    """
    frame = cells("held-out, every group", tables)
    if frame.empty:
        return NOTHING
    mean = _real_accuracy(frame)
    words = ", ".join(f"{name} {value:.3f}" for name, value in mean.items())
    value = mean[(mean - target).abs().idxmax()]
    return _measured(
        {"value": float(value)}, words, ["level of acc"], tables, finished_runs(main_fits(frame))
    )


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
        means = drawn(mine, "error", ["by", "group", "epsilon"]) if len(mine) else pd.DataFrame()
        budgets = sorted(mine["epsilon"].unique())
        if len(budgets) > 1:
            first, last = (named(means, end, "epsilon") for end in (budgets[0], budgets[-1]))
            both = last.index.intersection(first.index)  # a grid that has only begun lacks some
            falls[name] = above(last.loc[both], first.loc[both])
    if not sum(map(len, falls.values())):
        return NOTHING
    words = "; ".join(f"{name}: {true[0].sum()} of {len(true)}" for name, true in falls.items())
    runs = finished_runs(main_fits(cells(tables=tables)))
    return _measured(held(pd.concat(falls.values())), words, ["error"], tables, runs)


MEASURES = measures_of(__name__)
