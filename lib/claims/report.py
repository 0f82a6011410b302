"""``python -m lib claims``: print the ledger, check or write the stored verdicts."""

from __future__ import annotations

import math
import textwrap

import yaml

from lib.claims.ledger import STORED, Row, drift, evaluate, stored_verdicts, summary

__all__ = ["main", "in_words", "rule_in_words"]


def in_words(row: Row) -> str:
    """The rerun's value with its interval, runs and data, in one line."""
    e = row.evidence
    if math.isnan(e.value):
        return e.detail or "no value"
    if row.claim.rule == "true":
        text = "holds" if e.value == 1 else "does not hold"
    else:
        text = f"{e.value:.0%}" if row.claim.rule == "at_least" else f"{e.value:.3f}"
    if not math.isnan(e.low):
        text += f" [{e.low:.3f}, {e.high:.3f}]"
    if e.runs:
        text += f", {e.runs} runs"
    if not math.isnan(row.adjusted_p):
        text += f", p = {row.adjusted_p:.2g} (Holm)"
    return text + (f"; {e.detail}" if e.detail else "")


def rule_in_words(row: Row) -> str:
    """The rule with its tolerance, and why it was chosen."""
    tolerance = ", ".join(f"{name} {value:g}" for name, value in row.claim.tolerance.items())
    rule = " ".join(part for part in (row.claim.rule.replace("_", " "), tolerance) if part)
    return f"{rule}: {row.claim.why}" if rule else row.claim.why


def main(*, check: bool = False, write: bool = False, paper: str | None = None) -> int:
    """Print every row; 1 is returned if ``check`` finds a stored verdict that no longer follows."""
    rows = evaluate(paper=paper)
    for row in rows:
        print(f"{row.verdict.upper():15} {row.claim.id:28} {row.claim.place}")
        print(textwrap.indent(textwrap.fill(row.claim.statement, 96), "    "))
        print(f"    paper: {row.claim.value or '-'} | rerun: {in_words(row)} | data: {row.evidence.data}\n")
    print(", ".join(f"{count} {verdict}" for verdict, count in summary(rows).items()))
    if write:
        verdicts = stored_verdicts() | {row.claim.id: row.verdict for row in rows}
        STORED.write_text("# Written by: python -m lib claims --write\n" + yaml.safe_dump(verdicts, sort_keys=True))
    if check and (changed := drift(rows, stored_verdicts())):
        print("\nstored verdicts that no longer follow from the results:\n  " + "\n  ".join(changed))
        return 1
    return 0
