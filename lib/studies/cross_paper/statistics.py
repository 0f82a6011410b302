"""The statistics of the hypotheses: from rows (cell, reader, group) to one number a run and
component.

Each is a function of the table of :func:`lib.studies.cross_paper.cells.per_group`
that returns a DataFrame indexed by run. *Excess* is the W1 distance less its
mean under reshuffled membership; averages over groups and budgets are taken
inside a run, so that the runs are the only units that are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
import pandas as pd

from lib.groups import EVERYONE
from lib.stats.summary import rank_correlation
from lib.studies.cross_paper.cells import READERS
from lib.studies.cross_paper.scores import RACES, SEXES, WITH

__all__ = ["SMALL", "STATISTICS", "small_crossings", "excess", "fairness_of"]

SMALL = (100, 1300)  # people in the data set: between 0.4% and 5% of it
_CENTRAL = ("MST", "AIM", "GEM")
_OF_NOTE = (EVERYONE, WITH)


def _crossings(rows: pd.DataFrame) -> list[str]:
    names = {f"{s} & {r}" for s in SEXES for r in RACES}
    return [g for g in rows["group"].unique() if g in names]


def small_crossings(rows: pd.DataFrame) -> list[str]:
    """The crossings of sex and race of :data:`SMALL` people."""
    sizes = rows.groupby("group")["n"].max()
    return [g for g in _crossings(rows) if SMALL[0] <= sizes[g] <= SMALL[1]]


def _where(rows: pd.DataFrame, **wanted: object) -> pd.DataFrame:
    """Rows whose columns have the values (any of them, for a tuple); public weights unless said."""
    for column, value in ({"weights": "public"} | wanted).items():
        rows = rows[rows[column].isin(value if isinstance(value, tuple | list) else (value,))]
    return rows


def excess(rows: pd.DataFrame, value: str = "excess", **wanted: object) -> pd.Series:
    """Mean of ``value`` by run over whatever is ``wanted``; a run that lacks a cell which others
    have is left out.
    """
    part = _where(rows, **wanted)
    if part.empty:
        return pd.Series(dtype=float)
    cells = part.groupby("run")[["kind", "by", "epsilon"]].apply(lambda p: len(p.drop_duplicates()))
    found = part.groupby("run")[value].mean()
    return found[cells == cells.max()]


def _components(parts: dict[str, pd.Series]) -> pd.DataFrame:
    return pd.DataFrame(parts)


def _one(series: pd.Series) -> pd.DataFrame:
    return series.dropna().to_frame("value")


def _grid(
    rows: pd.DataFrame,
    kinds: Iterable[str],
    epsilons: Iterable[float],
    groups: Iterable[object],
    readers: Iterable[str],
    by: str = "vanilla",
) -> pd.DataFrame:
    """One component for each kind, epsilon, group (or list of groups) and reader."""
    return _components(
        {
            f"{k}, ε = {e:g}, {g if isinstance(g, str) else 'small crossings'}, {r}": excess(
                rows, kind=k, epsilon=e, group=g, reader=r, by=by
            )
            for k in kinds
            for e in epsilons
            for g in groups
            for r in readers
        }
    )


def _stratified_enforces(rows: pd.DataFrame) -> pd.DataFrame:
    return _grid(rows, _CENTRAL, (1.0,), (small_crossings(rows),), READERS, by="SEX_RAC1P")


def _trace(rows: pd.DataFrame, kind: str) -> pd.DataFrame:
    return _one(excess(rows, kind=kind, by="vanilla", epsilon=5.0, group=EVERYONE, reader="tracer"))


def _strata(rows: pd.DataFrame, reader: str, value: str = "excess") -> pd.DataFrame:
    """MST by sex and race less unstratified MST, over the small crossings and epsilon 1 and 5."""
    of = partial(
        excess,
        rows,
        value,
        kind="MST",
        epsilon=(1.0, 5.0),
        group=small_crossings(rows),
        reader=reader,
    )
    return _one(of(by="SEX_RAC1P") - of(by="vanilla"))


def _slope(rows: pd.DataFrame, reader: str, group: str) -> pd.DataFrame:
    """Excess a factor of ten in epsilon, by least squares in each run."""
    part = _where(rows, kind="MST", by="vanilla", reader=reader, group=group)
    table = part.pivot_table(index="run", columns="epsilon", values="excess").dropna()
    x = np.log10(table.columns.to_numpy(dtype=float))
    x = x - x.mean()
    return _one(pd.Series(table.to_numpy() @ x / (x @ x), index=table.index))


def _error_and_excess(rows: pd.DataFrame, within: tuple[str, ...] = ()) -> pd.DataFrame:
    """Spearman's rank correlation over MST's releases up to epsilon 5, group by group (100
    people or more), averaged.
    """
    part = _where(rows, kind="MST", epsilon=(0.1, 1.0, 5.0), reader="tracer")
    part = part[part["group"].isin(_crossings(rows)) & (part["n"] >= SMALL[0])]
    found = part.groupby(["run", "group", *within])[["error_in", "excess"]].apply(
        lambda p: rank_correlation(p["error_in"], p["excess"])
    )
    return _one(found.groupby("run").mean())


def fairness_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Sizes of SPD, EOD and OAD between men and women of the forest behind each release: one row a
    cell.
    """
    keys = ["kind", "by", "weights", "epsilon", "run"]
    part = rows[(rows["reader"] == "forest") & rows["group"].isin(SEXES)]
    table = part.pivot_table(index=keys, columns="group", values=["rate", "tpr", "acc"])
    return pd.DataFrame(
        {
            name: (table[rate, "men"] - table[rate, "women"]).abs()
            for name, rate in (("SPD", "rate"), ("EOD", "tpr"), ("OAD", "acc"))
        }
    )


