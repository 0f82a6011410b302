"""Tables of the chapter across the papers: means over runs with t intervals, paired differences,
what is guaranteed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import pandas as pd

from lib.coherence.solver import Setting, solve
from lib.groups import EVERYONE
from lib.stats.summary import summarise
from lib.studies.cross_paper.groups import WITH
from lib.studies.cross_paper.statistics import (
    RELEASE,
    SMALL_NAME,
    crossings,
    gaps_of,
    small_crossings,
)

_BY = {"vanilla": "", "SEX": " by sex", "RAC1P": " by race", "SEX_RAC1P": " by sex & race"}
_PLAIN = {"clear": "in the clear", "fresh": "a fresh half", "nobody": "nobody"}
_WEIGHTS = {"public": "", "noisy": ", noisy sizes"}


def label(kind: str, by: str = "vanilla", weights: str = "public") -> str:
    """A release in words: ``"MST by sex & race, noisy sizes"``."""
    return _PLAIN.get(kind, kind) + _BY[by] + _WEIGHTS[weights]


def labelled(rows: pd.DataFrame) -> pd.DataFrame:
    """With a column ``release``: its :func:`label`."""
    kinds = rows["kind"].replace(_PLAIN)
    return rows.assign(release=kinds + rows["by"].map(_BY) + rows["weights"].map(_WEIGHTS))


def of_note(rows: pd.DataFrame) -> dict[str, list[str]]:
    """The three panels: everyone, those with the difficulty, the small crossings of sex and
    race.
    """
    return {EVERYONE: [EVERYONE], WITH: [WITH], SMALL_NAME: small_crossings(rows)}


def intervals(
    rows: pd.DataFrame,
    by: Sequence[str],
    value: str = "excess",
    panels: Mapping[str, list[str]] | None = None,
) -> pd.DataFrame:
    """``*by, panel, mean, low, high, runs``: averaged over a panel's groups inside a run, then t
    over runs.

    ``panels`` maps a name to groups; each group by itself, if not given.
    """
    panels = {g: [g] for g in rows["group"].unique()} if panels is None else panels
    found = []
    for panel, groups in panels.items():
        per_run = rows[rows["group"].isin(groups)].groupby([*by, "run"])[value].mean().reset_index()
        found.append(summarise(per_run, by, value).assign(panel=panel))
    return pd.concat(found, ignore_index=True)


def strata_differences(
    rows: pd.DataFrame, kind: str = "MST", epsilons: Sequence[float] = (1.0, 5.0)
) -> pd.DataFrame:
    """Stratified less unstratified, paired by run: of the error, and of the excess of each reader.

    Columns ``release, panel, what, mean, low, high, runs``; averaged over ``epsilons``.
    """
    part = labelled(rows[(rows["kind"] == kind) & rows["epsilon"].isin(list(epsilons))])
    error = part[part["reader"] == "forest"].assign(what="error", excess=lambda p: p["error_in"])
    both, found = pd.concat([error, part.assign(what=part["reader"])]), []
    for panel, groups in of_note(rows).items():
        own = both[both["group"].isin(groups)]
        table = own.pivot_table(index=["what", "run"], columns="release", values="excess")
        apart = table.sub(table[label(kind)], axis=0).drop(columns=label(kind)).stack()
        each = summarise(apart.rename("apart").reset_index(), ["what", "release"], "apart")
        found.append(each.assign(panel=panel))
    return pd.concat(found, ignore_index=True)


def guaranteed(
    rows: pd.DataFrame,
    epsilons: Sequence[float],
    *,
    beta: float = 0.05,
    modes: Sequence[str] = ("theorem7", "tightened", "within"),
) -> pd.DataFrame:
    """The alpha that a pure epsilon-DP release of the half guarantees for each panel's smallest
    group: columns ``panel, members, epsilon`` and one for each of ``modes``; NaN: nothing.
    """
    sizes = rows.groupby("group")["people"].max()
    own = {"beta": beta, "collection": len(sizes), "n": int(sizes.max())}
    found = []
    for (panel, groups), epsilon in product(of_note(rows).items(), epsilons):
        members = int(sizes[groups].min())
        setting = own | {"gamma": members, "epsilon": epsilon}
        alphas = {mode: _alpha(setting | {"mode": mode}) for mode in modes}
        found.append({"panel": panel, "members": members, "epsilon": epsilon} | alphas)
    return pd.DataFrame(found).astype(dict.fromkeys(modes, float))


def _alpha(setting: dict) -> float | None:
    try:
        return solve(Setting(**setting)).value
    except ValueError:  # an epsilon that the theorem does not cover
        return None


def errors_and_excess(
    rows: pd.DataFrame, reader: str = "tracer", members: int = 100
) -> pd.DataFrame:
    """Mean error and mean excess over runs of each of MST's releases, budgets and crossings of
    ``members`` or more.
    """
    part = rows[(rows["kind"] == "MST") & (rows["reader"] == reader)]
    part = part[(part["people"] >= members) & part["group"].isin(crossings(rows))]
    keys = ["release", "epsilon", "group"]
    return labelled(part).groupby(keys)[["error_in", "excess"]].mean().reset_index()


def fairness_and_excess(rows: pd.DataFrame) -> pd.DataFrame:
    """Of each release, mean sizes of SPD, EOD and OAD between the sexes and the forest's excess.

    The excess is that on those with the difficulty.
    """
    own = rows[(rows["reader"] == "forest") & (rows["group"] == WITH)].set_index(RELEASE)[
        ["excess"]
    ]
    both = labelled(own.join(gaps_of(rows), how="inner").reset_index())
    return (
        both.groupby(["kind", "release", "epsilon"])[["excess", "SPD", "EOD", "OAD"]]
        .mean()
        .reset_index()
    )
