"""LSAC from the raw bar-passage file to the analysed table."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from lib.datasets.registry import TASKS
from studies.data import steps
from studies.data.steps import Step, keep, need, rank_codes

RAW = "bar_pass_prediction.csv"
COLUMNS = TASKS["lsac"].domain.columns


def _binarise_race(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(race1=(frame["race1"] != "black").astype(int))


def _round_scores(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(ugpa=(2 * frame["ugpa"]).round() / 2, lsat=np.rint(frame["lsat"]))


STEPS: tuple[Step, ...] = (
    # all stay: the next step looks at each
    Step("read the raw file", 22407, lambda frame: need(frame, COLUMNS)),
    Step(
        "drop rows with a missing value in any of the 39 columns",
        20427,
        lambda frame: frame.dropna(),
    ),
    Step("race1: black or not", 20427, _binarise_race),
    Step("ugpa to halves, lsat to whole points (ties to even)", 20427, _round_scores),
    Step("keep seven columns", 20427, lambda frame: keep(frame, COLUMNS)),
    # female 0, male 1; fulltime 1 to 0, 2 to 1; scores from the lowest
    Step("codes: ranks from 0", 20427, rank_codes),
)

# the analysed table, int codes of shape (20427, 7), from bar_pass_prediction.csv as pandas reads it
clean = partial(steps.clean, STEPS)
