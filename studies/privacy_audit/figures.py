"""The figure of the chapter on audits: what runs cost, and what is declared."""

from __future__ import annotations

import pandas as pd

from lib.plotting.panels import Picture, note, panel
from lib.plotting.style import BLUE, RED, REFERENCE


def prices(seen: pd.Series, declared: float) -> Picture:
    """What the looks of a run cost, a bar for each mechanism in words, and what all declare."""
    fig, ax = panel((4.6, 0.4 * len(seen) + 1.1), "largest cost seen, in ρ")
    colours = [RED if cost > 1.01 * declared else BLUE for cost in seen]
    # a name breaks at its comma, so that a phone has room beside it
    bars = ax.barh(seen.index.str.replace(", ", ",\n"), seen, color=colours)
    ax.bar_label(bars, fmt="{:.2f}", padding=7, fontsize=9)
    ax.axvline(declared, **REFERENCE)
    note(ax, "declared", (declared, -0.5), (3, 3), fontsize=9)
    ax.set(ylim=(len(seen) - 0.5, -0.8), xlim=(0, 1.15 * seen.max()))
    listed = "; ".join(f"{name} {cost:.2f}" for name, cost in seen.items())
    return fig, f"Bars of the largest cost in rho that a run had: {listed}; declared {declared:g}."
