"""Claims that rest on a stand-in, asked again of the table that the paper used."""

from __future__ import annotations

from collections.abc import Sequence

from lib import validate
from lib.ledger.claim import Claim, read_claims
from lib.ledger.evidence import Measurer, question, read_evidence
from lib.ledger.judge import Row, evaluate, stored_verdicts
from lib.ledger.report import value_in_words
from lib.runner.registry import studies
from lib.runner.run import run_grid


def on_stand_in(ids: Sequence[str] = ()) -> list[Claim]:
    """The claims, or those of ``ids``, whose stored evidence is of a stand-in."""
    stored = {q for q, evidence in read_evidence()[1].items() if evidence.data == "stand-in"}
    rest = {c.id: c for c in read_claims() if c.measure and question(c) in stored}
    for name in ids:
        validate.choice("id", name, rest)
    return [claim for name, claim in rest.items() if not ids or name in ids]


def rerun(ids: Sequence[str] = (), *, workers: int = 1) -> list[Row]:
    """Run the grids of the paper's own table that the claims need, judge the claims on them, and
    print both verdicts. What is stored already is not run again.

    Only the grids of claims among ``ids`` run, if any are named. The records have keys and files
    of their own, so those of the stand-in stay as they are.
    """
    claims = on_stand_in(ids)
    modules = {claim.measured_by().__module__ for claim in claims}
    for grid in [study.papers_table for study in studies() if modules & {*study.measures}]:
        print(f"running what is missing of {grid}")
        run_grid(grid, workers=workers)
    asked, before = {claim.id for claim in claims}, stored_verdicts()
    rows = evaluate(shown=lambda claim: claim.id in asked, measured=Measurer())
    _, stored = read_evidence()
    for row in rows:
        then = stored[question(row.claim)].value
        now = f"{row.verdict} ({value_in_words(row)}, {row.evidence.data})"
        print(f"{row.claim.id}: {row.claim.statement}")
        print(f"  stand-in: {before[row.claim.id]} ({then:.3g}); the paper's table: {now}")
    return rows
