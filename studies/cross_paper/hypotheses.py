"""What was asked of the experiment before any of its results was seen, and the answers.

Runs differ in the split and in the noise; the data set is the same in all of them. Intervals and
p-values are about splits and noise, then, and say nothing about other data sets.
"""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from lib.ledger.claim import Claim, parse_claims
from lib.ledger.evidence import Evidence
from lib.ledger.hypotheses import as_table, evidence_of_runs, sentence
from lib.ledger.judge import evaluate as judged
from lib.paths import DATA
from lib.runner.registry import NoResults, scores
from studies.cross_paper.statistics import MEASURES, with_excess

STATED: dict[str, Claim] = {
    row.id: row for row in parse_claims([DATA / "hypotheses" / "cross_paper.yml"])
}
HYPOTHESES = [row for row in STATED.values() if row.place != "Controls"]
# outside the family: if these fail, the experiment is broken
CONTROLS = [row for row in STATED.values() if row.place == "Controls"]
# excess W1 up to which a release is called coherent here: a fortieth of the largest distance, 2
MARGIN = 0.05


def runs_of(hypothesis: Claim, rows: pd.DataFrame) -> pd.DataFrame:
    """The statistic of a hypothesis in each run, one column for each part of the statement."""
    return MEASURES[hypothesis.measure](rows, **hypothesis.arguments)


def evaluate(rows: pd.DataFrame, hypotheses: Iterable[Claim] = HYPOTHESES) -> pd.DataFrame:
    """The hypotheses put to the test as one family: see :func:`lib.ledger.hypotheses.as_table`."""

    def measured(claim: Claim) -> Evidence:
        return evidence_of_runs(runs_of(claim, rows), claim.rule, **claim.tolerance)

    return as_table(judged(list(hypotheses), measured=measured))


def controls(rows: pd.DataFrame) -> pd.DataFrame:
    """As :func:`evaluate`, for the controls: the first must be supported, the others find
    nothing.
    """
    return evaluate(rows, CONTROLS)


def found(rows: pd.DataFrame | None = None) -> list[str]:
    """One sentence a hypothesis, in their order, from the stored results (or ``rows``); empty if
    there are none.
    """
    try:
        rows = with_excess(scores("across_nist")) if rows is None else rows
    except NoResults:
        return []
    return [sentence(row) for _, row in evaluate(rows).iterrows()]
