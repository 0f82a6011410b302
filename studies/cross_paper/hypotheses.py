"""What was asked of the experiment before any of its results was seen, and the answers."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from lib.ledger.claim import Claim
from studies import hypotheses
from studies.cross_paper.statistics import MEASURES

STATED = hypotheses.stated("cross_paper")
HYPOTHESES = [row for row in STATED.values() if row.place != "Controls"]
# outside the family: if these fail, the experiment is broken
CONTROLS = [row for row in STATED.values() if row.place == "Controls"]
# excess W1 up to which a release is called coherent here: a fortieth of the largest distance, 2
MARGIN = 0.05


def runs_of(hypothesis: Claim, rows: pd.DataFrame) -> pd.DataFrame:
    """The statistic of a hypothesis in each run, one column for each part of the statement."""
    return hypotheses.runs_of(hypothesis, rows, MEASURES)


def evaluate(rows: pd.DataFrame, family: Iterable[Claim] = HYPOTHESES) -> pd.DataFrame:
    """The hypotheses put to the test as one family: see :func:`studies.hypotheses.evaluate`."""
    return hypotheses.evaluate(rows, family, MEASURES)


def controls(rows: pd.DataFrame) -> pd.DataFrame:
    """As :func:`evaluate`, for the controls: the first must be supported, the others find
    nothing.
    """
    return evaluate(rows, CONTROLS)
