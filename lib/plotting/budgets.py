"""Figures of budgets: what a rho is worth."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

__all__ = ["routes"]


def routes(table: pd.DataFrame, delta: float) -> tuple[Figure, str]:
    """Epsilon by each route over the standard one, against rho; columns ``rho, standard`` and
    one a route.
    """
    fig, ax = plt.subplots(figsize=(5.6, 3.6))
    words = []
    styles = {
        "standard": ("-", "#4B4B4B"),
        "tight": ("-", "#0072B2"),
        "Gaussian, exact": ("-", "#009E73"),
        "printed": ("--", "#D55E00"),
    }
    for name, (style, colour) in styles.items():
        ratio = table[name] / table["standard"]
        ax.plot(table["rho"], ratio, style, color=colour, label=name)
        words.append(f"{name} {ratio.iloc[0]:.2f} to {ratio.iloc[-1]:.2f}")
    ax.set_xscale("log")
    ax.set_xlabel("ρ (log scale)")
    ax.set_ylabel("ε over the standard one")
    fig.legend(loc="outside upper center", ncols=2)
    low, high = table["rho"].iloc[[0, -1]]
    return (
        fig,
        (
            f"Epsilon over the standard conversion at delta {delta:g}, for rho from {low:g} to"
            f" {high:g}: {'; '.join(words)}."
        ),
    )
