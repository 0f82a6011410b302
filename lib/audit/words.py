"""The two verdicts of an audit in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from lib.audit.exposure import MET, NOT_MET, ONE_SPLIT, UNDECIDED, overall, splits_needed
from lib.audit.request import Request
from lib.audit.run import COPIED, Audit
from lib.coherence.answers import round_outward
from lib.table.columns import LOUD_GAPS


def gaps(audit: Audit) -> str:
    """Which texts were read as gaps, where, and of how many people; a warning if of many."""
    table, total = audit.table, len(audit.table.gaps) + audit.table.dropped_rows
    named = [audit.schema.answer, *(c for c in audit.schema.columns if c.name in table.used)]
    read = [f"{c.name}: {words}" for c in named if (words := c.gap_words)]
    people = int(table.gaps.sum()) + table.dropped_rows
    if not read:
        return "No cell was read as a gap."
    share = people / total
    said = f"Read as gaps, of {people:,} of {total:,} people ({share:.1%}): {'; '.join(read)}."
    if share <= LOUD_GAPS:
        return said
    if table.dropped_rows:
        said += f" People without a value of {audit.schema.sensitive} are left out."
    group, most = max(table.gap_shares.items(), key=lambda found: found[1])
    if most > 0:
        said += (
            " A person with a gap is in no group of that column. The group with most is"
            f" {group}, {most:.1%}."
        )
    return f"Warning: {said} If such a text is a value, declare the column text, or give --gaps."


def dependence(audit: Audit) -> str:
    """The first verdict: are people inside treated unlike those left out, beyond chance? And a
    warning of gaps.
    """
    warned = gaps(audit)
    return _dependence(audit) + (f" {warned}" if warned.startswith("Warning") else "")


def _dependence(audit: Audit) -> str:
    groups, flagged = len(audit.members), audit.summary[audit.summary["flagged"]]
    request = audit.request
    inside = "whose records were learnt from" if request.mode == "clear" else "behind the release"
    rest = (
        f"{power([audit])} If no prediction depended on who was inside, some group would be flagged"
        f" with probability at most {request.false_alarm:g}."
    )
    if request.cluster is not None:
        rest += f" Whole values of {request.cluster} are inside or left out, and reshuffled."
    elif request.mode == "release":
        rest += (
            " People are taken as independent of each other; if households were inside or left out"
            " as wholes, give --cluster, or false alarms are more frequent."
        )
    else:
        rest += " Halves are drawn person by person."
    if request.weights is not None:
        rest += (
            f" A value of {request.weights} is taken for how many people a row stands for:"
            " distances are weighted by it; learners, sizes and epsilon are not."
        )
    if flagged.empty:
        return (
            f"Dependence: none found. In none of {groups} groups do the predictions of"
            f" {_and(request.learners)} differ, by more than chance, between people {inside} and"
            f" people left out. {rest} Other learners may find what these did not."
        )
    worst = flagged.sort_values("excess", kind="stable").iloc[-1]
    return (
        f"Dependence: not independent. In {flagged['group'].nunique()} of {groups} groups at"
        f" least one learner predicts differently for people {inside} than for people left out, by"
        f" more than chance. The largest excess over chance: {worst.group}, by {worst.learner},"
        f" W1 distance {worst.distance:.3f} where sampling alone makes {worst.null:.3f}."
        f" {rest}"
    )


def power(audits: Sequence[Audit], names: Sequence[str] = ("",)) -> str:
    """What could have been found in groups without a flag, or in all, and what to do next; the
    ``names`` of several audits follow those of their groups.
    """
    shares: dict[str, float] = {}
    flagged: set[str] = set()
    copied: set[str] = set()
    for audit, name in zip(audits, names, strict=True):
        shares |= {f"{group}{name}": share for group, share in audit.shares.items()}
        copied |= {f"{group}{name}" for group, held in audit.released.items() if held >= COPIED}
        flagged |= {f"{group}{name}" for group in audit.flagged["group"]}
    asked = [group for group in shares if group not in flagged] or list(shares)
    known = sorted((shares[g], g) for g in asked if not math.isnan(shares[g]))
    none = [g for g in asked if math.isnan(shares[g]) and g not in flagged]
    cluster = audits[0].request.cluster
    who = "people" if cluster is None else f"values of {cluster}"
    words = []
    if not known and not none:
        words = ["Beside that, no share of copied answers would have been found with 80% power."]
    if known:
        (least, group), (most, last) = known[0], known[-1]
        words.append(
            f"A release that copied the answers of {_percent(least)} of the {who} inside would have"
            f" been found with 80% power in the group {group}, if a learner then knew them."
        )
        if len(known) > 1:
            words.append(f"In {last} it takes {_percent(most)}, the most of all.")
    if none:
        some = f"{none[0]} and {len(none) - 1} more" if len(none) > 1 else none[0]
        words.append(
            f"Nothing could have been found in {some}: not even a release that copied all answers"
            " would have been found there with 80% power."
        )
        if copied.issuperset(none):
            words.append(
                f"What was learnt from may be such a release: it has the records of {COPIED:.0%} or"
                " more of the people inside, and no learner told them from people left out."
            )
    more = "people" if audits[0].request.mode == "release" else "splits or people"
    after = f"if a smaller leak would be too much, audit more {more}"
    if flagged:
        after = "publish less, or with more noise, and audit that before it is released"
    elif none:
        after = (
            f"where nothing could have been found, audit more {more}, with columns that tell people"
            " apart, or with other learners"
        )
    words.append(f"Next: {after}.")
    return " ".join(words)


def _percent(share: float) -> str:
    return f"{math.ceil(1000 * share - 1e-9) / 10:g}%"


def at_least(value: float) -> float:
    """A limit to three digits, which is no larger."""
    return float(round_outward(value, 3, up=False))


def condition(request: Request) -> str:
    """On what a certificate rests: that chance decided who was left out."""
    if request.mode == "release":
        return "if chance alone decided who was left out (the audit did not draw them)"
    return "as chance drew the halves"


def certified(audit: Audit) -> str:
    """What the certificate says, and what it does not; empty if none was asked for."""
    if audit.certificate is None:
        return ""
    request, groups = audit.request, audit.certificate
    given, delta, halves = condition(request), request.certify_delta, request.releases
    claim = "epsilon-DP" if delta == 0 else f"(epsilon, {delta:g})-DP"
    rule = (
        f"(for {claim} when one person is replaced; for adding or removing one, halve it; with"
        f" {1 - request.false_alarm:.0%} confidence for all {len(groups)} groups together;"
        f" {'1 half' if halves == 1 else f'{halves} halves'} tested)"
    )
    above = groups[groups["epsilon"] > 0].sort_values("epsilon", ascending=False, kind="stable")
    if above.empty:
        least = groups["smallest leak"].min()
        missed = (
            "a leak of any size may have been missed"
            if math.isinf(least)
            else f"a log odds ratio below {least:.2f} may have been missed"
        )
        return (
            f"Certified epsilon, {given}: none above 0 {rule}. That does not mean private: other"
            f" names may be right more often. And even in the group where least is needed, {missed}"
            " in more than one audit of five."
        )
    limits = [f"at least {at_least(row.epsilon):g} for {row.group}" for row in above.itertuples()]
    return (
        f"Certified epsilon, {given}: {_and(limits[:3])} {rule}. In {len(above)} of {len(groups)}"
        f" groups the limit is above 0. A curator that keeps epsilon below a limit gets such an"
        f" audit with probability at most {request.false_alarm:.2g}, {given}. That a group has no"
        " limit does not make it private."
    )


def coherence(audit: Audit) -> list[tuple[float, str, str]]:
    """The second verdict: ``(alpha, verdict, words)`` for each alpha, by its worst learner."""
    return [
        (alpha, overall(rows["verdict"]), f"Coherence at alpha {alpha:g}{_words(audit, rows)}")
        for alpha, rows in audit.coherence.groupby("alpha", sort=False)
    ]


def paragraphs(audit: Audit) -> list[tuple[str, str]]:
    """:func:`coherence` for a person: ``(verdict, words)``, one of all alphas for one release."""
    found = [(verdict, words) for _, verdict, words in coherence(audit)]
    one = len(found) > 1 and found[0][0] == ONE_SPLIT
    return [(ONE_SPLIT, f"Coherence{_words(audit, audit.coherence)}")] if one else found


def _words(audit: Audit, rows: pd.DataFrame) -> str:
    """What the learners found at one alpha, or of one release at several, after "Coherence"."""
    request, verdict = audit.request, overall(rows["verdict"])
    if verdict == ONE_SPLIT:
        worst = rows.loc[rows["distance"].idxmax()]
        alphas = sorted(rows["alpha"].unique())
        sides = {
            "more than": [f"{alpha:g}" for alpha in alphas if worst.distance > alpha],
            "not more than": [f"{alpha:g}" for alpha in alphas if worst.distance <= alpha],
        }
        said = " and ".join(f"{side} {_and(those)}" for side, those in sides.items() if those)
        return (
            ": one release has one split, so no share of splits can be compared with beta. In this"
            f" one, the group farthest apart ({worst.group}, by {worst.learner}, W1 distance"
            f" {worst.distance:.3f}) is {said} apart."
        )
    worst = rows.sort_values(["share", "distance"]).iloc[-1]
    beta = f"beta = {request.beta:g}"
    meaning = {
        NOT_MET: f"not met. The share of splits beyond it is above {beta}.",
        MET: f"met by {_and(request.learners)}. The share of splits beyond it is at most {beta}."
        " Other learners may exceed it.",
        UNDECIDED: f"undecided. The interval of the share of splits beyond it holds {beta}.",
    }[verdict]
    together = ", for all learners together" if len(rows) > 1 else ""
    words = (
        f": {meaning} With {worst.learner}, some group is more than {worst.alpha:g} apart in"
        f" {worst.exceeding} of {worst.splits} splits (share {worst.share:.2f}, 95% interval"
        f" {worst.low:.2f} to {worst.high:.2f}{together})."
    )
    if verdict == UNDECIDED and worst.exceeding == 0:
        needed = splits_needed(request.beta, len(request.learners))
        words += f" {needed} such splits with none would decide it."
    return words


def _and(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
