"""One picture for the question of the book: the error of each group against its size."""

from __future__ import annotations

import pandas as pd

from lib.plotting.lines import note
from lib.plotting.panels import Picture, panel
from lib.plotting.style import BLUE, GREY, RED
from studies.synthesizers.summary import of_level

SMALL = 0.01  # groups below this share of the people are drawn in the second colour


def group_errors(scores: pd.DataFrame, synthesizer: str, epsilon: float) -> pd.DataFrame:
    """Mean error over runs of each group by sex and race: columns ``people``, ``private`` (one
    model for everybody) and ``resampled`` (rows drawn again from the table, without privacy).

    Parameters
    ----------
    scores : DataFrame
        Scores of a ``synth_*`` grid.
    """
    rows = of_level(scores, "SEX_RAC1P", seen=True)
    plain = rows[(rows["by"] == "vanilla") & (rows["epsilon"] == epsilon)]
    private = plain[plain["synthesizer"] == synthesizer].groupby("group")
    resampled = rows[rows["synthesizer"] == "bootstrap"].groupby("group")["error"].mean()
    found = private.agg(people=("people", "mean"), private=("error", "mean"))
    return found.assign(resampled=resampled, share=private["share"].mean()).sort_values(
        "people", kind="stable"
    )


def error_by_size(errors: pd.DataFrame) -> Picture:
    """Error of each group against its size; the smallest in colour.

    Parameters
    ----------
    errors : DataFrame
        As :func:`group_errors` makes it.
    """
    fig, ax = panel((4.7, 3.1), "people in the group", "error of its tables (0 to 2)", log="x")
    ax.plot(errors["people"], errors["resampled"], "o", color=GREY, markersize=3.5)
    small = errors["share"] < SMALL
    for rows, colour in ((errors[small], RED), (errors[~small], BLUE)):
        ax.plot(rows["people"], rows["private"], "o", color=colour, markersize=6)
    ax.set(ylim=(0, 2.05), yticks=[0, 0.5, 1, 1.5, 2])
    first, last = errors[small].iloc[-1], errors[~small].iloc[0]
    labelled = ["people", "private"]
    note(ax, "groups under 1%", first[labelled], (6, 6), color=RED, va="bottom")
    note(ax, "larger groups", last[labelled], (8, 8), color=BLUE)
    note(ax, "without privacy", errors.iloc[0][["people", "resampled"]], (7, -3), color=GREY)
    alt = (
        f"Error of {len(errors)} groups by sex and race against the number of people in each, on a "
        f"logarithmic scale. With privacy the error falls from {errors['private'].max():.1f} for "
        f"the smallest to {errors['private'].min():.1f} for the largest; the grey points, without "
        "privacy, are lower everywhere."
    )
    return fig, alt
