"""ACSPublicCoverage, Texas 2018, from the Census Bureau's person file to the analysed table.

The rows are ``folktables``' (Ding et al. 2021): people under 65 with an income
of at most 30,000 dollars. People under 15 have no income in the file and so
drop out. Its postprocessing turns what was not asked into 0. The rest is the
LDP paper's (Section 5.1): four columns go, codes are ranks. What it does to DIS,
SEX and RAC1P is nowhere said; it is read off the analysed table (see the data
sheet), and RAC1P, *Black or not*, is the one that the table only makes likely.

The Bureau revises its files, so there is no checksum: what is made of the raw
file counts for something only if it equals the published table. A test and the
data sheet compare them where the file is there.
"""

from __future__ import annotations

from lib.datasets.registry import TASKS
from studies.data.steps import Step, keep, need, rank_codes

RAW = "psam_p48.csv"
PLACES = (RAW, f"folktables/2018/1-Year/{RAW}")  # put there by hand, or by studies.data.acs
COLUMNS = TASKS["acs_coverage"].domain.columns
_IS = {"SEX": 1, "DIS": 1, "RAC1P": 2, "PUBCOV": 1}  # male, with a disability, Black, covered


# from RAW as pandas reads it to the analysed table, int codes of shape (98739, 16)
STEPS = (
    Step("read the raw file", None, lambda frame: need(frame, (*COLUMNS, "PINCP"))),
    Step("keep people under 65", None, lambda frame: frame[frame["AGEP"] < 65]),
    Step(
        "keep incomes of at most 30,000 dollars: people under 15 have none",
        98739,
        lambda frame: frame[frame["PINCP"] <= 30_000],  # a missing income is not
    ),
    Step(
        "keep 15 attributes and the target: no DEAR, DEYE, DREM, PINCP",
        98739,
        lambda frame: keep(frame, COLUMNS),
    ),
    Step("0 for what was not asked", 98739, lambda frame: frame.fillna(0)),
    Step(
        "SEX, DIS, PUBCOV: is the code 1? RAC1P: is it 2?",
        98739,
        lambda frame: frame.assign(
            **{c: (frame[c] == code).astype(int) for c, code in _IS.items()}
        ),
    ),
    Step("codes: ranks from 0", 98739, rank_codes),
)
