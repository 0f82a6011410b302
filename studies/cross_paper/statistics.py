"""The statistics of the hypotheses: from rows (cell, reader, group) to one number a run and
component.

Each is a function of the table of :func:`with_excess`
that returns a DataFrame indexed by run. *Excess* is the W1 distance less its
mean under reshuffled membership; averages over groups and budgets are taken
inside a run, so that the runs are the only units that are counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.typing import DataFrameGroupBy

from lib.stats.summary import rank_correlation, run_means
from studies.cross_paper.groups import RACES, SEXES, WITH

RELEASE = ["kind", "by", "weights", "epsilon", "run"]
SMALL_NAME = "small crossings"
SMALL = (100, 1300)  # people in the data set: between 0.4% and 5% of it


def with_excess(scores: pd.DataFrame) -> pd.DataFrame:
    """Stored scores in the order of their groups and readers, with ``excess``: the distance
    less what reshuffled membership makes.
    """
    rows = scores.sort_values(["group", "reader"], kind="stable", ignore_index=True)
    return rows.assign(excess=rows["distance"] - rows["null"])


def crossings(rows: pd.DataFrame) -> list[str]:
    """The crossings of sex and race."""
    names = [f"{sex} & {race}" for sex, race in product(SEXES, RACES)]
    return [group for group in rows["group"].unique() if group in names]


def small_crossings(rows: pd.DataFrame) -> list[str]:
    """The crossings of sex and race of :data:`SMALL` people."""
    sizes = rows.groupby("group")["people"].max()
    return [g for g in crossings(rows) if SMALL[0] <= sizes[g] <= SMALL[1]]


def _where(rows: pd.DataFrame, weights: str = "public", **wanted: Any) -> pd.DataFrame:
    """Rows whose columns have the values (any of them, for a list)."""
    if wanted.get("group") == SMALL_NAME:
        wanted["group"] = small_crossings(rows)
    for column, values in {"weights": weights, **wanted}.items():
        rows = rows[rows[column].isin(np.atleast_1d(values))]
    return rows


def excess(rows: pd.DataFrame, value: str = "excess", **wanted: Any) -> pd.Series:
    """Mean of ``value`` by run over whatever is ``wanted``; a run that lacks a cell which others
    have is left out.
    """
    return run_means(_where(rows, **wanted), value)


def mean_excess(
    rows: pd.DataFrame,
    value: str = "excess",
    *,
    each: Mapping[str, Sequence] | None = None,
    of: Mapping | None = None,
    less: Mapping | None = None,
    **wanted: Any,
) -> pd.DataFrame:
    """:func:`excess` of what is ``wanted``, one column for each combination of ``each``; with
    ``less``, that of ``of`` less that of ``less``, which say what the two have apart.
    """
    each, found = each or {}, {}
    for values in product(*each.values()):
        part = dict(zip(each, values, strict=True))
        name = ", ".join(f"ε = {v:g}" if c == "epsilon" else v for c, v in part.items())
        found[name] = excess(rows, value, **wanted | part | dict(of or {}))
        if less is not None:
            found[name] = found[name] - excess(rows, value, **wanted | part | dict(less))
    return pd.DataFrame(found)


def slope(rows: pd.DataFrame, reader: str, group: str) -> pd.DataFrame:
    """Excess a factor of ten in epsilon, by least squares in each run."""
    part = _where(rows, kind="MST", by="vanilla", reader=reader, group=group)
    table = part.pivot_table(index="run", columns="epsilon", values="excess").dropna()
    x = np.log10(table.columns.to_numpy(dtype=float))
    x -= x.mean()
    return pd.DataFrame({"slope": table.to_numpy() @ x / (x @ x)}, index=table.index)


def _correlation(cells: DataFrameGroupBy, one: str, other: str) -> pd.DataFrame:
    """Spearman's rank correlation of two columns in each group of rows, averaged in each run."""
    found = cells[[one, other]].apply(lambda rows: rank_correlation(rows[one], rows[other]))
    return found.groupby("run").mean().to_frame()


def error_and_excess(rows: pd.DataFrame, within: Sequence[str] = ()) -> pd.DataFrame:
    """Spearman's rank correlation over MST's releases up to epsilon 5, group by group (100
    people or more), averaged.
    """
    part = _where(rows, kind="MST", epsilon=(0.1, 1.0, 5.0), reader="tracer")
    part = part[part["group"].isin(crossings(rows)) & (part["people"] >= SMALL[0])]
    return _correlation(part.groupby(["run", "group", *within]), "error_in", "excess")


def gaps_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Sizes of SPD, EOD and OAD between men and women of the forest behind each release: one row a
    cell.
    """
    part = rows[(rows["reader"] == "forest") & rows["group"].isin(SEXES)]
    table = part.pivot_table(index=RELEASE, columns="group", values=["positive_rate", "tpr", "acc"])
    gaps = table.xs("men", axis=1, level=1) - table.xs("women", axis=1, level=1)
    names = {"positive_rate": "SPD", "tpr": "EOD", "acc": "OAD"}
    return gaps.abs().rename(columns=names)[[*names.values()]]


def fairness_and_excess(rows: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Spearman's rank correlation, over MST's releases of a run, of a gap between the sexes and the
    forest's excess on those with the difficulty.
    """
    part = _where(rows, kind="MST", reader="forest", group=WITH).set_index(RELEASE)
    both = part[["excess"]].join(gaps_of(rows)[metric], how="inner")
    return _correlation(both.groupby("run"), "excess", metric)


MEASURES = {f.__name__: f for f in (mean_excess, slope, error_and_excess, fairness_and_excess)}
