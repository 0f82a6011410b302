"""The figure of the protocols themselves: error of an estimated frequency against the budget."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd

from lib.plotting.lines import simulated
from lib.plotting.panels import Picture, handle, panel, protocol_legend, ticks
from lib.plotting.style import COLOURS, LIGHT, MARKERS


def estimation_error(table: pd.DataFrame, highlight: Collection[str] = ()) -> Picture:
    """Simulated error of frequency estimates, points with 95% intervals on the exact curve.

    Parameters
    ----------
    table : DataFrame
        Columns ``protocol, epsilon, rmse, low, high, theory``.
    highlight : collection of str
        Protocols in their colours, the others in grey; all have their colours if none is named.
    """
    labels = ("budget ε of the attribute (log scale)", "error of a frequency (RMSE, log scale)")
    fig, ax = panel((6.0, 4.0), *labels, log="xy")
    for name, rows in table.groupby("protocol"):
        behind = bool(highlight) and name not in highlight
        colour, marker = (LIGHT, ".") if behind else (COLOURS[name], MARKERS[name])
        style = {"color": colour, "marker": marker, "zorder": 1 if behind else 3}
        simulated(ax, rows.sort_values("epsilon", kind="stable"), "epsilon", "theory", **style)
    ticks(ax, table["epsilon"])
    others = [handle("the other protocols", color=LIGHT, marker=".")] if highlight else []
    protocol_legend(fig, highlight or table["protocol"], *others)
    worst = (table["rmse"] / table["theory"] - 1).abs().max()
    return fig, (
        "Root mean square error of estimated frequencies against epsilon on log axes; points of"
        f" the simulation lie on the exact curves, the largest relative distance is {worst:.1%}."
    )
