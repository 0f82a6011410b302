"""The report of an audit, for the person who decides about a release: two verdicts first.

The verdicts are of dependence (are the people inside treated unlike those left out, beyond
chance?) and of coherence at each alpha asked for (how often is some group more than alpha apart?).
The page is the template ``report.html.j2``; its tables and verdicts are functions here.
"""

from __future__ import annotations

import base64
import io
import json
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from lib.audit.figures import group_distances, sorted_predictions
from lib.audit.release import unknown_values
from lib.audit.request import LEAST_SHOWN
from lib.audit.run import Audit
from lib.audit.verdicts import MET, NOT_MET, ONE_SPLIT, UNDECIDED, overall, splits_needed
from lib.coherence.answers import round_outward
from lib.files import template
from lib.groups import EVERYONE, bands_in_order
from lib.paths import PACKAGE
from lib.plotting.style import BOUND_NAMES

SHOWN = 6  # groups whose predictions are drawn, per learner
_STYLE = PACKAGE / "plotting" / "companion.mplstyle"
_BOUNDS = BOUND_NAMES | {
    "theorem7": "Theorem 7 (pure DP)",
    "theorem8": "Theorem 8 (approximate DP)",
}


# --- the verdicts in words


def verdicts(audit: Audit) -> list[str]:
    """The verdict of dependence, that of coherence at each alpha, and all warnings, in words."""
    return [dependence(audit), *(words for _, _, words in coherence(audit)), *audit.warnings]


def dependence(audit: Audit) -> str:
    """The first verdict: are people inside treated unlike those left out, beyond chance?"""
    groups, flagged = len(audit.members), audit.summary[audit.summary["flagged"]]
    clear = audit.request.mode == "clear"
    inside = "whose records were learnt from" if clear else "behind the release"
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
    worst = flagged.sort_values("excess", kind="stable").iloc[-1]
    return (
        f"Dependence: not independent. In {flagged['group'].nunique()} of {groups} groups the"
        f" predictions of at least one learner treat people {inside} unlike people left out, beyond"
        f" chance. The largest excess over chance: {worst.group}, by {worst.learner}, W1 distance"
        f" {worst.distance:.3f} where sampling alone makes {worst.null:.3f}. {rate}"
    )


def coherence(audit: Audit) -> list[tuple[float, str, str]]:
    """The second verdict: ``(alpha, verdict, words)`` for each alpha, by its worst learner."""
    return [
        (alpha, overall(rows["verdict"]), f"Coherence at alpha {alpha:g}{_words(audit, rows)}")
        for alpha, rows in audit.coherence.groupby("alpha", sort=False)
    ]


