"""Whom noise on an attribute moves, without any training: a vote among people who are alike.

People who agree in every column that is not reported are a *cell*. Let d_z be the positives of the
cell less its negatives in group z. Once the group is reported through randomised response, which
tells the truth with probability p = e^epsilon / (1 + e^epsilon), the people who are reported as
group z have p d_z + (1 - p) d_other more positives than negatives, in expectation, and a majority
of them decides. So groups that agree keep their decision; where they disagree, the smaller margin
gives way at epsilon = ln(-d_other / d_own), and below it the larger group decides for both.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import expit

from lib import validate
from lib.datasets import load
from lib.datasets.load import Dataset
from studies.data.newyork import values_2024

INCOMES = (20_000, 30_000, 40_000, 50_000, 60_000, 70_000, 80_000, 100_000, 125_000)


def margins(cells: pd.DataFrame, group: np.ndarray, y: np.ndarray) -> pd.DataFrame:
    """Margin and people of both groups in each cell.

    Parameters
    ----------
    cells : DataFrame
        The columns that are not reported, shape (n, k): each combination is a cell.
    group, y : ndarray of int
        Group and label, 0 or 1, shape (n,).

    Returns
    -------
    DataFrame
        A row a cell, with columns ``("margin", z)``, positives less negatives, and
        ``("people", z)``; both are 0 where a group has nobody.
    """
    group, y = validate.codes("group", group, 2), validate.codes("y", y, 2)
    people = cells.assign(group=group, margin=2 * y - 1, people=1)
    found = people.groupby([*cells, "group"])[["margin", "people"]].sum().unstack(fill_value=0)
    return found.reindex(
        columns=[(what, z) for what in ("margin", "people") for z in (0, 1)]
    ).fillna(0)


def turning_epsilon(own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Below this epsilon the other group decides for the own one; NaN where it never does.

    Examples
    --------
    >>> turning_epsilon([10, 40, 10], [-30, -30, 30]).round(3)
    array([1.099,   nan,   nan])
    """
    own, other = np.asarray(own, dtype=float), np.asarray(other, dtype=float)
    gives_way = (own * other < 0) & (abs(other) > abs(own))
    ratio = np.divide(-other, own, out=np.full(own.shape, np.nan), where=gives_way)
    return np.log(ratio)


def positive_rates(found: pd.DataFrame, epsilon: float) -> np.ndarray:
    """Share of each group, shape (2,), for whom the majority of their cell decides "positive".

    ``epsilon`` is the budget of the group's own report; infinite: without noise.
    """
    margin, people = (found[what].to_numpy(float) for what in ("margin", "people"))
    truth = expit(validate.positive("epsilon", epsilon, infinite=True))
    heard = truth * margin + (1 - truth) * margin[:, ::-1]
    return (people * (heard > 0)).sum(axis=0) / people.sum(axis=0)


def of_dataset(data: Dataset) -> pd.DataFrame:
    """:func:`margins` of a data set of the study; its sensitive attributes make no cells."""
    task = data.task
    open_columns = [c for c in task.features if c not in task.sensitive]
    return margins(data.frame[open_columns], data.protected, data.y)


def by_income(incomes: Sequence[float] = INCOMES) -> pd.DataFrame:
    """Who earns an income or more, of New York's people at work in 2024: women (0) and men (1).

    A cell is schooling and the tens of age and of hours. One row an income: ``income``, and
    ``before_z``, ``after_z``, the rates without noise and where noise leaves nothing of the sex.
    """
    people = values_2024(load("newyork2024")).query("WKHP > 0").dropna(subset="PINCP")
    cells = people[["SCHL", "AGEP", "WKHP"]] // [1, 10, 10]
    men, rows = people["SEX"].eq(1).astype(int).to_numpy(), []
    for income in incomes:
        found = margins(cells, men, people["PINCP"].ge(income).astype(int).to_numpy())
        rates = {"before": positive_rates(found, np.inf), "after": positive_rates(found, 1e-9)}
        rows.append(
            {"income": income} | {f"{k}_{z}": r[z] for k, r in rates.items() for z in (0, 1)}
        )
    return pd.DataFrame(rows)
