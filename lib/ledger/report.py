"""``python -m lib claims``: print the ledger, check or write the stored verdicts."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

import yaml

from lib import validate
from lib.files import write_whole
from lib.ledger.authors import THEIRS
from lib.ledger.claim import COMPANION, Claim, read_claims, study_of
from lib.ledger.evidence import Measurer, differences, write_evidence
from lib.ledger.judge import STORED, Row, apart, drift, evaluate, stored_verdicts, summary
from lib.ledger.robustness import OTHER_GRIDS, on_grid
from lib.ledger.rules import TOO_CLOSE
from lib.ledger.sureness import rule_in_words, sure_in_words
from lib.stats.summary import p_in_words


def paper_in_words(paper: str) -> str:
    """The heading of a paper, else the title of its study."""
    return study_of(paper).heading or study_of(paper).title


def value_in_words(row: Row) -> str:
    """The rerun's value with its interval, a share in per cent."""
    e = row.evidence
    if row.claim.rule == "true":
        return "holds" if e.value == 1 else "does not hold"
    # three decimals where they say something, else three digits
    spec = ".3f" if e.value == 0 or 0.01 <= abs(e.value) < 10_000 else ".3g"
    if row.claim.rule == "at_least":
        spec = ".0%"
    text = format(e.value, spec)
    return text if math.isnan(e.low) else f"{text} [{e.low:{spec}}, {e.high:{spec}}]"


def statement_in_words(row: Row) -> str:
    """The claim in our words; one that no paper states begins with "Companion:", a part says
    where it is counted.
    """
    words = "Companion: " * (row.claim.paper == COMPANION) + row.claim.statement
    return "(Counted with the row that it is part of.) " * bool(row.claim.part_of) + words


def in_words(row: Row) -> str:
    """The rerun's value with its interval, runs and data, the verdicts of the claim's other
    readings, and what the authors' own results say, in one line.
    """
    other = [f"{name}: {verdict_in_words(reading)}" for name, reading in row.also.items()]
    if row.authors is not None:
        other.append(f"the authors' own results: {_in_words(row.authors)}")
    return ". ".join([_in_words(row), *(words[0].upper() + words[1:] for words in other)])


def verdict_in_words(row: Row) -> str:
    """The verdict with the rerun's value, its interval and runs, in a few words."""
    if math.isnan(row.evidence.value):
        return f"{row.verdict} ({row.evidence.detail or 'no value'})"
    share = "true of " * (row.claim.rule == "at_least")
    runs = f", {row.evidence.runs} runs" if row.evidence.runs else ""
    return f"{row.verdict} ({share}{value_in_words(row)}{runs})"


def authors_in_words(row: Row) -> str:
    """What the authors' own stored results say, with the verdict by the same rule; "not stored"
    where they lack what the measure needs, "–" where no results are needed or the row is of another
    table.
    """
    if row.authors is None:
        measured = row.evidence.runs and row.evidence.data == "real data"
        return "not stored" if measured and row.claim.paper != COMPANION else "–"
    if math.isnan(row.authors.evidence.value):
        return "not stored"
    theirs = row.authors.evidence
    bare = row.claim.rule == "at_least" and not theirs.exact and math.isnan(theirs.low)
    return f"{value_in_words(row.authors)}{' (no interval)' * bare}: {row.authors.verdict}"


def rerun_in_words(row: Row) -> str:
    """The rerun's value and its data."""
    if math.isnan(row.evidence.value):
        return "–"
    return f"{value_in_words(row)} ({row.evidence.data})"


_HOW = {
    "reproduced": "holds",
    TOO_CLOSE: "is too close to call",
    "same direction": "only points the same way",
    "not reproduced": "does not hold",
}


def finding(row: Row) -> str:
    """What the authors' own results and our rerun say together, in a sentence; empty where nothing
    of theirs is stored.

    To fail in the authors' own data and to fail in our setting are different findings.
    """
    if row.authors is None or row.authors.verdict not in _HOW:
        return ""
    theirs, ours = _HOW[row.authors.verdict], _HOW.get(row.verdict)
    place = "on our stand-in for New York" if row.evidence.data == "stand-in" else "in our rerun"
    if ours is None:
        return f"In the authors' own results it {theirs}; {place} it has no verdict."
    if theirs == ours:
        return f"In the authors' own results it {theirs}, and {place}, too."
    return f"In the authors' own results it {theirs}; {place} it {ours}."


