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
from collections.abc import Callable, Mapping
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from lib.audit.exposure import ALL_TREES, HUGE, LARGE
from lib.audit.figures import group_distances
from lib.audit.release import unknown_values
from lib.audit.request import LEAST_SHOWN
from lib.audit.run import Audit
from lib.audit.table import in_order
from lib.audit.words import (
    at_least,
    certified,
    coherence,
    condition,
    dependence,
    gaps,
    paragraphs,
)
from lib.files import printable, template
from lib.groups import bands_in_order
from lib.paths import PACKAGE
from lib.plotting.style import BOUND_NAMES
from lib.table.columns import decisions

_STYLE = PACKAGE / "plotting" / "companion.mplstyle"
_BOUNDS = BOUND_NAMES | {
    "theorem7": "Theorem 7 (pure DP)",
    "theorem8": "Theorem 8 (approximate DP)",
}


def verdicts(audit: Audit) -> list[str]:
    """The verdict of dependence, that of coherence at each alpha, what is certified, gaps, all
    warnings, and what was recognised in the files, in words.
    """
    said = [dependence(audit), *(words for _, words in paragraphs(audit)), certified(audit)]
    said += [] if gaps(audit) in said[0] else [gaps(audit)]
    said += [*audit.warnings, *audit.table.notes]
    return [" ".join(words.split()) for words in said if words]  # a name of several lines, too


# --- the tables


def group_table(audit: Audit, learner: str) -> pd.DataFrame:
    """One row a group: people, distance with interval, what sampling makes, adjusted p, verdict,
    and the share of copied answers that any learner of the audit finds with 80% power.
    """
    rows = in_order(audit.summary[audit.summary["learner"] == learner])
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
            "found from": rows["group"].map(dict(audit.shares)),
            "gaps": rows["group"].map(audit.table.gap_shares),
        }
    )


def beta_table(audit: Audit, learner: str) -> pd.DataFrame:
    """The share of splits more than alpha apart with its interval: groups down, alphas across."""

    rows = []
    for group in (None, *bands_in_order(audit.members)):
        row = {"group": group or "some group"}
        for alpha in audit.request.alphas:
            value, low, high = audit.results[learner].beta(alpha, group)
            # a group that no split had on both sides has no share
            words = f"{value:.2f} [{low:.2f}, {high:.2f}]" if value == value else "–"
            row[f"alpha {alpha:g}"] = words
        rows.append(row)
    return pd.DataFrame(rows)


def epsilon_table(audit: Audit) -> pd.DataFrame:
    """The largest epsilon of any bound, and from which size on a group can have alpha / 2."""
    rows = audit.epsilons
    return pd.DataFrame(
        {
            "alpha": rows["alpha"],
            "largest epsilon": rows["epsilon"].map(at_least),  # a larger one is not accepted
            "bound": rows["mode"].map(_BOUNDS).fillna("–"),
            "in words": rows["words"],
            "people for alpha / 2": rows["needed"],
            "groups so large": rows["large"],
            "table for all": rows["people"],
        }
    )


def certificate_table(audit: Audit) -> pd.DataFrame:
    """The lower limit of epsilon of each group, beside what was within reach."""
    shown = in_order(audit.certificate)
    shown["epsilon"] = shown["epsilon"].map(at_least)
    return shown.rename(columns={"epsilon": "epsilon is at least"})


def column_table(audit: Audit) -> pd.DataFrame:
    """How each column of the audited file was read."""
    columns = decisions([audit.schema.answer, *audit.schema.columns])
    return columns.assign(
        **{"in the lens": np.where(columns["column"].isin(audit.schema.lens), "yes", "no")}
    )


def small_groups(audit: Audit) -> str:
    """The groups that were left out, in words; the smallest are counted together, not named."""
    least = audit.request.least_shown
    words = [f"{name} ({n})" for name, n in audit.table.small.items() if n >= least]
    if merged := [n for n in audit.table.small.values() if n < least]:
        people, few = sum(merged), f"fewer than {LEAST_SHOWN} people"
        together = f"{people} people" if people >= LEAST_SHOWN else few
        groups = "group" if len(merged) == 1 else "groups"
        words.append(
            f"{len(merged)} {groups} of {few}, together {together}, whose values are not shown"
        )
    return ", ".join(words) or "none"


