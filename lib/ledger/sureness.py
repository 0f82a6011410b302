"""Words on how sure a verdict is, and on its rule: how fair it is, and what it has replaced."""

from __future__ import annotations

import math

from lib.ledger.claim import Claim, study_of
from lib.ledger.judge import Row
from lib.ledger.power import ALTERNATIVES, chances
from lib.ledger.rules import JUDGED, LEVEL, TESTED, TOO_CLOSE, allowance
from lib.stats.summary import p_in_words


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
    (:func:`lib.ledger.power.chances`); NaN where nothing says.
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
