"""The statistics of the hypotheses: from rows (cell and group) to one number a run and part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from lib.stats.summary import mean_interval
from studies.pooling.cells import WAYS, least_people

# in the whole table: below, even the real rows, drawn again, have errors above 1
LEAST = 50
RULES: dict[str, Callable[..., float]] = {
    "break-even": least_people,
    "2,000 people": lambda table, by, epsilon: 2000.0,
}


def of_groups(rows: pd.DataFrame, by: str) -> pd.DataFrame:
    """The rows of the groups of a kind that have :data:`LEAST` people, some seen, some held out."""
    part = rows[rows["of"] == by]
    return part[(part["seen"] + part["held"] >= LEAST) & (part[["seen", "held"]] > 0).all(axis=1)]


def _mean(part: pd.DataFrame, error: str) -> float:
    return float(part[error].mean())


def _worst_tenth(part: pd.DataFrame, error: str) -> float:
    """Mean over the tenth of the people whose groups have the largest errors."""
    part = part.sort_values(error, ascending=False, kind="stable")
    people = part["seen"] + part["held"]
    tenth = people.sum() / 10
    before = people.cumsum() - people
    weights = np.clip(tenth - before, 0, people)
    return float(np.average(part[error], weights=weights))


OVER = {"groups": _mean, "worst tenth": _worst_tenth}


def errors(
    rows: pd.DataFrame, by: str, over: str = "groups", score: str = "held", **wanted: Any
) -> pd.DataFrame:
    """The error of each way (columns) in each run, over the groups of a kind or for everybody.

    ``score`` says against whom: ``"held"`` out or ``"seen"`` people. ``wanted`` picks the table,
    the mechanism, the budget. Runs that lack a way are left out.
    """
    for column, value in wanted.items():
        rows = rows[rows[column] == value]
    rows = rows[rows["by"].isin(["", by])]
    part = rows[rows["of"] == ""] if over == "everybody" else of_groups(rows, by)
    summary, error = OVER.get(over, _mean), f"error_{score}"
    found = {key: summary(one, error) for key, one in part.groupby(["run", "way"])}
    return pd.Series(found, dtype=float).unstack().reindex(columns=list(WAYS)).dropna()


def relative(
    rows: pd.DataFrame, *, each: Mapping[str, Sequence], against: str = "better", **wanted: Any
) -> pd.DataFrame:
    """The pooled error over another one, less 1: one column for each combination of ``each``.

    ``against`` is a way, or ``"better"``: of plain and stratified the one of the smaller mean.
    """
    found = {}
    for values in product(*each.values()):
        part = dict(zip(each, values, strict=True))
        ways = errors(rows, **wanted | part)
        other = ways[["plain", "stratified"]].mean().idxmin() if against == "better" else against
        name = ", ".join(f"ε = {v:g}" if c == "epsilon" else v for c, v in part.items())
        found[name] = ways["pooled"] / ways[other] - 1
    return pd.DataFrame(found)


def decisions(rows: pd.DataFrame, mechanism: str) -> pd.DataFrame:
    """Every group of sex and race, table, budget and run: whether a model of its ``own`` has a
    smaller error on people held out than the plain one, and whether each of :data:`RULES` says so.
    """
    by = "sex and race"
    part = of_groups(rows[rows["mechanism"] == mechanism], by)
    key = ["run", "table", "epsilon", "group"]
    held = part.pivot(index=[*key, "seen"], columns="way", values="error_held")
    found = held.dropna(subset=["plain", "stratified"]).reset_index()
    found["own"] = found["stratified"] < found["plain"]
    for name, least in RULES.items():
        sizes = {
            place: least(place[0], by, place[1])
            for place in found[["table", "epsilon"]].itertuples(index=False, name=None)
        }
        places = found[["table", "epsilon"]].apply(tuple, axis=1)
        found[name] = (found["seen"] >= places.map(sizes)) == found["own"]
    return found


def right(rows: pd.DataFrame, mechanism: str, rule: str, less: str = "") -> pd.DataFrame:
    """The share of :func:`decisions` in which a rule is right, or by how much it is right more
    often than another: one number a run.
    """
    by_run = decisions(rows, mechanism).groupby("run")[list(RULES)].mean()
    return (by_run[rule] - (by_run[less] if less else 0.0)).to_frame(rule)


MEASURES = {f.__name__: f for f in (relative, right)}


def outcomes(rows: pd.DataFrame, against: str, score: str = "held") -> pd.DataFrame:
    """Each setting (mechanism, kind of groups ``by``, table, epsilon): the mean over the runs of
    :func:`relative` with its 95% interval, and whether that is ``smaller`` or ``larger`` than 0.
    ``score`` is that of :func:`errors`.
    """
    found = []
    settings = rows.loc[rows["by"] != "", ["mechanism", "by", "table", "epsilon"]]
    for one in settings.drop_duplicates().to_dict("records"):
        each = {"table": [one["table"]], "epsilon": [one["epsilon"]]}
        asked = {"mechanism": one["mechanism"], "by": one["by"], "score": score}
        (runs,) = relative(rows, each=each, against=against, **asked).to_numpy().T
        mean, low, high = mean_interval(runs)
        found.append(one | {"mean": mean, "low": low, "high": high})
    table = pd.DataFrame(found)
    return table.assign(smaller=table["high"] < 0, larger=table["low"] > 0)
