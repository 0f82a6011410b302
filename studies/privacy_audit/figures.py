"""Figures of the privacy audit: declared and certified epsilon and delta."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lib.plotting.lines import note
from lib.plotting.panels import Picture, legend, panel, panels, ticks
from lib.plotting.style import BLUE, DARK, GREY


def epsilons(table: pd.DataFrame) -> Picture:
    """Declared and certified epsilon of each mechanism.

    ``table`` has the columns of :func:`studies.privacy_audit.summary.certified`.
    """
    y = np.arange(len(table))[::-1]
    fig, ax = panel((6.2, 0.34 * len(table) + 1.3), "ε")
    declared, certified = table["epsilon_declared"], table["epsilon_certified"]
    ax.hlines(y, certified, declared, color=DARK, linewidth=0.8, alpha=0.5)
    bar = {"markersize": 13, "markeredgewidth": 2, "label": "declared"}
    ax.plot(declared, y, "|", color=DARK, **bar)
    hollow = {"fillstyle": "none", "label": "exact, if all of ρ were one Gaussian look"}
    ax.plot(table["epsilon_gaussian"].astype(float), y, "D", color=GREY, markersize=6, **hollow)
    ax.plot(certified, y, "o", color=BLUE, label="certified by the runs")
    ax.set_yticks(y, table["mechanism"])
    ax.set_xlim(left=0)
    legend(fig)
    words = "; ".join(
        f"{row.mechanism}: declared {row.epsilon_declared:.2f}, certified"
        f" {row.epsilon_certified:.2f}"
        for row in table.itertuples()
    )
    return fig, f"Epsilon of each mechanism, declared and certified by runs: {words}."


def delta_curves(curves: pd.DataFrame) -> Picture:
    """Declared and certified delta against epsilon.

    ``curves`` has columns ``epsilon``, ``declared`` and ``certified``.
    """
    fig, ax = panel((5.6, 3.2), "ε", "δ")
    middle = curves.loc[len(curves) // 3]
    ax.plot(curves["epsilon"], curves["declared"], color=DARK)
    note(ax, "declared: at most this", middle[["epsilon", "declared"]], (8, 4), color=DARK)
    ax.plot(curves["epsilon"], curves["certified"], color=BLUE)
    below = {"color": BLUE, "ha": "right", "va": "top"}
    note(ax, "certified: at least this", middle[["epsilon", "certified"]], (-8, -8), **below)
    ax.set_xlim(left=0)
    ax.set_ylim(bottom=0)
    first, last = curves.iloc[0], curves.iloc[-1]
    return fig, (
        f"Delta against epsilon from {first.epsilon:g} to {last.epsilon:.3g}: declared"
        f" {first.declared:.2f} to {last.declared:.3f}, certified {first.certified:.2f} to"
        f" {last.certified:.3f}. The certified curve lies below."
    )


KINDS = {
    "noise": "noise, share of what is stated",
    "selections": "selections, times their ε",
    "loss": "loss, times the budget",
}


def limits(table: pd.DataFrame) -> Picture:
    """The smallest faults seen in half and in 95% of the replicates, a panel for each kind.

    ``table`` is as :func:`studies.privacy_audit.summary.limits` returns it.
    """
    names = [*dict.fromkeys(table["mechanism"])]
    size = (7.4, 0.3 * len(names) + 1.4)
    fig, grid = panels(size, (1, len(KINDS)), titles=KINDS.values(), sharey=True)
    words = []
    for ax, what in zip(grid[0], KINDS, strict=True):
        rows = table[table["what"] == what].set_index("mechanism").loc[names]
        y = np.arange(len(rows))[::-1]
        ax.hlines(y, rows["half"], rows["most"], color=BLUE, linewidth=1.2)
        ax.plot(
            rows["half"], y, "o", color=BLUE, fillstyle="none", label="seen in half of the tries"
        )
        ax.plot(rows["most"], y, "o", color=BLUE, label="seen in 95%")
        ax.axvline(1.0, color=GREY, linewidth=0.8)
        if what != "noise":
            ax.set_xscale("log")
            ticks(ax, (1, 2, 5, 10))
        ax.set_yticks(y, names)
        words += [f"{KINDS[what]}: {rows['most'].min():.3g} to {rows['most'].max():.3g}"]
    legend(fig)
    return fig, f"Smallest fault seen in 95% of the tries, over mechanisms. {'; '.join(words)}."
