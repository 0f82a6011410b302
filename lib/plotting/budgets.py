"""Figure of what a budget rho is worth in epsilon."""

from __future__ import annotations

import pandas as pd

from lib.plotting.lines import ends, note
from lib.plotting.panels import Picture, panel
from lib.plotting.style import BLUE, GREY, RED

_STYLES = {"exact for a Gaussian": (BLUE, "-"), "as printed": (RED, "--")}


def routes(table: pd.DataFrame, delta: float) -> Picture:
    """Epsilon by each conversion over the standard one, against rho.

    ``table`` has columns ``rho, standard`` and one for each other conversion.
    """
    fig, ax = panel((6.4, 4.0), "budget ρ (log scale)", "ε over that of the standard", log="x")
    words = []
    for name in table.columns[1:]:
        ratio, (colour, style) = table[name] / table["standard"], _STYLES.get(name, (GREY, "-"))
        ax.plot(table["rho"], ratio, style, color=colour)
        note(ax, name, (table["rho"].iloc[-1], ratio.iloc[-1]), (5, -3), color=colour)
        words.append(f"{name} {ends(ratio)}")
    return fig, (
        f"Epsilon over the standard conversion at delta {delta:g}, for rho from"
        f" {ends(table['rho'], 'g')}: {'; '.join(words)}."
    )
