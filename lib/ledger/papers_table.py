"""Claims that rest on a stand-in, asked again of the table that the paper used."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lib import validate
from lib.ledger.claim import Claim, read_claims
from lib.ledger.evidence import Measurer, question, read_evidence
from lib.ledger.judge import Row, evaluate, stored_verdicts
from lib.ledger.report import value_in_words
from lib.runner.registry import Study, studies
from lib.runner.run import run_grid


def on_stand_in(ids: Sequence[str] = ()) -> list[Claim]:
    """The claims, or those of ``ids``, whose stored evidence is of a stand-in."""
    _, stored = read_evidence()
    rest = [c for c in read_claims() if c.measure and _is_stand_in(c, stored)]
    for name in ids:
        validate.choice("id", name, [claim.id for claim in rest])
    return [claim for claim in rest if not ids or claim.id in ids]


def _is_stand_in(claim: Claim, stored: dict) -> bool:
    evidence = stored.get(question(claim))
    return evidence is not None and evidence.data == "stand-in"


def _study(claim: Claim) -> Study:
    module = claim.measured_by().__module__
    return next(study for study in studies() if module in study.measures)


def rerun(
    ids: Sequence[str] = (),
    *,
    workers: int = 1,
    run: Callable[..., object] = run_grid,
    tell: Callable[[str], None] = print,
) -> list[Row]:
    """Run the grids of the paper's own table that the claims need, judge the claims on them, and
    ``tell`` both verdicts. What is stored already is not run again.

    Only the grids of claims among ``ids`` run, if any are named. The records have keys and files
    of their own, so those of the stand-in stay as they are.
    """
    claims = on_stand_in(ids)
    for grid in dict.fromkeys(_study(claim).papers_table for claim in claims):
        tell(f"running what is missing of {grid}")
        run(grid, workers=workers)
    asked, before = {claim.id for claim in claims}, stored_verdicts()
    rows = evaluate(shown=lambda claim: claim.id in asked, measured=Measurer())
    _, stored = read_evidence()
    for row in rows:
        then = stored[question(row.claim)].value
        now = f"{row.verdict} ({value_in_words(row)}, {row.evidence.data})"
        tell(f"{row.claim.id}: {row.claim.statement}")
        tell(f"  stand-in: {before[row.claim.id]} ({then:.3g}); the paper's table: {now}")
    return rows
