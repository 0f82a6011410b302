"""LSAC from the raw bar-passage file to the analysed table, one step at a time, each with its row count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

__all__ = ["Step", "STEPS", "clean", "COLUMNS"]

COLUMNS = ("fam_inc", "gender", "fulltime", "race1", "lsat", "ugpa", "pass_bar")


@dataclass(frozen=True)
class Step:
    """What a step does, and how many rows must be there after it."""

    text: str
    rows: int
    apply: Callable[[pd.DataFrame], pd.DataFrame]


def _binarise_race(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(race1=(frame["race1"] != "black").astype(int))


def _round_scores(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(ugpa=(2 * frame["ugpa"]).round() / 2, lsat=np.rint(frame["lsat"]))


def _rank_codes(frame: pd.DataFrame) -> pd.DataFrame:
    """Each column to the ranks of its values: female 0, male 1; fulltime 1 to 0, 2 to 1; scores from the lowest."""
    return frame.apply(lambda column: np.unique(column.to_numpy(), return_inverse=True)[1])


STEPS: tuple[Step, ...] = (
    Step("read the raw file", 22407, lambda frame: frame),
    Step("drop rows with a missing value in any of the 39 columns", 20427, lambda frame: frame.dropna()),
    Step("race1: black or not", 20427, _binarise_race),
    Step("ugpa to halves, lsat to whole points (ties to even)", 20427, _round_scores),
    Step("keep seven columns", 20427, lambda frame: frame[list(COLUMNS)]),
    Step("codes: ranks from 0", 20427, lambda frame: _rank_codes(frame).reset_index(drop=True)),
)


def clean(raw: pd.DataFrame, *, check_rows: bool = True) -> pd.DataFrame:
    """The analysed table, int codes of shape (20427, 7), from ``bar_pass_prediction.csv`` as pandas reads it.

    Raises
    ------
    ValueError
        If a step leaves another number of rows than it must (``check_rows``).
    """
    frame = raw
    for step in STEPS:
        frame = step.apply(frame)
        if check_rows and len(frame) != step.rows:
            raise ValueError(f"after {step.text!r} raw has {len(frame)} rows; {step.rows} are expected")
    return frame
