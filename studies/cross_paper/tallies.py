"""Figure of the verdicts on claims, counted."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import fill

import pandas as pd

from lib.plotting.panels import Picture, legend, panel
from lib.plotting.style import GREEN, RED

VERDICT_COLOURS = {
    "reproduced": GREEN,
    "too close to call": "#3B6FA0",
    "same direction": "#8A6D00",
    "not reproduced": RED,
    "not comparable": "#707070",
    "not run": "#D0D0D0",
}


def tallies(counts: Mapping[str, Mapping[str, int]]) -> Picture:
    """One bar for each name in ``counts`` (name to how many rows have each verdict), cut by it.

    Narrow enough for a phone, names and legend included.
    """
    table = pd.DataFrame(counts).T.reindex(columns=VERDICT_COLOURS).fillna(0).astype(int)
    fig, ax = panel((3.9, 1.5 + 0.5 * len(table)), "claims")
    names = [fill(name, 13) for name in table.index]
    left = table.cumsum(axis=1) - table
    for verdict, colour in VERDICT_COLOURS.items():
        style = {"color": colour, "height": 0.62, "label": verdict}
        bars = ax.barh(names, table[verdict], left=left[verdict], **style)
        ink = "black" if verdict == "not run" else "white"
        numbers = [str(n or "") for n in table[verdict]]
        ax.bar_label(bars, numbers, label_type="center", fontsize=8, color=ink)
    ax.invert_yaxis()
    ax.grid(visible=False)
    legend(fig)
    words = "; ".join(
        f"{name}: " + ", ".join(f"{n} {verdict}" for verdict, n in tally.items() if n)
        for name, tally in counts.items()
    )
    return fig, f"Verdicts by paper. {words}."
