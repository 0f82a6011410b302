"""The report of an audit, for the person who decides about a release: two verdicts first, then how
they were found.

The verdicts are of dependence (are the people inside treated unlike those left
out, beyond chance?) and of coherence at each alpha asked for (how often is
some group more than alpha apart?).
"""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd

from lib.audit import page as html
from lib.audit.figures import group_distances, sorted_predictions
from lib.audit.release import unknown_values
from lib.audit.run import Audit
from lib.audit.verdicts import MET, NOT_MET, ONE_SPLIT, UNDECIDED, overall, splits_needed
from lib.coherence.collection import EVERYONE, bands_in_order
from lib.coherence.solver import rounded
from lib.studies.coherence.figures.bounds import NAMES

__all__ = [
    "report_html",
    "report_json",
    "verdicts",
    "dependence",
    "coherence",
    "group_table",
    "alpha_table",
    "epsilon_table",
]

SHOWN = 6  # groups whose predictions are drawn, per learner
_WORDS = {
    "clear": ("trained on", "left out"),
    "curator": ("behind the release", "left out"),
    "release": ("behind the release", "left out"),
}
_INSIDE = {
    "clear": "whose records were learnt from",
    "curator": "behind the release",
    "release": "behind the release",
}
_FORMATS = dict.fromkeys(("W1", "95% low", "95% high", "sampling"), ".3f") | {
    "as if moved": ",.0f",
    "people": ",d",
    "adjusted p": ".3g",
}
_BOUNDS = NAMES | {"theorem7": "Theorem 7 (pure DP)", "theorem8": "Theorem 8 (approximate DP)"}


def report_html(audit: Audit) -> str:
    """The whole page; the same audit gives the same bytes."""
    request = audit.request
    body = [
        *(html.paragraph(told, "answer found") for told in audit.warnings),
        html.paragraph(dependence(audit), "answer found" if len(audit.flagged) else "answer"),
        *(
            html.paragraph(told, "answer found" if found == NOT_MET else "answer")
            for _, found, told in coherence(audit)
        ),
        html.paragraph(_question(audit)),
        *(_learner(audit, name) for name in request.learners),
        _alphas(audit),
        _epsilons(audit),
        _read(audit),
        *([_release_read(audit)] if audit.readings else []),
        _limits(audit),
    ]
    return html.page(f"Demographic coherence of {request.file.name}", body)


