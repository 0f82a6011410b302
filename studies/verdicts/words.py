"""The rows of the ledger in words: verdicts, findings, how sure they are, how fair their rules."""

from __future__ import annotations

import math

from lib.ledger.authors import THEIRS
from lib.ledger.claim import COMPANION, Claim, study_of
from lib.ledger.judge import Row, apart, summary
from lib.ledger.rules import JUDGED, LEVEL, TESTED, TOO_CLOSE, allowance
from studies.verdicts.power import ALTERNATIVES, chances


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
    theirs, ours = _HOW[row.authors.verdict], _HOW.get(row.verdict, "has no verdict")
    place = "on our stand-in for New York" if row.evidence.data == "stand-in" else "in our rerun"
    beside = f", and {place}, too" if theirs == ours else f"; {place} it {ours}"
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


def sure_in_words(row: Row) -> str:
    """How sure the verdict is, from the evidence: exact, or what the runs say."""
    e, rule = row.evidence, row.claim.rule
    if row.verdict not in JUDGED:
        return "–"
    if e.exact:
        return "exact"
    runs = f"{e.runs} run{'s' * (e.runs > 1)}"
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


def chances_of(row: Row) -> tuple[float, float]:
    """The probability that the row's rule passes if the paper is right, and if it is not
    (:func:`studies.verdicts.power.chances`); NaN where nothing says.
    """
    if row.verdict not in JUDGED:
        return math.nan, math.nan
    level = LEVEL
    if row.claim.rule == "positive" and 0 < row.evidence.p < 1 and row.adjusted_p < 1:
        level *= row.evidence.p / row.adjusted_p  # what Holm's correction left of it
    asked = max(row.evidence.of or study_of(row.claim.subject).runs, row.evidence.runs)
    return chances(row.claim.rule, row.evidence, row.claim.tolerance, paper=asked, level=level)


def chances_in_words(row: Row) -> str:
    """How often the rule passes if the paper is right, and if it is not; empty if there is no
    verdict.
    """
    right, wrong = chances_of(row)
    if math.isnan(right):
        checked = row.claim.rule == "true" and row.verdict in JUDGED
        return (
            "Not stated: how often a check with runs passes depends on how far the statement is"
            " from its opposite." * checked
        )
    if row.evidence.exact:
        return "Arithmetic: it passes if the paper is right, and fails if it is not."
    if_right, if_wrong = ALTERNATIVES[row.claim.rule]
    return (
        f"It passes with probability {_probability(right)} if the paper is right ({if_right}),"
        f" {_probability(wrong)} if it is not ({if_wrong})."
        + " So “too close to call” is no finding against the paper."
        * (row.verdict == TOO_CLOSE)
    )


def _probability(p: float) -> str:
    p = round(p, 9)  # a level over a whole number may lie on a limit
    return f"{p:.2f}" if 0.005 <= p < 0.995 else "below .01" if p < 0.5 else "above .99"


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
    known by then; its chances, and what it has replaced.
    """
    told = " ".join(filter(None, (chances_in_words(row), before_in_words(row.claim))))
    return f"{stated_rule(row)}. {told}".removesuffix(". ")


def stated_rule(row: Row) -> str:
    """The rule with its tolerance, and why it was chosen; a dagger if part of the results was known
    by then.
    """
    rule = _rule(row.claim.rule, row.claim.tolerance)
    return ": ".join(filter(None, (rule, row.claim.why))) + " †" * row.claim.seen
