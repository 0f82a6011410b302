"""Figures of an audit: distances by group beside their nulls, and sorted predictions (Fig. 3)."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from lib.groups import bands_in_order
from lib.plotting.style import IN, NULL, OUT

_POINTS = 400  # of a curve: more are not seen


def group_distances(
    summary: pd.DataFrame, flagged: set[str], *, learner: str
) -> tuple[Figure, str]:
    """Draw each group's mean distance with its 95% interval, and what sampling alone makes.

    Parameters
    ----------
    summary : DataFrame
        As :meth:`lib.coherence.experiment.Result.summary` gives it.
    flagged : set of str
        Groups drawn filled.
    """
    summary = summary.set_index("group").loc[bands_in_order(summary["group"])].reset_index()
    names = [name if len(name) <= 26 else name[:25] + "…" for name in summary["group"]]
    y = np.arange(len(names))
    fig, ax = plt.subplots(figsize=(4.6, 1.1 + 0.24 * len(names)))
    error = [summary["distance"] - summary["low"], summary["high"] - summary["distance"]]
    ax.errorbar(summary["distance"], y, xerr=np.nan_to_num(error), linestyle="", color=IN)
    is_flagged = summary["group"].isin(flagged).to_numpy()
    for which, face, label in (
        (is_flagged, IN, "distance, flagged"),
        (~is_flagged, "none", "distance"),
    ):
        if which.any():
            ax.plot(
                summary["distance"][which],
                y[which],
                "o",
                color=IN,
                markerfacecolor=face,
                label=label,
            )
    ax.plot(
        summary["null"],
        y,
        "|",
        color=NULL,
        markersize=9,
        markeredgewidth=2,
        label="by sampling alone",
    )
    ax.set_yticks(y, names, fontsize=8)
    ax.invert_yaxis()
    ax.set_xlim(left=0)
    ax.set_xlabel("W1 distance (at most 2)")
    fig.legend(loc="outside upper left", ncols=2, fontsize=8)
    rows = "; ".join(
        f"{row.group}: {row.distance:.3f}, by sampling {row.null:.3f}"
        for row in summary.itertuples()
    )
    alt = (
        f"Learner {learner}. Distances of {len(names)} groups, {int(is_flagged.sum())} of them"
        f" flagged. {rows}."
    )
    return fig, alt


def sorted_predictions(
    h: np.ndarray, inside: np.ndarray, group: str, *, words: tuple[str, str]
) -> tuple[Figure, str]:
    """Draw the sorted predictions of those inside and outside; their area apart is the W1 distance.

    Parameters
    ----------
    h, inside : arrays of shape (n,)
        The group's people.
    words : (str, str)
        What to call inside and outside.
    """
    fig, ax = plt.subplots(figsize=(3.5, 2.5))
    words_of = []
    for which, name, colour, style in ((inside, words[0], IN, "-"), (~inside, words[1], OUT, "--")):
        values = np.sort(h[which])
        if values.size:
            share = np.linspace(0, 1, min(values.size, _POINTS))
            ax.plot(
                share,
                np.quantile(values, share, method="inverted_cdf"),
                color=colour,
                linestyle=style,
                label=name,
            )
            words_of.append(
                f"{name}: {values.size} people, mean {values.mean():.2f}, "
                f"{np.mean(values > 0):.0%} above zero"
            )
    ax.set_ylim(-1.08, 1.08)
    ax.set_xlabel("share of the group")
    ax.set_ylabel("prediction")
    fig.legend(loc="outside upper left", ncols=2, fontsize=8)
    return fig, f"Sorted predictions in the group {group}. {'; '.join(words_of)}."