def report_json(audit: Audit) -> str:
    """Both verdicts with their numbers, for a program: keys ``dependence``, ``coherence``,
    ``warnings`` and more.
    """
    request = audit.request
    found = {
        "file": request.file.name,
        "question": request.mode,
        "people": audit.n,
        "inside": audit.inside,
        "groups": {name: int(who.sum()) for name, who in audit.members.items()},
        "learners": list(request.learners),
        "dependence": {
            "verdict": "no dependence found" if audit.flagged.empty else "not independent",
            "words": dependence(audit),
            "false_alarm": request.false_alarm,
            "tests": audit.verdicts.to_dict("records"),
        },
        "coherence": {
            "beta": request.beta,
            "verdicts": [
                {"alpha": alpha, "verdict": verdict, "words": told}
                for alpha, verdict, told in coherence(audit)
            ],
            "learners": audit.coherence.to_dict("records"),
        },
        "epsilons": audit.epsilons.to_dict("records"),
        "warnings": list(audit.warnings),
        "seed": request.seed,
    }
    return json.dumps(_plain(found), indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def _plain(value: object) -> object:
    """``value`` in the types of JSON: numbers of NumPy as Python's, NaN and infinity as null."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def verdicts(audit: Audit) -> list[str]:
    """In words: the verdict of dependence, that of coherence at each alpha, and all warnings."""
    return [dependence(audit), *(told for _, _, told in coherence(audit)), *audit.warnings]


def dependence(audit: Audit) -> str:
    """The first verdict: whether the people inside are treated unlike those left out, beyond
    chance.
    """
    flagged, groups, inside = audit.flagged, len(audit.members), _INSIDE[audit.request.mode]
    rate = (
        "If no prediction depended on who was inside, some group would be flagged with probability"
        f" at most {audit.request.false_alarm:g}."
    )
    if flagged.empty:
        return (
            f"Dependence: none found. In none of {groups} groups do the predictions of"
            f" {_and(audit.request.learners)} treat people {inside} unlike people left out beyond"
            f" chance. {rate} Other learners may find what these did not."
        )
    worst = _excesses(audit).merge(flagged[["learner", "group"]]).sort_values("excess").iloc[-1]
    found = flagged["group"].nunique()
    return (
        f"Dependence: not independent. In {found} of {groups} groups the predictions of at least"
        f" one learner treat people {inside} unlike people left out, beyond chance. The largest"
        f" excess over chance: {worst.group}, by {worst.learner}, W1 distance"
        f" {worst.distance:.3f} where sampling alone makes {worst.null:.3f}. {rate}"
    )


def coherence(audit: Audit) -> list[tuple[float, str, str]]:
    """The second verdict: for each alpha asked for ``(alpha, verdict, words)``, by the learner
    farthest from it.
    """
    return [
        (alpha, overall(rows["verdict"]), _of_alpha(audit, alpha, rows))
        for alpha, rows in audit.coherence.groupby("alpha", sort=False)
    ]


def _of_alpha(audit: Audit, alpha: float, rows: pd.DataFrame) -> str:
    request, verdict = audit.request, overall(rows["verdict"])
    start = f"Coherence at alpha {alpha:g}"
    if verdict == ONE_SPLIT:
        worst = rows.loc[rows["distance"].idxmax()]
        more = "more than" if worst["distance"] > alpha else "not more than"
        return (
            f"{start}: one release has one split, so no share of splits can be compared with beta."
            f" In this one, the group farthest apart ({worst['group']}, by {worst['learner']}, W1"
            f" distance {worst['distance']:.3f}) is {more} {alpha:g} apart."
        )
    worst = rows.sort_values(["share", "distance"]).iloc[-1]
    told = {
        NOT_MET: f"not met. The share is above beta = {request.beta:g}.",
        MET: (
            f"met by {_and(request.learners)}. The share is at most beta = {request.beta:g}. Other"
            " learners may exceed it."
        ),
        UNDECIDED: f"undecided. The interval of the share holds beta = {request.beta:g}.",
    }[verdict]
    counts = (
        f"With {worst['learner']}, some group is more than {alpha:g} apart in"
        f" {worst['exceeding']:.0f} of {worst['splits']:.0f} splits (share {worst['share']:.2f},"
        f" 95% interval {worst['low']:.2f} to {worst['high']:.2f}"
        + (", for all learners together)." if len(rows) > 1 else ").")
    )
    if verdict == UNDECIDED and worst["exceeding"] == 0:
        counts += (
            f" {splits_needed(request.beta, len(request.learners))} such splits with none would"
            " decide it."
        )
    return f"{start}: {told} {counts}"


def _and(names) -> str:
    names = list(names)
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def _excesses(audit: Audit) -> pd.DataFrame:
    return pd.concat(
        [result.summary().assign(learner=name) for name, result in audit.results.items()]
    )


def _question(audit: Audit) -> str:
    r, sensitive = audit.request, f"{audit.schema.sensitive} = {audit.schema.positive}"
    if r.mode == "clear":
        return (
            f"The question: if half of the {audit.n:,} people, drawn at random, were published as"
            f" they are, and somebody learnt from that to predict {sensitive}, would the"
            " predictions differ between these people and the other half? Asked for"
            f" {r.splits} random splits."
        )
    if r.mode == "curator":
        return (
            f"The question: the curator made a release of a random half of the {audit.n:,} people,"
            f" {r.splits} times, and a learner a predictor of {sensitive} from each. Do the"
            " predictions differ between that half and the other?"
        )
    return (
        f"The question: {r.release.name} ({audit.release_rows:,} rows) was made from"
        f" {audit.inside:,} people, and {audit.n - audit.inside:,} were left out. Does a predictor"
        f" of {sensitive} that was learnt from it treat the two alike? There is one release and one"
        " split, so this report has a test and no probability over splits; intervals are over"
        f" {r.splits} trainings. The test is valid if chance decided who was left out: a hold-out"
        " from another place or time differs for reasons of its own, and then a flag may mean only"
        " that."
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
        html.drawn(
            lambda g=g: sorted_predictions(h[members[g]], inside[members[g]], g, words=words), g
        )
        for g in chosen
    ]
    caption = (
        f"Distances over {audit.request.splits} {over}, 95% t intervals; the bar is what sampling"
        " alone makes."
    )
    return html.section(
        f"Learner: {name}",
        html.drawn(lambda: group_distances(summary, flagged, learner=name), caption),
        html.table(
            group_table(audit, name),
            f"Groups under the learner {name}. As if moved: people who would have to go "
            "from -1 to 1 for the distance.",
            _FORMATS,
        ),
        *([_beta(audit, name)] if audit.request.mode != "release" else []),
        html.section(
            "Predictions of the first " + over[:-1],
            html.paragraph(
                f"Sorted predictions, 1 for a certain {audit.schema.positive}, -1 for a certain"
                " other. The area between the curves is the distance. Drawn: everyone, the"
                " sensitive group, and the groups farthest above sampling."
            ),
            '<div class="grid">' + "".join(pictures) + "</div>",
            level=3,
        ),
    )


def group_table(audit: Audit, learner: str) -> pd.DataFrame:
    """One row a group: people, distance with interval, what sampling makes, adjusted p, flagged
    or not.
    """
    found = (
        audit.results[learner]
        .summary()
        .merge(audit.verdicts.query("learner == @learner"), on=["group", "n"])
    )
    found = found.set_index("group").loc[bands_in_order(found["group"])].reset_index()
    return pd.DataFrame(
        {
            "group": found["group"],
            "people": found["n"],
            "W1": found["distance"],
            "95% low": found["low"].clip(lower=0),
            "95% high": found["high"].clip(upper=2),
            "sampling": found["null"],
            "as if moved": found["distance"] / 2 * found["n"],
            "adjusted p": found["adjusted"],
            "verdict": np.where(found["flagged"], "flagged", "not flagged"),
        }
    )


def _beta(audit: Audit, name: str) -> str:
    """The estimated beta at each alpha, for the whole collection and for each group, with
    Clopper-Pearson intervals.
    """
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
        f"Share of {audit.request.splits} splits farther apart than alpha (the beta of this"
        " learner), 95% Clopper-Pearson. Sampling alone exceeds a small alpha in a small group."
    )
    return html.table(pd.DataFrame(rows), caption)


def alpha_table(audit: Audit) -> pd.DataFrame:
    """Each alpha in people: a group in a row, an alpha in a column."""
    wide = audit.people.pivot(index="group", columns="alpha", values="people").loc[
        bands_in_order(audit.members)
    ]
    wide.columns = [f"alpha {alpha:g}" for alpha in wide.columns]
    counts = audit.people.drop_duplicates("group").set_index("group")["n"]
    return wide.assign(people=counts)[["people", *wide.columns]].reset_index()


def _alphas(audit: Audit) -> str:
    frame = alpha_table(audit)
    formats = {column: ",.0f" for column in frame.columns if column.startswith("alpha")} | {
        "people": ",d"
    }
    return html.section(
        "What each alpha would mean in people",
        html.paragraph(
            "A distance of alpha is as if alpha/2 of a group had their prediction turned from a"
            " certain no to a certain yes because of the release. In people of each group:"
        ),
        html.table(frame, "Predictions turned, by alpha.", formats),
    )


def epsilon_table(audit: Audit) -> pd.DataFrame:
    """The largest epsilon that each bound accepts, rounded down, or the size of group that it
    would need even for epsilon 0.
    """
    found = audit.epsilons
    largest = found["epsilon"].map(
        lambda epsilon: float(rounded(epsilon, 3, up=False))
    )  # a larger one is not accepted
    return pd.DataFrame(
        {
            "alpha": found["alpha"],
            "bound": found["mode"].map(_BOUNDS),
            "largest epsilon": largest,
            "group needed at epsilon 0": found["needed"],
            "in words": found["words"],
        }
    )


def _epsilons(audit: Audit) -> str:
    first = audit.epsilons.iloc[0]
    vacuous = int(audit.epsilons["epsilon"].isna().sum())
    told = (
        f"For (alpha, {audit.request.beta:g})-coherence of {len(audit.members)} groups, the"
        f" smallest of {first.smallest:,} people, in data of {first.n:,} of whom the curator sees"
        " half. These are guarantees against every learner; they are sufficient, not necessary."
        " Theorem 8 also needs a delta far below what is usual."
    )
    if audit.request.mode == "release":
        told += (
            " The sizes are twice those behind the release, as if as many again had been left out."
        )
    honest = (
        f"{vacuous} of these {len(audit.epsilons)} rows have no answer: the bound is vacuous for a"
        " table of this size, and no noise however large would make it speak. That says something"
        " about the bound, not that a release would be safe or unsafe."
        if vacuous
        else (
            "Every row has an answer. Whether a release at such an epsilon is of use is another"
            " question."
        )
    )
    return html.section(
        "The epsilon that the theorems ask for",
        html.paragraph(told),
        html.paragraph(honest),
        html.table(
            epsilon_table(audit),
            "Largest epsilon by alpha and bound.",
            {"largest epsilon": ".3g", "group needed at epsilon 0": ",d", "alpha": "g"},
        ),
    )


def _read(audit: Audit) -> str:
    schema = audit.schema
    columns = pd.DataFrame(
        [
            {
                "column": c.name,
                "read as": c.kind,
                "why": c.why,
                "values": c.distinct,
                "missing": c.missing,
                "in the lens": "yes" if c.name in schema.lens else "no",
            }
            for c in schema.columns
        ]
    )
    notes = [
        (
            f"Sensitive: {schema.sensitive}; {schema.positive!r} counts as 1"
            f" ({schema.positive_why}). {audit.dropped_rows:,} rows without a value were left out."
        ),
        (
            "A missing number is replaced by the median, and a column says where; a missing"
            " category is a category of its own; neither belongs to a group of that column."
        ),
        f"Groups of fewer than gamma = {audit.request.gamma:g} people were left out: "
        + (", ".join(f"{name} ({n})" for name, n in audit.small.items()) or "none")
        + ".",
    ]
    return html.section(
        "How the file was read",
        html.bullets(notes),
        html.table(columns, "Columns and their types."),
    )


def _release_read(audit: Audit) -> str:
    """What of the release, or of all releases of a curator, the file does not know."""
    frame, many = unknown_values(audit.readings), len(audit.readings) > 1
    dropped, absent = (
        sum(r.dropped for r in audit.readings),
        sorted({c for r in audit.readings for c in r.other}),
    )
    notes = [
        (
            "Numbers are compared as numbers: 1, 1.0 and 1e0 are one value, while a code with"
            " leading zeros is another than the number. All other cells are compared letter by"
            " letter."
        ),
        f"{dropped:,} released rows without a value of {audit.schema.sensitive} were left out.",
        "Columns that the file does not have, and that were left out: "
        + (", ".join(absent) or "none")
        + ".",
    ]
    shown = frame[["column", "read as", "rows", "unknown", "share", "example"]]
    shown = shown.rename(
        columns={"rows": "released values", "unknown": "unknown to the file", "example": "such as"}
    )
    return html.section(
        "How the releases were read" if many else "How the release was read",
        html.bullets(notes),
        html.table(
            shown,
            "Released values that the file does not hold, by column"
            + (", all releases together." if many else "."),
            {"released values": ",d", "unknown to the file": ",d", "share": ".1%"},
        ),
    )


def _limits(audit: Audit) -> str:
    r = audit.request
    again = "The same files and options give the same report."
    if r.mode == "curator":
        again = (
            "The same files and options give the same report if the curator draws by its {seed}"
            " alone."
            if "{seed}" in r.curator
            else (
                "The curator takes no {seed}: if it draws at random, the same files and options"
                " give another report."
            )
        )
    how = (
        "one exact p-value from all splits together"
        if r.mode != "release"
        else "one reshuffling test of the mean predictor, which stops early where there is nothing"
    )
    return html.section(
        "What this cannot say",
        html.bullets(
            [
                (
                    "Coherence quantifies over all learners, this audit ran those above. A flag is"
                    " evidence that predictions depend on who was inside; no flag is no proof of"
                    " safety."
                ),
                (
                    "A flag does not say that some alpha is exceeded, and a distance above alpha"
                    " does not say that the release caused it: small groups are some way apart by"
                    " sampling alone."
                ),
                (
                    "Coherence is a necessary condition. A coherent release may harm in other ways,"
                    " and a correct prediction that would be made without the person's record is no"
                    " leak by this measure."
                ),
                (
                    f"Null: membership reshuffled inside each group; {how}; Holm's correction over"
                    f" {len(audit.verdicts)} tests ({len(audit.members)} groups,"
                    f" {len(r.learners)} learners)."
                ),
                f"Seed {r.seed}, {r.labels} predictions. {again}",
                (
                    "This page holds exact counts and predictions of real people: keep it where the"
                    " file is kept. It was made on this machine and asks for nothing from"
                    " elsewhere."
                ),
            ]
        ),
    )