def _fairness(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    keys = ["kind", "by", "weights", "epsilon", "run"]
    part = _where(rows, kind="MST", reader="forest", group=WITH).set_index(keys)
    both = part[["excess"]].join(fairness_of(rows)[metric], how="inner")
    return _one(both.groupby("run").apply(lambda p: rank_correlation(p["excess"], p[metric])))


def _linked(rows: pd.DataFrame, kind: str, epsilon: float = 1.0) -> pd.Series:
    return excess(rows, kind=kind, epsilon=epsilon, group=WITH, reader="forest")


def _linked_less_than_clear(rows: pd.DataFrame) -> pd.DataFrame:
    clear = excess(rows, kind="clear", group=WITH, reader="forest")
    return _components(
        {k: (_linked(rows, k) - clear).dropna() for k in ("GRR linked", "OUE linked")}
    )


def _local_less_than_central(rows: pd.DataFrame) -> pd.DataFrame:
    of = partial(excess, rows, epsilon=5.0, group=EVERYONE, reader="tracer", by="vanilla")
    return _one(of(kind="GRR whole") - of(kind="MST"))


def _difficulty_less_everyone(rows: pd.DataFrame) -> pd.DataFrame:
    of = partial(excess, rows, kind=_CENTRAL, by="vanilla", epsilon=5.0, reader="forest")
    return _one(of(group=WITH) - of(group=EVERYONE))


def _readers_on_everyone(rows: pd.DataFrame, kind: str) -> pd.DataFrame:
    return _components({r: excess(rows, kind=kind, group=EVERYONE, reader=r) for r in READERS})


STATISTICS: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "central enforces": partial(
        _grid, kinds=_CENTRAL, epsilons=(1.0, 5.0), groups=_OF_NOTE, readers=READERS
    ),
    "stratified enforces": _stratified_enforces,
    "whole-row reports enforce": partial(
        _grid, kinds=("GRR whole", "OUE whole"), epsilons=(1.0,), groups=_OF_NOTE, readers=READERS
    ),
    "linked reports fail": partial(
        _grid,
        kinds=("GRR linked", "OUE linked"),
        epsilons=(1.0,),
        groups=(WITH,),
        readers=("forest",),
    ),
    "trace of MST": partial(_trace, kind="MST"),
    "trace of AIM": partial(_trace, kind="AIM"),
    "trace of GEM": partial(_trace, kind="GEM"),
    "stratified less error": partial(_strata, reader="tracer", value="error_in"),
    "stratified costs: forest": partial(_strata, reader="forest"),
    "stratified costs: lookup": partial(_strata, reader="lookup"),
    "stratified costs: tracer": partial(_strata, reader="tracer"),
    "slope: tracer": partial(_slope, reader="tracer", group=EVERYONE),
    "slope: forest": partial(_slope, reader="forest", group=WITH),
    "error and excess": _error_and_excess,
    "error and excess, given epsilon": partial(_error_and_excess, within=("epsilon",)),
    "excess and SPD": partial(_fairness, metric="SPD"),
    "excess and EOD": partial(_fairness, metric="EOD"),
    "excess and OAD": partial(_fairness, metric="OAD"),
    "linked less than clear": _linked_less_than_clear,
    "local less than central": _local_less_than_central,
    "GRR less OUE": lambda rows: _one(_linked(rows, "GRR linked") - _linked(rows, "OUE linked")),
    "difficulty less everyone": _difficulty_less_everyone,
    "clear": lambda rows: _one(excess(rows, kind="clear", group=EVERYONE, reader="lookup")),
    "fresh half": partial(_readers_on_everyone, kind="fresh"),
    "nobody": partial(_readers_on_everyone, kind="nobody"),
}
