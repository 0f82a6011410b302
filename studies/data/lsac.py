"""LSAC from the raw bar-passage file to the analysed table."""

from __future__ import annotations

from lib.datasets.registry import TASKS
from studies.data.steps import Step, keep, need, rank_codes

RAW = "bar_pass_prediction.csv"
COLUMNS = TASKS["lsac"].domain.columns


# from RAW as pandas reads it to the analysed table, int codes of shape (20427, 7)
STEPS = (
    # all stay: the next step looks at each
    Step("read the raw file", 22407, lambda frame: need(frame, COLUMNS)),
    Step(
        "drop rows with a missing value in any of the 39 columns",
        20427,
        lambda frame: frame.dropna(),
    ),
    Step(
        "race1: black or not",
        20427,
        lambda frame: frame.assign(race1=(frame["race1"] != "black").astype(int)),
    ),
    Step(
        "ugpa to halves, lsat to whole points (ties to even)",
        20427,
        lambda f: f.assign(ugpa=(2 * f["ugpa"]).round() / 2, lsat=f["lsat"].round()),
    ),
    Step("keep seven columns", 20427, lambda frame: keep(frame, COLUMNS)),
    # female 0, male 1; fulltime 1 to 0, 2 to 1; scores from the lowest
    Step("codes: ranks from 0", 20427, rank_codes),
)
