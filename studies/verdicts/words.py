"""The rows of the ledger in words: verdicts, findings, how sure they are, and their rules."""

from __future__ import annotations

import math

from lib.ledger.authors import THEIRS
from lib.ledger.claim import COMPANION, Claim, study_of
from lib.ledger.judge import Row, rows_by_paper, summary
from lib.ledger.rules import JUDGED, TESTED, TOO_CLOSE, allowance


def p_in_words(p: float) -> str:
    """``"p = 0.012"``, and ``"p < 1e-6"`` below: smaller ones rest on the far tail of the t law,
    which runs do not follow that closely.

    Examples
    --------
    >>> p_in_words(0.0123), p_in_words(1e-164)
    ('p = 0.012', 'p < 1e-6')
    """
    return "p < 1e-6" if p < 1e-6 else f"p = {p:.2g}"


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
    words = row.claim.statement
    if row.claim.paper == COMPANION:
        words = f"Companion: {words}"
    if row.claim.part_of:
        words = f"(Counted with the row that it is part of.) {words}"
    return words


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
    share = "true of " if row.claim.rule == "at_least" else ""
    runs = f", {row.evidence.runs} runs" if row.evidence.runs else ""
    return f"{row.verdict} ({share}{value_in_words(row)}{runs})"


def authors_in_words(row: Row) -> str:
    """What the authors' own stored results say, with the verdict by the same rule; "not stored"
    where they lack what the measure needs, "–" where no results are needed or the row is of another
    table.
    """
    if row.authors is None:
        measured = row.evidence.runs and "real" in row.evidence.data
        return "not stored" if measured and row.claim.paper != COMPANION else "–"
    if math.isnan(row.authors.evidence.value):
        return "not stored"
    theirs = row.authors.evidence
    value = value_in_words(row.authors)
    if row.claim.rule == "at_least" and not theirs.exact and math.isnan(theirs.low):
        value += " (no interval)"
    return f"{value}: {row.authors.verdict}"


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
    theirs, ours = _HOW[row.authors.verdict], _HOW.get(row.verdict, "has no verdict")
    beside = ", and in our rerun, too" if theirs == ours else f"; in our rerun it {ours}"
    return f"In the authors' own results it {theirs}{beside}."


def _in_words(row: Row) -> str:
    e = row.evidence
    if math.isnan(e.value):
        return e.detail or "no value"
    text = value_in_words(row)
    if row.claim.rule == "at_least":
        text = f"true of {text} of the cases"
    if e.runs:
        asked = e.of or study_of(row.claim.subject).runs
        text += f", {_runs(e.runs)}"
        if e.runs < asked and e.data != THEIRS:
            text += f" where the paper has {asked}"
    if e.value < 0 and not math.isnan(row.adjusted_opposite):
        text += f", {p_in_words(row.adjusted_opposite)} (Holm, of the opposite)"
    elif not math.isnan(row.adjusted_p):
        text += f", {p_in_words(row.adjusted_p)} (Holm)"
    return text + (f"; {e.detail}" if e.detail else "")


def _runs(number: int) -> str:
    return "1 run" if number == 1 else f"{number} runs"


def bars(rows: list[Row]) -> dict[str, dict[str, int]]:
    """The verdicts of each part of :func:`lib.ledger.judge.apart` by its name; † where the rule
    came after results.
    """
    return {
        f"{paper_in_words(paper)} †" if seen else paper_in_words(paper): summary(part)
        for (paper, seen), part in rows_by_paper(rows).items()
    }


def sure_in_words(row: Row) -> str:
    """How sure the verdict is, from the evidence: exact, or what the runs say."""
    e, rule = row.evidence, row.claim.rule
    if row.verdict not in JUDGED:
        return "–"
    if e.exact:
        return "exact"
    runs = _runs(e.runs)
    if rule in TESTED:
        p = row.adjusted_p if e.value > 0 else row.adjusted_opposite
        return f"{runs}, {p_in_words(p)} (Holm)" if not math.isnan(p) else f"{runs}, no test"
    if rule == "true":
        return f"{runs}, a check and no proof"
    if e.own_runs:
        return f"{runs}, the paper's own"
    if math.isnan(e.low):
        return f"{runs}, no interval"
    if e.resampled:
        threshold = row.claim.tolerance["threshold"]
        met = sum(share >= threshold - 1e-8 for share in e.resampled) / len(e.resampled)
        return f"{runs}; met in {met:.0%} of the times that they are drawn again"
    if rule == "agrees":
        slack = row.claim.tolerance
        apart, allowed = (
            abs(e.value - slack["target"]),
            allowance(e, slack["tolerance"], slack["runs"]),
        )
        return f"{runs}; {apart:.2g} apart, where two such means are up to {allowed:.2g}"
    if row.verdict == TOO_CLOSE:
        return f"{runs}, the interval has both sides"
    return f"{runs}, the whole interval is on this side"


def sure_kind(row: Row) -> str:
    """How sure the verdict is, in one of five kinds, by which a reader can choose rows."""
    if row.verdict not in JUDGED:
        return "no verdict"
    if row.evidence.exact:
        return "exact"
    if row.verdict == TOO_CLOSE:
        return "the interval has both sides"
    bare = row.evidence.own_runs or math.isnan(row.evidence.low)
    return "runs without an interval" if bare else "the whole interval is on one side"


def before_in_words(claim: Claim) -> str:
    """The rule that the present one has replaced, its verdict, and why; empty if there is none."""
    if not (old := claim.before):
        return ""
    rule = _rule(old["rule"], old.get("tolerance", {}))
    measure = f" on {old['measure']}" if "measure" in old else ""
    return (
        f"Until then: {rule}{measure}, which gave {old['verdict']}; replaced because {old['why']}."
    )


def _rule(rule: str, tolerance: dict) -> str:
    numbers = (f"{name} {value:g}" for name, value in tolerance.items())
    return f"{rule.replace('_', ' ')} {', '.join(numbers)}".strip()


def rule_in_words(row: Row) -> str:
    """The rule with its tolerance, and why it was chosen; a dagger if part of the results was
    known by then; and what it has replaced.
    """
    return f"{stated_rule(row)}. {before_in_words(row.claim)}".removesuffix(". ")


def stated_rule(row: Row) -> str:
    """The rule with its tolerance, and why it was chosen; a dagger if part of the results was known
    by then.
    """
    rule = _rule(row.claim.rule, row.claim.tolerance)
    words = ": ".join(filter(None, (rule, row.claim.why)))
    return f"{words} †" if row.claim.seen else words
