"""The figure of an audit: distances by group beside their nulls."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lib.audit.table import in_order
from lib.files import printable
from lib.plotting.panels import Picture, dots, legend, panel
from lib.plotting.style import IN, OUT


def group_distances(summary: pd.DataFrame, flagged: set[str], *, learner: str) -> Picture:
    """Draw each group's mean distance with its 95% interval, and what sampling alone makes.

    Parameters
    ----------
    summary : DataFrame
        As :meth:`lib.coherence.experiment.Result.summary` gives it.
    flagged : set of str
        Groups drawn in the colour of a finding.
    """
    rows = in_order(summary).rename(columns={"distance": "mean"})
    found = rows["group"].isin(flagged)
    rows["kind"] = np.where(found, "distance, flagged", "distance")
    colours = {"distance, flagged": IN, "distance": OUT}
    shown = [printable(" ".join(name.split())) for name in rows["group"]]
    fig, ax = panel((4.6, 1.1 + 0.24 * len(rows)), "W1 distance (at most 2)")
    kinds = {kind: colour for kind, colour in colours.items() if kind in set(rows["kind"])}
    dots(ax, rows, rows["group"].tolist(), ("group", "kind"), kinds)
    names = [name if len(name) <= 26 else name[:25] + "…" for name in shown]
    ax.set_yticks(range(len(rows)), names, fontsize=8)
    ax.set_xlim(left=0)
    legend(fig, fontsize=8)
    words = "; ".join(
        f"{row.group}: {row.mean:.3f}, by sampling {row.null:.3f}" for row in rows.itertuples()
    )
    count = f"{len(names)} groups, {found.sum()} of them flagged"
    return fig, f"Learner {learner}. Distances of {count}. {words}."
