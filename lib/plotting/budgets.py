"""Figure of what a budget rho is worth in epsilon."""

from __future__ import annotations

import pandas as pd

from lib.plotting.lines import ends
from lib.plotting.panels import Picture, legend, panel
from lib.plotting.style import BLUE, DARK, GREEN, RED

_COLOURS = {"standard": DARK, "tight": BLUE, "Gaussian, exact": GREEN, "printed": RED}


def routes(table: pd.DataFrame, delta: float) -> Picture:
    """Epsilon by each conversion over the standard one, against rho.

    ``table`` has columns ``rho, standard`` and one for each other conversion.
    """
    fig, ax = panel((5.6, 3.6), "ρ (log scale)", "ε over the standard one", log="x")
    words = []
    for name, colour in _COLOURS.items():
        ratio = table[name] / table["standard"]
        style = "--" if name == "printed" else "-"
        ax.plot(table["rho"], ratio, style, color=colour, label=name)
        words.append(f"{name} {ends(ratio)}")
    legend(fig)
    return fig, (
        f"Epsilon over the standard conversion at delta {delta:g}, for rho from"
        f" {ends(table['rho'], 'g')}: {'; '.join(words)}."
    )
