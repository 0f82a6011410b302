"""One picture for the question of the book: what privacy adds to the error of each group, on the
rows that the model saw and on people held out.
"""

from __future__ import annotations

import pandas as pd

from lib.plotting.panels import Picture, note, panel, ticks
from lib.plotting.style import BLUE, GREY, RED
from studies.synthesizers.summary import of_level


def group_errors(
    scores: pd.DataFrame, synthesizer: str, epsilon: float, *, seen: bool
) -> pd.DataFrame:
    """Mean error over runs of each group by sex and race: columns ``people`` (rows that the model
    saw), ``private`` (one model for everybody) and ``resampled`` (those rows drawn again, without
    privacy).

    Parameters
    ----------
    scores : DataFrame
        Scores of a ``synth_*`` grid.
    synthesizer : str
    epsilon : float
    seen : bool
        Errors against the rows that the model saw; else against people held out, and without the
        groups of which nobody was.
    """
    rows = of_level(scores, "SEX_RAC1P", seen=seen)
    plain = rows[(rows["by"] == "vanilla") & (rows["epsilon"] == epsilon)]
    private = plain[plain["synthesizer"] == synthesizer].groupby("group")
    resampled = rows[rows["synthesizer"] == "bootstrap"].groupby("group")["error"].mean()
    people = of_level(scores, "SEX_RAC1P", seen=True).groupby("group")["people"].mean()
    found = private.agg(private=("error", "mean"), share=("share", "mean"))
    found = found.assign(resampled=resampled, people=people).dropna(subset="private")
    return found.sort_values("people", kind="stable")


def added_by_size(seen: pd.DataFrame, held: pd.DataFrame, chosen: str, words: str) -> Picture:
    """What privacy adds to the error of each group against its size, twice: on the rows that the
    model saw and on people held out; one group stands out.

    Parameters
    ----------
    seen, held : DataFrame
        As :func:`group_errors` makes them.
    chosen : str
        The group that stands out, as the index names it.
    words : str
        What is written beside it.
    """
    labels = "people in the group (log scale)", "error that privacy adds"
    fig, ax = panel((4.7, 3.3), *labels, log="x")
    said, at = [], []
    for errors, colour, shape, where in (
        (seen, BLUE, "o", "on the rows that the model saw"),
        (held, RED, "s", "on people held out"),
    ):
        extra = errors["private"] - errors["resampled"]
        style = {"color": colour, "marker": shape, "linestyle": ""}
        ax.plot(errors["people"], extra, markersize=5, alpha=0.8, label=where, **style)
        at.append((errors.loc[chosen, "people"], extra[chosen]))
        ax.plot(*at[-1], markersize=9, **style)
        note(ax, f"{extra[chosen]:.2f}", at[-1], (-8, -3), color=colour, ha="right")
        said.append(
            f"{where.capitalize()} ({len(errors)} groups) it goes from {extra.iloc[0]:.2f} for the"
            f" smallest group to {extra.iloc[-1]:.2f} for the largest, and is {extra[chosen]:.2f}"
            f" for the {words}."
        )
    (people, high), (_, low) = at
    ax.plot([people] * 2, [low, high], color=GREY, linewidth=1, zorder=1)
    note(ax, words, (people, (low + high) / 2), (6, -3))
    ax.set_ylim(min(0.0, ax.dataLim.y0 - 0.05), 1.08 * ax.dataLim.y1)
    ticks(ax, (1, 10, 100, 1000), ",g")
    ax.legend(loc="upper right")
    return fig, (
        "The error that privacy adds to each group by sex and race, against the number of its "
        "people that the model saw, on a logarithmic scale. " + " ".join(said)
    )
