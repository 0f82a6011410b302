"""How much the verdicts owe to choices that could have been made otherwise: tolerances, the
correction for many tests, what the intervals are about, and the hyper-parameters of the model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from scipy import stats

from lib import validate
from lib.ledger.claim import Claim, read_claims
from lib.ledger.evidence import Measurer
from lib.ledger.judge import Row, evaluate
from lib.ledger.rules import judge
from lib.stats.holm import holm

# grids that the claims of the LDP paper are asked of besides its own
OTHER_GRIDS = ("ldp_tuned", "ldp_printed", "ldp_rounded")
CORRECTIONS = ("none", "Benjamini-Hochberg", "Holm")


def _scaled(rule: str, tolerance: dict, factor: float) -> dict:
    """The tolerance of a rule with ``factor`` times its slack; rules without slack keep theirs."""
    if rule == "near":
        return tolerance | {"tolerance": factor * tolerance["tolerance"]}
    if rule in ("within", "returns"):
        return tolerance | {"margin": factor * tolerance["margin"]}
    if rule == "at_least":
        return tolerance | {"threshold": max(0.0, 1 - factor * (1 - tolerance["threshold"]))}
    return tolerance


def with_slack(rows: Sequence[Row], factor: float) -> list[str]:
    """The verdicts if every tolerance had been ``factor`` times as wide: half the distance,
    twice the missing share.
    """
    validate.positive("factor", factor)
    return [
        (
            judge(
                row.claim.rule,
                row.evidence,
                _scaled(row.claim.rule, row.claim.tolerance, factor),
                None if math.isnan(row.adjusted_p) else row.adjusted_p,
            )
            if row.claim.measure
            else row.verdict
        )
        for row in rows
    ]


def with_correction(rows: Sequence[Row], correction: str) -> list[str]:
    """The verdicts if p-values had been corrected otherwise, over the directional rows in
    ``rows``.
    """
    validate.choice("correction", correction, CORRECTIONS)
    tested = [i for i, row in enumerate(rows) if not math.isnan(row.adjusted_p)]
    p = [rows[i].evidence.p for i in tested]
    if correction == "Holm":
        p = holm(p).tolist()
    elif correction == "Benjamini-Hochberg" and p:
        p = stats.false_discovery_control(p).tolist()
    verdicts = [row.verdict for row in rows]
    for i, value in zip(tested, p, strict=True):
        verdicts[i] = judge(rows[i].claim.rule, rows[i].evidence, rows[i].claim.tolerance, value)
    return verdicts


def for_another_table(rows: Sequence[Row]) -> list[str]:
    """The verdicts if intervals and tests were about another table of people, not about other
    splits of this one.

    Rows whose runs are overlapping splits have the corrected resampled interval
    (:func:`lib.stats.summary.widening`) and its p-value, after Holm's method over the
    directional rows in ``rows``. Rows without such runs keep their verdict. A value by
    itself does not change, so numbers and returns keep theirs.
    """
    second = [
        replace(e, low=e.overlap[0], high=e.overlap[1], p=e.overlap[2]) if e.overlap else e
        for e in (row.evidence for row in rows)
    ]
    tested = [i for i, row in enumerate(rows) if not math.isnan(row.adjusted_p)]
    adjusted = dict(zip(tested, holm(second[i].p for i in tested).tolist(), strict=True))
    return [
        judge(row.claim.rule, e, row.claim.tolerance, adjusted.get(i)) if e.overlap else row.verdict
        for i, (row, e) in enumerate(zip(rows, second, strict=True))
    ]


def _grid_of(claim: Claim) -> str | None:
    """The grid that a claim's measure reads, if it can be asked of another."""
    own = getattr(claim.measured_by(), "grid", None) if claim.measure else None
    return own and claim.arguments.get("grid", own)


def on_grid(
    grid: str,
    instead_of: str = "ldp_main",
    *,
    claims: Sequence[Claim] | None = None,
    measured: Measurer | None = None,
) -> list[Row]:
    """The claims that are measured on ``instead_of``, with evidence and verdict from ``grid``, in
    the ledger's order.

    Other readings of a claim are left out. Holm's correction still covers every directional claim
    of the ledger, those of other grids with the p-values that they have.
    """
    claims = read_claims() if claims is None else claims
    asked = {claim.id for claim in claims if _grid_of(claim) == instead_of}
    there = [
        replace(c, arguments=c.arguments | {"grid": grid}, also={}) if c.id in asked else c
        for c in claims
    ]
    return evaluate(there, shown=lambda claim: claim.id in asked, measured=measured)


def moved(rows: Sequence[Row], verdicts: Sequence[str]) -> list[tuple[Row, str]]:
    """The rows whose verdict differs, with the other one."""
    return [(row, other) for row, other in zip(rows, verdicts, strict=True) if row.verdict != other]
