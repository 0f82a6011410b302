"""Hypotheses that were stated before a grid ran, and how they came out.

A hypothesis is a row of a file in ``data/hypotheses``, read and judged as any claim
(:mod:`lib.ledger.claim`, :mod:`lib.ledger.judge`). Its rule is a direction, and its evidence a
Student's t test over runs, paired where the statistic is a difference.

Runs differ in the split and in the noise; the tables are the same in all of them. Intervals and
p-values are about splits and noise, then, and say nothing about other tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

import pandas as pd

from lib.ledger.claim import Claim, parse_claims
from lib.ledger.judge import evaluate as judged
from lib.ledger.rules import Evidence
from lib.paths import DATA
from lib.stats.p_values import p_value
from lib.stats.summary import mean_interval

# a function of the rows and of a hypothesis's arguments: one row a run, one column a part
Measures = Mapping[str, Callable[..., pd.DataFrame]]
_OPPOSITE = {"greater": "less", "less": "greater"}
_SHOWN = ("low", "high", "runs", "p", "p_opposite")


def stated(name: str) -> dict[str, Claim]:
    """The hypotheses of a file in ``data/hypotheses``, by id."""
    return {row.id: row for row in parse_claims([DATA / "hypotheses" / f"{name}.yml"])}


def evidence_of_runs(runs: pd.DataFrame, direction: str, reference: float = 0.0) -> Evidence:
    """Estimate, 95% interval and p-value of the part that decides, and the p-value of the opposite.

    Parameters
    ----------
    runs : DataFrame
        One row a run, one column a part of the statement. All parts must be on the stated side, so
        the one with the largest p decides; for the opposite, one that is clearly on the other side
        is enough, paid for by Bonferroni. A two-sided statement of several parts (the controls) is
        about all of them at once: the smallest p times their number.
    direction : {"greater", "less", "two-sided"}
    reference : float
    """
    values = {part: runs[part].dropna().to_numpy() for part in runs}
    p = {part: p_value(x, reference, direction) for part, x in values.items()}
    if not p or any(map(math.isnan, p.values())):
        return Evidence(math.nan)
    if direction == "two-sided":
        worst = min(p, key=p.__getitem__)
        own, other = min(1.0, len(p) * p[worst]), math.nan
    else:
        sign = 1 if direction == "less" else -1
        worst = max(p, key=lambda part: (p[part], sign * (values[part].mean() - reference)))
        opposite = (p_value(x, reference, _OPPOSITE[direction]) for x in values.values())
        own, other = p[worst], min(1.0, len(p) * min(opposite))
    return Evidence(
        *mean_interval(values[worst]),
        runs=values[worst].size,
        p=own,
        p_opposite=other,
        detail=worst if len(p) > 1 else "",
    )


def runs_of(hypothesis: Claim, rows: pd.DataFrame, measures: Measures) -> pd.DataFrame:
    """The statistic of a hypothesis in each run, one column for each part of the statement."""
    return measures[hypothesis.measure](rows, **hypothesis.arguments)


def evaluate(rows: pd.DataFrame, hypotheses: Iterable[Claim], measures: Measures) -> pd.DataFrame:
    """The hypotheses put to the test as one family: ``id, part, statement, estimate, low, high,
    runs, p, p_opposite, decided_by, adjusted, adjusted_opposite, reference, verdict``.

    ``adjusted`` is Holm's over the family. ``contradicted`` means that the opposite is significant,
    over the family of opposites.
    """

    def measured(claim: Claim) -> Evidence:
        return evidence_of_runs(runs_of(claim, rows, measures), claim.rule, **claim.tolerance)

    return pd.DataFrame(
        {
            "id": row.claim.id,
            "part": row.claim.place,
            "statement": row.claim.statement,
            "estimate": row.evidence.value,
            **{name: getattr(row.evidence, name) for name in _SHOWN},
            "decided_by": row.evidence.detail,
            "adjusted": row.adjusted_p,
            "adjusted_opposite": row.adjusted_opposite,
            "reference": row.claim.tolerance.get("reference", 0.0),
            "verdict": row.verdict,
        }
        for row in judged(list(hypotheses), measured=measured)
    )