def _words(audit: Audit, rows: pd.DataFrame) -> str:
    """What the learners found at one alpha, after the words "Coherence at alpha"."""
    request, verdict = audit.request, overall(rows["verdict"])
    if verdict == ONE_SPLIT:
        worst = rows.loc[rows["distance"].idxmax()]
        more = "more than" if worst.distance > worst.alpha else "not more than"
        return (
            ": one release has one split, so no share of splits can be compared with beta. In this"
            f" one, the group farthest apart ({worst.group}, by {worst.learner}, W1 distance"
            f" {worst.distance:.3f}) is {more} {worst.alpha:g} apart."
        )
    worst = rows.sort_values(["share", "distance"]).iloc[-1]
    meaning = {
        NOT_MET: f"not met. The share is above beta = {request.beta:g}.",
        MET: (
            f"met by {_and(request.learners)}. The share is at most beta = {request.beta:g}. Other"
            " learners may exceed it."
        ),
        UNDECIDED: f"undecided. The interval of the share holds beta = {request.beta:g}.",
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


# --- the tables


def group_table(audit: Audit, learner: str) -> pd.DataFrame:
    """One row a group: people, distance with interval, what sampling makes, adjusted p, verdict."""
    rows = audit.summary[audit.summary["learner"] == learner].set_index("group")
    rows = rows.loc[bands_in_order(rows.index)].reset_index()
    return pd.DataFrame(
        {
            "group": rows["group"],
            "people": rows["n"],
            "W1": rows["distance"],
            "95% low": rows["low"].clip(lower=0),
            "95% high": rows["high"].clip(upper=2),
            "sampling": rows["null"],
            "as if moved": rows["distance"] / 2 * rows["n"],
            "adjusted p": rows["adjusted"],
            "verdict": np.where(rows["flagged"], "flagged", "not flagged"),
        }
    )


def beta_table(audit: Audit, learner: str) -> pd.DataFrame:
    """The share of splits more than alpha apart with its interval: groups down, alphas across."""

    def share(alpha: float, group: str | None) -> str:
        value, low, high = audit.results[learner].beta(alpha, group)
        # a group that no split had on both sides has no share
        return f"{value:.2f} [{low:.2f}, {high:.2f}]" if value == value else "–"

    return pd.DataFrame(
        [
            {"group": group or "some group"}
            | {f"alpha {alpha:g}": share(alpha, group) for alpha in audit.request.alphas}
            for group in (None, *bands_in_order(audit.members))
        ]
    )


def alpha_table(audit: Audit) -> pd.DataFrame:
    """Each alpha in people, as if so many were moved from -1 to 1: groups down, alphas across."""
    groups = bands_in_order(audit.members)
    people = pd.Series({name: audit.members[name].sum() for name in groups}, name="people")
    moved = {f"alpha {alpha:g}": alpha / 2 * people for alpha in audit.request.alphas}
    return pd.DataFrame({"people": people} | moved).rename_axis("group").reset_index()


def epsilon_table(audit: Audit) -> pd.DataFrame:
    """The largest epsilon that each bound accepts, or the group size it needs even at epsilon 0."""
    rows = audit.epsilons
    return pd.DataFrame(
        {
            "alpha": rows["alpha"],
            "bound": rows["mode"].map(_BOUNDS),
            # rounded down: a larger one is not accepted
            "largest epsilon": [
                float(round_outward(value, 3, up=False)) for value in rows["epsilon"]
            ],
            "group needed at epsilon 0": rows["needed"],
            "in words": rows["words"],
        }
    )


def column_table(audit: Audit) -> pd.DataFrame:
    """How each column of the audited file was read."""
    lens = audit.schema.lens
    return pd.DataFrame(
        [
            (c.name, c.kind, c.why, c.distinct, c.missing, "yes" if c.name in lens else "no")
            for c in audit.schema.columns
        ],
        columns=["column", "read as", "why", "values", "missing", "in the lens"],
    )


def small_groups(audit: Audit) -> str:
    """The groups that were left out, in words; the smallest are counted together, not named."""
    least = 0 if audit.request.show_small else LEAST_SHOWN
    named = [(name, n) for name, n in audit.small.items() if n >= least]
    merged = [n for n in audit.small.values() if n < least]
    words = [f"{name} ({n})" for name, n in named]
    if merged:
        people = sum(merged)
        together = (
            f"{people} people" if people >= LEAST_SHOWN else f"fewer than {LEAST_SHOWN} people"
        )
        words.append(
            f"{len(merged)} group{'s' * (len(merged) > 1)} of fewer than {LEAST_SHOWN} people,"
            f" together {together}, whose values are not shown"
        )
    return ", ".join(words) or "none"


def unknown_table(audit: Audit) -> pd.DataFrame:
    """What of the releases the file does not hold, column by column."""
    names = {"rows": "released values", "unknown": "unknown to the file", "example": "such as"}
    columns = ["column", "read as", "rows", "unknown", "share"]
    columns += ["example"] * audit.request.show_small
    return unknown_values(audit.releases)[columns].rename(columns=names)


# --- the page


def report_html(audit: Audit) -> str:
    """The whole page as text; the same audit gives the same bytes."""
    functions = (
        dependence,
        coherence,
        group_table,
        beta_table,
        alpha_table,
        epsilon_table,
        small_groups,
        column_table,
        unknown_table,
        distance_picture,
        prediction_pictures,
    )
    named = {function.__name__: function for function in functions}
    return _TEMPLATE.render(
        named, audit=audit, request=audit.request, schema=audit.schema, least_shown=LEAST_SHOWN
    )


def report_json(audit: Audit) -> str:
    """Both verdicts with their numbers, for a program: ``dependence``, ``coherence`` and more."""
    request = audit.request
    record = {
        "file": request.file.name,
        "question": request.mode,
        "people": audit.n,
        "inside": audit.inside,
        "groups": {name: int(who.sum()) for name, who in audit.members.items()},
        "learners": request.learners,
        "dependence": {
            "verdict": "no dependence found" if audit.flagged.empty else "not independent",
            "words": dependence(audit),
            "false_alarm": request.false_alarm,
            "tests": _records(audit.verdicts),
        },
        "coherence": {
            "beta": request.beta,
            "verdicts": [
                dict(zip(("alpha", "verdict", "words"), row, strict=True))
                for row in coherence(audit)
            ],
            "learners": _records(audit.coherence),
        },
        "epsilons": _records(audit.epsilons),
        "warnings": audit.warnings,
        "seed": request.seed,
    }
    return json.dumps(record, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def _records(frame: pd.DataFrame) -> list[dict]:
    """The rows in the types of JSON, NaN as null."""
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


def distance_picture(audit: Audit, learner: str, caption: str) -> dict[str, object]:
    """The distances of the groups, those that were found marked."""
    flagged = set(audit.flagged.query("learner == @learner")["group"])
    summary = audit.results[learner].summary()
    return _picture(lambda: group_distances(summary, flagged, learner=learner), caption)


def prediction_pictures(audit: Audit, learner: str) -> list[dict[str, object]]:
    """The predictions of the first split, inside and outside, for each sensitive group."""
    h, inside, members = audit.first_split[learner]
    rows = audit.summary[audit.summary["learner"] == learner]
    sensitive = f"{audit.schema.sensitive} = {audit.schema.positive_name}"
    ranked = rows.sort_values("excess", ascending=False, kind="stable")["group"]
    groups = [g for g in dict.fromkeys([EVERYONE, sensitive, *ranked]) if g in members][:SHOWN]
    words = ("trained on" if audit.request.mode == "clear" else "behind the release", "left out")

    def draw(group: str) -> tuple[Figure, str]:
        who = members[group]
        return sorted_predictions(h[who], inside[who], group, words=words)

    return [_picture(partial(draw, g), g) for g in groups]


def _picture(draw: Callable[[], tuple[Figure, str]], caption: str) -> dict[str, object]:
    """A figure in the book's style as a PNG in base64, with its alternative text and caption."""
    file = io.BytesIO()
    with plt.style.context(_STYLE), warnings.catch_warnings():
        # a group may have a name in letters that the font has not
        warnings.filterwarnings("ignore", "Glyph")
        fig, alt = draw()
        fig.savefig(file, format="png", dpi=200, transparent=True, metadata={"Software": None})
    width, height = (round(100 * side) for side in fig.get_size_inches())
    plt.close(fig)
    png = base64.b64encode(file.getvalue()).decode()
    return {"png": png, "alt": alt, "width": width, "height": height, "caption": caption}


def _cell(value: object, spec: str) -> str:
    return "–" if value is None or value != value else format(value, spec)


_TEMPLATE = template(
    Path(__file__).with_name("report.html.j2"), autoescape=True, cell=_cell, quoted=repr
)
