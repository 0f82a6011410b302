"""How much the verdicts owe to choices that could have been made otherwise: tolerances, the
correction for many tests, what the intervals are about, and the hyper-parameters of the model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
from scipy import stats

from lib import validate
from lib.ledger.claim import Claim, read_claims
from lib.ledger.judge import Measurer, Row, adjusted_together, evaluate, judged
from lib.ledger.rules import Evidence, judge, opposite
from lib.stats.p_values import holm

# grids that the claims of the LDP paper are asked of besides its own
OTHER_GRIDS = ("ldp_tuned", "ldp_printed", "ldp_rounded")
CORRECTIONS: dict[str, Callable[[list[float]], Iterable]] = {
    "none": list,
    # last bits may put a p-value above 1, or its opposite below 0, which SciPy refuses
    "Benjamini-Hochberg": lambda p: stats.false_discovery_control(np.clip(p, 0, 1)) if p else p,
    "Holm": holm,
}


def _scaled(tolerance: dict, factor: float) -> dict:
    """A tolerance with ``factor`` times its slack: half the distance, twice the missing share."""
    scaled = {k: factor * tolerance[k] for k in ("tolerance", "margin") if k in tolerance}
    if "threshold" in tolerance:
        scaled["threshold"] = max(0.0, 1 - factor * (1 - tolerance["threshold"]))
    return tolerance | scaled


def with_slack(rows: Sequence[Row], factor: float) -> list[str]:
    """The verdicts if every tolerance had been ``factor`` times as wide; rules without slack keep
    theirs.
    """
    validate.positive("factor", factor)
    return [
        judge(r.claim.rule, r.adjusted, _scaled(r.claim.tolerance, factor))
        if r.claim.measure
        else r.verdict
        for r in rows
    ]


def with_correction(rows: Sequence[Row], correction: str) -> list[str]:
    """The verdicts if p-values had been corrected otherwise, over the directional rows in
    ``rows``.
    """
    correct = CORRECTIONS[validate.choice("correction", correction, CORRECTIONS)]
    return _judged_again(rows, [row.evidence for row in rows], correct)


def for_another_table(rows: Sequence[Row]) -> list[str]:
    """The verdicts if intervals and tests were about another table of people, not about other
    splits of this one.

    Rows whose runs are overlapping splits have the corrected resampled interval
    (:func:`lib.stats.summary.widening`) and its p-value, after Holm's method over the
    directional rows in ``rows``. Rows without such runs keep their verdict. A value by
    itself does not change, so numbers and returns keep theirs.
    """

    def second(e: Evidence) -> Evidence:
        low, high, p = e.overlap or (e.low, e.high, e.p)
        return replace(
            e, low=low, high=high, p=p, p_opposite=math.nan if e.overlap else e.p_opposite
        )

    found = _judged_again(rows, [second(row.evidence) for row in rows], holm)
    return [new if r.evidence.overlap else r.verdict for r, new in zip(rows, found, strict=True)]


def _judged_again(
    rows: Sequence[Row], evidence: Sequence[Evidence], correct: Callable[[list[float]], Iterable]
) -> list[str]:
    """The verdicts on other evidence, with the p-values of the directional rows corrected again."""
    tested = {
        i: replace(e, p_opposite=opposite(e))
        for i, (row, e) in enumerate(zip(rows, evidence, strict=True))
        if not math.isnan(row.adjusted_p)
    }
    final = adjusted_together(tested, correct)
    pairs = enumerate(zip(rows, evidence, strict=True))
    return [judged(row.claim, e, final.get(i)).verdict for i, (row, e) in pairs]


def grid_of(claim: Claim) -> str:
    """The name of the grid that a claim's measure reads; empty if it names none."""
    return claim.arguments.get("grid") or getattr(claim.measured_by(), "grid", None) or ""


def on_grid(
    grid: str, *, claims: Sequence[Claim] | None = None, measured: Measurer | None = None
) -> list[Row]:
    """The claims that are measured on ``ldp_main``, with evidence and verdict from ``grid``, in
    the ledger's order.

    Other readings of a claim are left out. Holm's correction still covers every directional claim
    of the ledger, those of other grids with the p-values that they have.
    """
    claims = read_claims() if claims is None else claims
    asked = {c.id for c in claims if c.measure and grid_of(c) == "ldp_main"}
    there = [
        replace(c, arguments=c.arguments | {"grid": grid}, also={}) if c.id in asked else c
        for c in claims
    ]
    return evaluate(there, shown=lambda claim: claim.id in asked, measured=measured)


def moved(rows: Sequence[Row], verdicts: Sequence[str]) -> list[tuple[Row, str]]:
    """The rows whose verdict differs, with the other one."""
    return [(row, other) for row, other in zip(rows, verdicts, strict=True) if row.verdict != other]
