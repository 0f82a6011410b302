"""New York's people: 20,000 adults of 2018, and the whole person file of 2024.

Both are the Census Bureau's rows with its codes, as two public repositories hold them. The first
has the ten columns of the stratified-DP paper's employment task, the second the nine of its mean
estimation, six years after the paper's table.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from lib.datasets.load import Dataset, load_raw
from lib.datasets.registry import TASKS

# Income from one value to below the next; below the first are none and a loss, each a step of its
# own. Stated, not read off the rows, and so is the end of the last.
STEPS = np.array(
    [1, 2e3, 4e3, 6e3, 8e3, 1e4, 12_500, 15_000, 17_500, 2e4, 25_000, 3e4, 35_000, 4e4, 45_000, 5e4]
)
STEPS = np.append(STEPS, 1e4 * np.array([6, 7, 8, 9, 10, 12.5, 15, 20, 25, 30, 40, 50, 75, 100]))
_ENDS = np.append(STEPS[2:], 1.5 * STEPS[-1])
# what an income of each code of PINCP stands for: not asked, a loss, none, the middle of a step
INCOMES = np.array([np.nan, -5000.0, 0.0, 1000.0, *np.sqrt(STEPS[1:] * _ENDS)])
# the Bureau's code that is our code 0, of each column of ``newyork2018``
FIRST_2018 = pd.Series({"AGEP": 17, "ESP": 0, "ESR": 0}).reindex(
    list(TASKS["newyork2018"].domain.columns), fill_value=1
)
_GAPS = ("SCHL", "WKHP", "JWMNP")  # 0 where nobody was asked


def adults_2018(raw: pd.DataFrame) -> pd.DataFrame:
    """Codes from 0 of the ten columns of the task ``newyork2018``.

    Parameters
    ----------
    raw : DataFrame
        The published sample, shape (20000, 17), each field a string.
    """
    return raw[[*FIRST_2018.index]].astype(int) - FIRST_2018


def people_2024(raw: pd.DataFrame) -> pd.DataFrame:
    """Codes from 0 of the ten columns of the task ``newyork2024``; at work is ``ESR`` 1, as in
    folktables.

    Parameters
    ----------
    raw : DataFrame
        The person file, shape (210150, 38), with the Bureau's codes.
    """
    codes = raw[list(TASKS["newyork2024"].domain.columns)].copy()
    codes[[*_GAPS]] = codes[[*_GAPS]].fillna(0)
    codes[["SEX", "RAC1P", "DIS", "NATIVITY"]] -= 1
    income = codes["PINCP"].astype(float)
    step = np.where(income < 0, 1, 2 + np.searchsorted(STEPS, income, side="right"))
    codes["PINCP"] = np.where(income.isna(), 0, step)
    codes["ESR"] = codes["ESR"].eq(1).fillna(False)
    return codes.astype(int)


def values_2024(data: Dataset) -> pd.DataFrame:
    """The Bureau's values of the paper's nine columns, NaN where somebody was not asked; of a
    replica, those that its codes stand for.
    """
    columns = ["AGEP", "SEX", "DIS", "NATIVITY", "RAC1P", *_GAPS, "PINCP"]
    if not data.is_replica:
        raw, _ = load_raw(data.task.file, data.source)
        return raw[columns].astype(float)
    frame = data.frame[columns].astype(float)
    frame[["SEX", "DIS", "NATIVITY", "RAC1P"]] += 1
    return frame.assign(PINCP=INCOMES[data.frame["PINCP"]], **frame[[*_GAPS]].replace(0, np.nan))
