"""The report of an audit, for the person who decides about a release: the answer first, then how it was found."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lib.coherence.collection import EVERYONE, bands_in_order
from lib.coherence.solver import rounded
from lib.experiments.audit import Audit
from lib.experiments.audit_release import unknown_values
from lib.plots import audit_page as html
from lib.plots.audit import group_distances, sorted_predictions
from lib.plots.coherence_bounds import NAMES

__all__ = ["report_html", "answer", "group_table", "alpha_table", "epsilon_table"]

SHOWN = 6  # groups whose predictions are drawn, per learner
_WORDS = {"clear": ("trained on", "left out"), "curator": ("behind the release", "left out"),
          "release": ("behind the release", "left out")}  # fmt: skip
_FORMATS = dict.fromkeys(("W1", "95% low", "95% high", "sampling"), ".3f") | {
    "as if moved": ",.0f", "people": ",d", "adjusted p": ".3g"}  # fmt: skip
_BOUNDS = NAMES | {"theorem7": "Theorem 7 (pure DP)", "theorem8": "Theorem 8 (approximate DP)"}


def report_html(audit: Audit) -> str:
    """The whole page; the same audit gives the same bytes."""
    request = audit.request
    body = [
        html.paragraph(answer(audit), "answer found" if len(audit.flagged) or audit.warnings else "answer"),
        html.paragraph(_question(audit)),
        *(_learner(audit, name) for name in request.learners),
        _alphas(audit),
        _epsilons(audit),
        _read(audit),
        *([_release_read(audit)] if audit.readings else []),
        _limits(audit),
    ]
    return html.page(f"Demographic coherence of {request.file.name}", body)


def answer(audit: Audit) -> str:
    """What was found, in words, with the rate at which it would be found where there is nothing, and all warnings."""
    return " ".join([_found(audit), *audit.warnings])


def _found(audit: Audit) -> str:
    flagged, groups = audit.flagged, len(audit.members)
    rate = (
        f"If nothing leaked, any group at all would be flagged with probability at most {audit.request.false_alarm:g}."
    )
    if flagged.empty:
        return (
            f"Nothing found: in none of {groups} groups do the predictions of {_and(audit.request.learners)} tell those "
            f"{_WORDS[audit.request.mode][0]} from those left out. {rate} Other learners may find what these did not."
        )
    worst = _excesses(audit).merge(flagged[["learner", "group"]]).sort_values("excess").iloc[-1]
    found = flagged["group"].nunique()
    return (
        f"Incoherent: in {found} of {groups} groups the predictions of at least one learner tell those "
        f"{_WORDS[audit.request.mode][0]} from those left out. The farthest above sampling: {worst.group}, by {worst.learner}, "
        f"W1 distance {worst.distance:.3f} where sampling alone makes {worst.null:.3f}. {rate}"
    )


def _and(names) -> str:
    names = list(names)
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def _excesses(audit: Audit) -> pd.DataFrame:
    return pd.concat([result.summary().assign(learner=name) for name, result in audit.results.items()])


def _question(audit: Audit) -> str:
    r, sensitive = audit.request, f"{audit.schema.sensitive} = {audit.schema.positive}"
    if r.mode == "clear":
        return (
            f"The question: if half of the {audit.n:,} people, drawn at random, were published as they are, and somebody "
            f"learnt from that to predict {sensitive}, would the predictions differ between these people and the other half? "
            f"Asked for {r.splits} random splits."
        )
    if r.mode == "curator":
        return (
            f"The question: the curator made a release of a random half of the {audit.n:,} people, {r.splits} times, and a "
            f"learner a predictor of {sensitive} from each. Do the predictions differ between that half and the other?"
        )
    return (
        f"The question: {r.release.name} ({audit.release_rows:,} rows) was made from {audit.inside:,} people, and "
        f"{audit.n - audit.inside:,} were left out. Does a predictor of {sensitive} that was learnt from it treat the two alike? "
        f"There is one release and one split, so this report has a test and no probability over splits; intervals are over "
        f"{r.splits} trainings. The test is valid if chance decided who was left out: a hold-out from another place or "
        "time differs for reasons of its own, and then a flag may mean only that."
    )


def _learner(audit: Audit, name: str) -> str:
    result, flagged = audit.results[name], set(audit.flagged.query("learner == @name")["group"])
    summary, (h, inside, members) = result.summary(), audit.shown[name]
    over = "trainings" if audit.request.mode == "release" else "splits"
    first = [EVERYONE, f"{audit.schema.sensitive} = {audit.schema.positive}"]
    ranked = summary.sort_values("excess", ascending=False)["group"]
    chosen = [g for g in dict.fromkeys([*first, *ranked]) if g in members][:SHOWN]
    words = _WORDS[audit.request.mode]
    pictures = [
        html.drawn(lambda g=g: sorted_predictions(h[members[g]], inside[members[g]], g, words=words), g) for g in chosen
    ]
    caption = f"Distances over {audit.request.splits} {over}, 95% t intervals; the bar is what sampling alone makes."
    return html.section(
        f"Learner: {name}",
        html.drawn(lambda: group_distances(summary, flagged, learner=name), caption),
        html.table(group_table(audit, name), f"Groups under the learner {name}. As if moved: people who would have to go "
                   "from -1 to 1 for the distance.", _FORMATS),
        *([_beta(audit, name)] if audit.request.mode != "release" else []),
        html.section("Predictions of the first " + over[:-1], html.paragraph(
            f"Sorted predictions, 1 for a certain {audit.schema.positive}, -1 for a certain other. The area between the "
            "curves is the distance. Drawn: everyone, the sensitive group, and the groups farthest above sampling."),
            '<div class="grid">' + "".join(pictures) + "</div>", level=3),
    )  # fmt: skip


def group_table(audit: Audit, learner: str) -> pd.DataFrame:
    """One row a group: people, distance with interval, what sampling makes, adjusted p, flagged or not."""
    found = audit.results[learner].summary().merge(audit.verdicts.query("learner == @learner"), on=["group", "n"])
    found = found.set_index("group").loc[bands_in_order(found["group"])].reset_index()
    return pd.DataFrame({
        "group": found["group"], "people": found["n"], "W1": found["distance"], "95% low": found["low"].clip(lower=0),
        "95% high": found["high"].clip(upper=2), "sampling": found["null"], "as if moved": found["distance"] / 2 * found["n"],
        "adjusted p": found["adjusted"], "verdict": np.where(found["flagged"], "flagged", "not flagged"),
    })  # fmt: skip


def _beta(audit: Audit, name: str) -> str:
    """The estimated beta at each alpha, for the whole collection and for each group, with Clopper-Pearson intervals."""
    result = audit.results[name]
    rows = []
    for group in (None, *bands_in_order(audit.members)):
        row = {"group": group or "some group"}
        for alpha in audit.request.alphas:
            share, low, high = result.beta(alpha, group)
            defined = share == share  # a group that no split had on both sides has no share
            row[f"alpha {alpha:g}"] = f"{share:.2f} [{low:.2f}, {high:.2f}]" if defined else "–"
        rows.append(row)
    caption = (
        f"Share of {audit.request.splits} splits farther apart than alpha (the beta of this learner), 95% Clopper-Pearson. "
        "Sampling alone exceeds a small alpha in a small group."
    )
    return html.table(pd.DataFrame(rows), caption)


def alpha_table(audit: Audit) -> pd.DataFrame:
    """Each alpha in people: a group in a row, an alpha in a column."""
    wide = audit.people.pivot(index="group", columns="alpha", values="people").loc[bands_in_order(audit.members)]
    wide.columns = [f"alpha {alpha:g}" for alpha in wide.columns]
    counts = audit.people.drop_duplicates("group").set_index("group")["n"]
    return wide.assign(people=counts)[["people", *wide.columns]].reset_index()


def _alphas(audit: Audit) -> str:
    frame = alpha_table(audit)
    formats = {column: ",.0f" for column in frame.columns if column.startswith("alpha")} | {"people": ",d"}
    return html.section(
        "What each alpha would mean in people",
        html.paragraph("A distance of alpha is as if alpha/2 of a group had their prediction turned from a certain no to a "
                       "certain yes because of the release. In people of each group:"),
        html.table(frame, "Predictions turned, by alpha.", formats),
    )  # fmt: skip


def epsilon_table(audit: Audit) -> pd.DataFrame:
    """The largest epsilon that each bound accepts, rounded down, or the size of group that it would need even for epsilon 0."""
    found = audit.epsilons
    largest = found["epsilon"].map(lambda epsilon: float(rounded(epsilon, 3, up=False)))  # a larger one is not accepted
    return pd.DataFrame({"alpha": found["alpha"], "bound": found["mode"].map(_BOUNDS), "largest epsilon": largest,
                         "group needed at epsilon 0": found["needed"], "in words": found["words"]})  # fmt: skip


def _epsilons(audit: Audit) -> str:
    first = audit.epsilons.iloc[0]
    vacuous = int(audit.epsilons["epsilon"].isna().sum())
    told = (
        f"For (alpha, {audit.request.beta:g})-coherence of {len(audit.members)} groups, the smallest of {first.smallest:,} "
        f"people, in data of {first.n:,} of whom the curator sees half. These are guarantees against every learner; they are "
        "sufficient, not necessary. Theorem 8 also needs a delta far below what is usual."
    )
    if audit.request.mode == "release":
        told += " The sizes are twice those behind the release, as if as many again had been left out."
    honest = (
        f"{vacuous} of these {len(audit.epsilons)} rows have no answer: the bound is vacuous for a table of this size, and no "
        "noise however large would make it speak. That says something about the bound, not that a release would be safe or unsafe."
        if vacuous else "Every row has an answer. Whether a release at such an epsilon is of use is another question."
    )  # fmt: skip
    return html.section(
        "The epsilon that the theorems ask for", html.paragraph(told), html.paragraph(honest),
        html.table(epsilon_table(audit), "Largest epsilon by alpha and bound.",
                   {"largest epsilon": ".3g", "group needed at epsilon 0": ",d", "alpha": "g"}),
    )  # fmt: skip


def _read(audit: Audit) -> str:
    schema = audit.schema
    columns = pd.DataFrame([{"column": c.name, "read as": c.kind, "why": c.why, "values": c.distinct, "missing": c.missing,
                             "in the lens": "yes" if c.name in schema.lens else "no"} for c in schema.columns])  # fmt: skip
    notes = [
        f"Sensitive: {schema.sensitive}; {schema.positive!r} counts as 1 ({schema.positive_why}). "
        f"{audit.dropped_rows:,} rows without a value were left out.",
        "A missing number is replaced by the median, and a column says where; a missing category is a category of its own; "
        "neither belongs to a group of that column.",
        f"Groups of fewer than gamma = {audit.request.gamma:g} people were left out: "
        + (", ".join(f"{name} ({n})" for name, n in audit.small.items()) or "none") + ".",
    ]  # fmt: skip
    return html.section("How the file was read", html.bullets(notes), html.table(columns, "Columns and their types."))


def _release_read(audit: Audit) -> str:
    """What of the release, or of all releases of a curator, the file does not know."""
    frame, many = unknown_values(audit.readings), len(audit.readings) > 1
    dropped, absent = sum(r.dropped for r in audit.readings), sorted({c for r in audit.readings for c in r.other})
    notes = [
        "Numbers are compared as numbers: 1, 1.0 and 1e0 are one value, while a code with leading zeros is another than the "
        "number. All other cells are compared letter by letter.",
        f"{dropped:,} released rows without a value of {audit.schema.sensitive} were left out.",
        "Columns that the file does not have, and that were left out: " + (", ".join(absent) or "none") + ".",
    ]
    shown = frame[["column", "read as", "rows", "unknown", "share", "example"]]
    shown = shown.rename(columns={"rows": "released values", "unknown": "unknown to the file", "example": "such as"})
    return html.section(
        "How the releases were read" if many else "How the release was read", html.bullets(notes),
        html.table(shown, "Released values that the file does not hold, by column" + (", all releases together." if many else "."),
                   {"released values": ",d", "unknown to the file": ",d", "share": ".1%"}),
    )  # fmt: skip


def _limits(audit: Audit) -> str:
    r = audit.request
    again = "The same files and options give the same report."
    if r.mode == "curator":
        again = (
            "The same files and options give the same report if the curator draws by its {seed} alone."
            if "{seed}" in r.curator
            else "The curator takes no {seed}: if it draws at random, the same files and options give another report."
        )
    how = (
        "Fisher's method over the splits"
        if r.mode != "release"
        else "one reshuffling test of the mean predictor, which stops early where there is nothing"
    )
    return html.section(
        "What this cannot say",
        html.bullets([
            "Coherence quantifies over all learners, this audit ran those above. A flag is evidence of a leak; no flag is "
            "no proof of safety.",
            "Coherence is a necessary condition. A coherent release may harm in other ways, and a correct prediction that "
            "would be made without the person's record is no leak by this measure.",
            f"Null: membership reshuffled inside each group; {how}; Holm's correction over {len(audit.verdicts)} tests "
            f"({len(audit.members)} groups, {len(r.learners)} learners).",
            f"Seed {r.seed}, {r.labels} predictions. {again}",
            "This page holds exact counts and predictions of real people: keep it where the file is kept. It was made on "
            "this machine and asks for nothing from elsewhere.",
        ]),
    )  # fmt: skip
