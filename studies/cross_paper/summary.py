"""Tables of the chapter across the papers: means over runs with t intervals, paired differences,
what is guaranteed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import product
from typing import Any

import pandas as pd

from lib.coherence.solver import Setting, solve
from lib.groups import EVERYONE
from lib.stats.summary import summarise
from studies.cross_paper.groups import WITH
from studies.cross_paper.statistics import (
    RELEASE,
    SMALL,
    SMALL_NAME,
    crossings,
    gaps_of,
    small_crossings,
)

_BY = {"vanilla": "", "SEX": " by sex", "RAC1P": " by race", "SEX_RAC1P": " by sex & race"}
_PLAIN = {"clear": "in the clear", "fresh": "a fresh half", "nobody": "nobody"}
_WEIGHTS = {"public": "", "noisy": ", noisy sizes"}
_BOUNDS = ("theorem7", "tightened", "within")


def label(kind: str, by: str = "vanilla", weights: str = "public") -> str:
    """A release in words: ``"MST by sex & race, noisy sizes"``."""
    return _PLAIN.get(kind, kind) + _BY[by] + _WEIGHTS[weights]


def labelled(rows: pd.DataFrame) -> pd.DataFrame:
    """With a column ``release``: its :func:`label`."""
    return rows.assign(release=list(map(label, rows["kind"], rows["by"], rows["weights"])))


def of_note(rows: pd.DataFrame) -> dict[str, list[str]]:
    """The three panels: everyone, those with the difficulty, the small crossings of sex and
    race.
    """
    return {EVERYONE: [EVERYONE], WITH: [WITH], SMALL_NAME: small_crossings(rows)}


def intervals(
    rows: pd.DataFrame, by: Sequence[str], panels: Mapping[str, Sequence[str]] | None = None
) -> pd.DataFrame:
    """``*by, panel, mean, low, high, runs``: averaged over a panel's groups inside a run, then t
    over runs.

    ``panels`` maps a name to groups; each group by itself, if not given.
    """
    panels = {g: [g] for g in rows["group"].unique()} if panels is None else panels
    found = {}
    for panel, groups in panels.items():
        per_run = rows[rows["group"].isin(groups)].groupby([*by, "run"])["excess"].mean()
        found[panel] = summarise(per_run.reset_index(), by, "excess")
    return _of_panels(found)


def _of_panels(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The tables one below the other, with a last column ``panel``: their names."""
    named = [table.assign(panel=panel) for panel, table in tables.items()]
    return pd.concat(named, ignore_index=True)


def strata_differences(rows: pd.DataFrame, epsilons: Sequence[float] = (1.0, 5.0)) -> pd.DataFrame:
    """MST stratified less unstratified, paired by run: the ``error`` on the half that MST saw, that
    on the half left out (``error, left out``), and the excess of each reader.

    Columns ``release, panel, what, mean, low, high, runs``; averaged over ``epsilons``.
    """
    part = labelled(rows[(rows["kind"] == "MST") & rows["epsilon"].isin(list(epsilons))])
    one = part[part["reader"] == "forest"]  # errors are the same for each reader
    errors = [
        one.assign(what=what, excess=one[column])
        for what, column in (("error", "error_in"), ("error, left out", "error_out"))
    ]
    both, found = pd.concat([*errors, part.assign(what=part["reader"])]), {}
    for panel, groups in of_note(rows).items():
        own = both[both["group"].isin(groups)]
        table = own.pivot_table(index=["what", "run"], columns="release", values="excess")
        apart = table.sub(table.pop("MST"), axis=0).stack().reset_index(name="apart")
        found[panel] = summarise(apart, ["what", "release"], "apart")
    return _of_panels(found)


def guaranteed(rows: pd.DataFrame, epsilons: Sequence[float]) -> pd.DataFrame:
    """The alpha that a pure epsilon-DP release of the half guarantees for each panel's smallest
    group, at beta 0.05: columns ``panel, members, epsilon`` and one for each bound; NaN: nothing.
    """
    sizes = rows.groupby("group")["people"].max()
    own: dict[str, Any] = {"beta": 0.05, "collection": len(sizes), "n": int(sizes.max())}
    found = []
    for (panel, groups), epsilon in product(of_note(rows).items(), epsilons):
        members = int(sizes[groups].min())
        row = {"panel": panel, "members": members, "epsilon": epsilon}
        for mode in _BOUNDS:
            row[mode] = None
            with suppress(ValueError):  # an epsilon that the theorem does not cover
                row[mode] = solve(Setting(**own, gamma=members, epsilon=epsilon, mode=mode)).value
        found.append(row)
    return pd.DataFrame(found).astype(dict.fromkeys(_BOUNDS, float))


def errors_and_excess(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean error and mean excess of the tracer over runs of each of MST's releases, budgets and
    crossings of 100 people or more.
    """
    part = rows[(rows["kind"] == "MST") & (rows["reader"] == "tracer")]
    part = part[(part["people"] >= SMALL[0]) & part["group"].isin(crossings(rows))]
    keys = ["release", "epsilon", "group"]
    return labelled(part).groupby(keys)[["error_in", "excess"]].mean().reset_index()


def fairness_and_excess(rows: pd.DataFrame) -> pd.DataFrame:
    """Of each release, mean sizes of SPD, EOD and OAD between the sexes and the forest's excess.

    The excess is that on those with the difficulty.
    """
    own = rows[(rows["reader"] == "forest") & (rows["group"] == WITH)].set_index(RELEASE)
    both = own[["excess"]].join(gaps_of(rows), how="inner")
    keys = ["kind", "release", "epsilon"]
    return labelled(both.reset_index()).groupby(keys)[[*both]].mean().reset_index()
