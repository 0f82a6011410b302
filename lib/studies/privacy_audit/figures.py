"""Figures of the privacy audit."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

__all__ = ["delta_curves", "epsilons"]

BLUE, GREY, GREEN = "#0072B2", "#4B4B4B", "#009E73"


def epsilons(table: pd.DataFrame) -> tuple[Figure, str]:
    """Declared and certified epsilon of each mechanism; columns as
    :func:`lib.studies.privacy_audit.summary.certified` has them.
    """
    fig, ax = plt.subplots(figsize=(6.2, 0.34 * len(table) + 1.3))
    y = np.arange(len(table))[::-1]
    ax.hlines(
        y,
        table["epsilon_certified"],
        table["epsilon_declared"],
        color=GREY,
        linewidth=0.8,
        alpha=0.5,
    )
    ax.plot(
        table["epsilon_declared"],
        y,
        "|",
        color=GREY,
        markersize=13,
        markeredgewidth=2,
        label="declared",
    )
    ax.plot(
        table["epsilon_gaussian"].astype(float),
        y,
        "D",
        color=GREEN,
        fillstyle="none",
        markersize=6,
        label="exact, if all of ρ were one Gaussian look",
    )
    ax.plot(table["epsilon_certified"], y, "o", color=BLUE, label="certified by the runs")
    ax.set_yticks(y, table["mechanism"])
    ax.set_xlim(left=0)
    ax.set_xlabel("ε")
    fig.legend(loc="outside upper center", ncols=2)
    words = "; ".join(
        f"{row.mechanism}: declared {row.epsilon_declared:.2f}, certified"
        f" {row.epsilon_certified:.2f}"
        for row in table.itertuples()
    )
    return fig, f"Epsilon of each mechanism, declared and certified by runs: {words}."


def delta_curves(curves: pd.DataFrame) -> tuple[Figure, str]:
    """Declared and certified delta against epsilon; columns ``epsilon``, ``declared`` and
    ``certified``.
    """
    fig, ax = plt.subplots(figsize=(5.6, 3.2))
    x = curves["epsilon"]
    ax.plot(x, curves["declared"], color=GREY)
    ax.plot(x, curves["certified"], color=BLUE)
    middle = len(x) // 3
    ax.annotate(
        "declared: at most this",
        (x[middle], curves["declared"][middle]),
        (8, 4),
        textcoords="offset points",
        color=GREY,
    )
    ax.annotate(
        "certified: at least this",
        (x[middle], curves["certified"][middle]),
        (-8, -8),
        color=BLUE,
        textcoords="offset points",
        ha="right",
        va="top",
    )
    ax.set_xlim(left=0)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("ε")
    ax.set_ylabel("δ")
    ends = (
        f"declared {curves['declared'].iloc[0]:.2f} to {curves['declared'].iloc[-1]:.3f},"
        " certified "
    )
    ends += f"{curves['certified'].iloc[0]:.2f} to {curves['certified'].iloc[-1]:.3f}"
    return (
        fig,
        (
            f"Delta against epsilon from {x.iloc[0]:g} to {x.iloc[-1]:.3g}: {ends}. The certified"
            " curve lies below."
        ),
    )