def _in_words(row: Row) -> str:
    e = row.evidence
    if math.isnan(e.value):
        return e.detail or "no value"
    text = value_in_words(row)
    if row.claim.rule == "at_least":
        text = f"true of {text} of the cases"
    if e.runs:
        asked = e.of or study_of(row.claim.subject).runs
        text += f", {e.runs} run{'s' * (e.runs > 1)}"
        text += f" where the paper has {asked}" * (e.runs < asked and e.data != THEIRS)
    if not math.isnan(row.adjusted_p):
        below = e.value < 0 and not math.isnan(row.adjusted_opposite)
        p = row.adjusted_opposite if below else row.adjusted_p
        text += f", {p_in_words(p)} (Holm{', of the opposite' * below})"
    return text + (f"; {e.detail}" if e.detail else "")


def bars(rows: list[Row]) -> dict[str, dict[str, int]]:
    """The verdicts of each part of :func:`lib.ledger.judge.apart` by its name; † where the rule
    came after results.
    """
    return {
        paper_in_words(paper) + " †" * seen: summary(part)
        for (paper, seen), part in apart(rows).items()
    }


def write_verdicts(rows: list[Row], path: Path = STORED) -> None:
    """Store the verdicts as they follow now; rows that a replica cannot judge keep theirs, rows
    that are gone go.
    """
    known = {claim.id for claim in read_claims()}
    verdicts = {name: v for name, v in stored_verdicts(path).items() if name in known}
    verdicts |= {row.claim.id: row.verdict for row in rows if row.evidence.data != "replica"}
    write_whole(
        path,
        "# Written by: python -m lib claims --write\n" + yaml.safe_dump(verdicts, sort_keys=True),
    )


def measured_again(ids: Sequence[str], claims: list[Claim] | None = None) -> list[Row]:
    """The rows with these ids, measured now; the rest of the ledger, which the correction for many
    tests needs, by stored evidence.

    Raises
    ------
    ValueError
        If an id is not in the ledger; the message names the ids that come close to it.
    """
    known = [claim.id for claim in (read_claims() if claims is None else claims)]
    for name in ids:
        if name not in known:
            close = get_close_matches(name, known, n=5, cutoff=0.4) or known[:5]
            raise validate.refusal("id", f"one of {', '.join(map(repr, close))} or others", name)
    again, stored = Measurer(fresh=True), Measurer()
    return evaluate(
        claims,
        shown=lambda claim: claim.id in ids,
        measured=lambda claim: (again if claim.id in ids else stored)(claim),
    )


def _print(row: Row, rule: str = "") -> None:
    """A row, and its ``rule`` if that is asked for, as lines of text."""
    print(f"{row.verdict.upper():15} {row.claim.id:28} {row.claim.place}")
    print(textwrap.indent(textwrap.fill(statement_in_words(row), 96), "    "))
    data = row.evidence.data + " (stored evidence)" * row.evidence.stored
    print(f"    paper: {row.claim.value or '-'} | rerun: {in_words(row)} | data: {data}")
    print(f"    how sure: {sure_in_words(row)}")
    if words := finding(row):
        print(f"    {words}")
    if rule:
        print(textwrap.indent(textwrap.fill(f"rule: {rule}", 96), "    "))
    print()


def main(
    *,
    check: bool = False,
    write: bool = False,
    paper: str | None = None,
    file: Path | None = None,
    ids: Sequence[str] = (),
) -> int:
    """Print every row, or those of ``file`` judged alone; 1 is returned if ``check`` finds
    evidence or a verdict that no longer follows from the results. With ``ids`` only these rows
    are printed, measured again and judged within the whole ledger.
    """
    for name, value in (("file", file), ("id", " ".join(ids))):
        if value and (check or write):  # they speak of the whole ledger
            raise ValueError(f"{name} must be left out with check and write, got {str(value)!r}")
    claims = None if file is None else read_claims(file)
    if ids:
        for row in measured_again(ids, claims):
            _print(row, rule_in_words(row))
        return 0
    measured = Measurer(fresh=check or write)
    rows = evaluate(claims=claims, paper=paper, measured=measured)
    for row in rows:
        _print(row)
    for name, counts in bars(rows).items():
        print(f"{name:24} " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    print("† rules set when part of the results was known")
    if write:
        evaluate(measured=measured)  # evidence is stored whole, whichever paper is shown
    if write or (check and paper is None):
        for grid in OTHER_GRIDS:
            on_grid(grid, measured=measured)
    if write:
        write_verdicts(rows)
        write_evidence(measured.found)
    if check and (changed := drift(rows, stored_verdicts()) + differences(measured.found)):
        print(
            "\nstored verdicts and evidence that no longer follow from the results:\n  "
            + "\n  ".join(changed)
        )
        return 1
    return 0
