"""Adult from the reconstructed file of Ding et al. (2021) to the analysed table.

The raw file, ``adult_reconstruction.csv`` of the ``folktables`` project, has
the income in dollars. Its row count and that of the analysed table are
published; the steps between are read off the paper (Section 5.1) and off the
analysed table. The raw file has no checksum here, so what is made of it counts
for something only if it equals the published table: a test and the data sheet
compare them where the file is there.
"""

from __future__ import annotations

from lib.datasets.registry import TASKS
from studies.data.steps import Step, keep, rank_codes

RAW = "adult_reconstruction.csv"
PLACES = (RAW,)
THRESHOLD = 26_000  # dollars a year
COLUMNS = TASKS["adult"].domain.columns


# from RAW as pandas reads it to the analysed table, int codes of shape (45849, 11)
STEPS = (
    Step("read the raw file", 49531, lambda frame: frame),
    Step(
        "keep ten attributes and the income: no education-num, capital-gain, capital-loss",
        49531,
        lambda frame: keep(frame, COLUMNS),
    ),
    Step(
        "drop rows with a ? in any of them",
        45849,
        lambda frame: frame[~(frame == "?").any(axis=1)],
    ),
    Step(
        f"income: above {THRESHOLD:,} dollars or not",
        45849,
        lambda frame: frame.assign(income=(frame["income"] > THRESHOLD).astype(int)),
    ),
    Step("codes: ranks from 0, labels by the alphabet", 45849, rank_codes),
)
