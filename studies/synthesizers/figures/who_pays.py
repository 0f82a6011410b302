"""One picture for the question of the book: the error of each group against its size."""

from __future__ import annotations

import pandas as pd

from lib.plotting.lines import note
from lib.plotting.panels import Picture, panel, ticks
from lib.plotting.style import BLUE, GREY, RED
from studies.synthesizers.summary import of_level


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


def error_by_size(errors: pd.DataFrame, chosen: str, words: str) -> Picture:
    """Error of each group without and with privacy against its size, and between the two what
    privacy adds; one group stands out.

    Parameters
    ----------
    errors : DataFrame
        As :func:`group_errors` makes it.
    chosen : str
        The group that stands out, as the index names it.
    words : str
        What is written beside it.
    """
    labels = "people in the group (log scale)", "error of its tables (0 to 2)"
    fig, ax = panel((4.7, 3.3), *labels, log="x")
    for group, row in errors.iterrows():
        colour, width = (RED, 3.5) if group == chosen else (BLUE, 1.6)
        ends = row["resampled"], row["private"]
        ax.plot([row["people"]] * 2, ends, color=colour, linewidth=width, alpha=0.75)
        ax.plot(row["people"], ends[0], "o", color=GREY, markersize=4)
        ax.plot(row["people"], ends[1], "o", color=colour, markersize=6)
    ax.set(ylim=(0, 2.05), yticks=[0, 0.5, 1, 1.5, 2])
    ticks(ax, (1, 10, 100, 1000), ",g")
    note(ax, words, errors.loc[chosen, ["people", "private"]], (9, 2), color=RED)
    large = errors[errors["people"] > 100].iloc[0][["people", "private", "resampled"]]
    note(ax, "with privacy", large[["people", "private"]], (-4, 8), color=BLUE)
    note(ax, "without", large[["people", "resampled"]], (-8, -3), color=GREY, ha="right")
    return fig, (
        f"Error of {len(errors)} groups by sex and race against the number of people in each, on a "
        f"logarithmic scale. With privacy the error falls from {errors['private'].max():.1f} for "
        f"the smallest to {errors['private'].min():.1f} for the largest; without privacy it is "
        "lower for every group, and what privacy adds is largest for the smallest groups. The"
        f" {words}: {errors.loc[chosen, 'resampled']:.2f} without and"
        f" {errors.loc[chosen, 'private']:.2f} with."
    )
