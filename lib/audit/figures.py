"""The figure of an audit: distances by group beside their nulls."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from lib.audit.table import in_order
from lib.files import printable
from lib.plotting.panels import spread
from lib.plotting.style import IN, NULL


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
    rows = in_order(summary)
    shown = [printable(" ".join(name.split())) for name in rows["group"]]
    names = [name if len(name) <= 26 else name[:25] + "…" for name in shown]
    y, is_flagged = np.arange(len(rows)), rows["group"].isin(flagged).to_numpy()
    fig, ax = plt.subplots(figsize=(4.6, 1.1 + 0.24 * len(rows)))
    kinds = {"distance, flagged": (is_flagged, IN), "distance": (~is_flagged, "none")}
    for label, (which, face) in kinds.items():
        if which.any():
            ax.errorbar(
                rows["distance"][which],
                y[which],
                xerr=spread(rows[which], "distance"),
                label=label,
                fmt="o",
                color=IN,
                markerfacecolor=face,
            )
    ax.plot(
        rows["null"],
        y,
        "|",
        label="by sampling alone",
        color=NULL,
        markersize=9,
        markeredgewidth=2,
    )
    ax.set_yticks(y, names, fontsize=8)
    ax.invert_yaxis()
    ax.set_xlim(left=0)
    ax.set_xlabel("W1 distance (at most 2)")
    fig.legend(loc="outside upper left", ncols=2, fontsize=8)
    words = "; ".join(
        f"{row.group}: {row.distance:.3f}, by sampling {row.null:.3f}" for row in rows.itertuples()
    )
    count = f"{len(names)} groups, {is_flagged.sum()} of them flagged"
    return fig, f"Learner {learner}. Distances of {count}. {words}."