def unknown_table(audit: Audit) -> pd.DataFrame:
    """What of the releases the file does not hold, column by column."""
    names = {"rows": "released values", "unknown": "unknown to the file", "example": "such as"}
    columns = ["column", "read as", "rows", "unknown", "share"]
    columns += ["example"] * audit.request.show_small
    return unknown_values(audit.releases)[columns].rename(columns=names)


# --- the page


def report_html(audit: Audit, several: Mapping[str, object] | None = None) -> str:
    """The whole page as text; the same audit gives the same bytes.

    With ``several``, the page of all in one table, of which this is the first.
    """
    functions = [group_table, beta_table, epsilon_table, column_table, unknown_table]
    functions += [certificate_table, small_groups, distance_picture]
    functions += [dependence, gaps, paragraphs, certified, condition]
    text = _TEMPLATE.render(
        {function.__name__: function for function in functions},
        audit=audit,
        several=several,
        request=audit.request,
        schema=audit.schema,
        least_shown=LEAST_SHOWN,
        large=LARGE,
        huge=HUGE,
        trees=ALL_TREES,
    )
    return printable(text)


def report_json(audit: Audit) -> str:
    """The :func:`record` of an audit as text."""
    return to_json(record(audit))


def to_json(found: object) -> str:
    """A record as text; the same record gives the same bytes."""
    return json.dumps(found, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def record(audit: Audit) -> dict[str, object]:
    """Both verdicts with their numbers, for a program: ``dependence``, ``coherence`` and more."""
    request = audit.request
    return {
        "file": request.file.name,
        "release": request.release and request.release.name,
        "sensitive": request.sensitive,
        "question": request.mode,
        "people": len(audit.table.frame),
        "inside": int(audit.table.inside.sum()),
        "cluster": request.cluster,
        "weights": request.weights,
        "count": request.count,
        "notes": audit.table.notes,
        "columns": column_table(audit).to_dict("records"),
        "gaps": {"words": gaps(audit), "groups": audit.table.gap_shares},
        "groups": {name: int(who.sum()) for name, who in audit.members.items()},
        "learners": request.learners,
        "dependence": {
            "verdict": "no dependence found" if audit.flagged.empty else "not independent",
            "words": dependence(audit),
            "false_alarm": request.false_alarm,
            "tests_in_table": audit.tests,
            "tests": records(audit.verdicts),
            "found_from": {k: s if s == s else None for k, s in audit.shares.items()},
        },
        "coherence": {
            "beta": request.beta,
            "verdicts": [
                {"alpha": alpha, "verdict": verdict, "words": words}
                for alpha, verdict, words in coherence(audit)
            ],
            "learners": records(audit.coherence),
        },
        "epsilons": records(audit.epsilons),
        "certificate": None
        if audit.certificate is None
        else {
            "words": certified(audit),
            "level": 1 - request.false_alarm,
            "delta": request.certify_delta,
            "relation": "replace one person",
            "condition": condition(request),
            "splits": request.releases,
            # a leak that no size would show is null
            "groups": records(audit.certificate.replace(np.inf, np.nan)),
        },
        "warnings": audit.warnings,
        "contained": audit.contained,
        "containment": audit.containment,
        "seed": request.seed,
    }


def records(frame: pd.DataFrame) -> list[dict]:
    """The rows in the types of JSON, NaN as null."""
    return frame.astype(object).where(frame.notna(), None).to_dict("records")


def distance_picture(audit: Audit, learner: str, caption: str) -> dict[str, object]:
    """The distances of the groups, those that were found marked."""
    flagged = set(audit.flagged.query("learner == @learner")["group"])
    summary = audit.results[learner].summary()
    return _picture(caption, group_distances, summary, flagged, learner=learner)


def _picture(
    caption: str, draw: Callable[..., tuple[Figure, str]], *what: object, **how: object
) -> dict[str, object]:
    """A figure in the book's style as a PNG in base64, with its alternative text and caption."""
    file = io.BytesIO()
    with plt.style.context(["default", _STYLE]), warnings.catch_warnings():
        # a group may have a name in letters that the font has not
        warnings.filterwarnings("ignore", "Glyph")
        fig, alt = draw(*what, **how)
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
