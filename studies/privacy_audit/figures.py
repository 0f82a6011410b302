"""Figures of the privacy audit: declared and certified epsilon and delta, and what it sees."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from lib.plotting.lines import note
from lib.plotting.panels import Picture, panel
from lib.plotting.style import BLUE, DARK, RED, REFERENCE


def prices(seen: pd.Series, declared: float) -> Picture:
    """What the looks of a run cost, a bar for each mechanism in words, and what all declare."""
    fig, ax = panel((4.6, 0.4 * len(seen) + 1.1), "largest cost seen, in ρ")
    colours = [RED if cost > 1.01 * declared else BLUE for cost in seen]
    bars = ax.barh(_two_lines(seen.index), seen, color=colours)
    ax.bar_label(bars, fmt="{:.2f}", padding=7, fontsize=9)
    ax.axvline(declared, **REFERENCE)
    note(ax, "declared", (declared, -0.5), (3, 3), fontsize=9)
    ax.set(ylim=(len(seen) - 0.5, -0.8), xlim=(0, 1.15 * seen.max()))
    listed = "; ".join(f"{name} {cost:.2f}" for name, cost in seen.items())
    return fig, f"Bars of the largest cost in rho that a run had: {listed}; declared {declared:g}."


def _two_lines(names: Iterable[str]) -> list[str]:
    """Names that break where they have a comma, so that a phone has room beside them."""
    return [name.replace(", ", ",\n") for name in names]


def epsilons(table: pd.DataFrame) -> Picture:
    """Declared and certified epsilon of each mechanism.

    ``table`` has the columns of :func:`studies.privacy_audit.summary.certified`.
    """
    fig, ax = panel((4.6, 0.38 * len(table) + 0.8), "ε")
    declared, certified = table["epsilon_declared"], table["epsilon_certified"]
    y = np.arange(len(table))
    ax.hlines(y, certified, declared, color=DARK, linewidth=0.8, alpha=0.5)
    ax.plot(declared, y, "|", color=DARK, markersize=13, markeredgewidth=2)
    ax.plot(certified, y, "o", color=BLUE)
    note(ax, "certified", (certified.iloc[0], 0), (0, 9), color=BLUE, ha="center")
    note(ax, "declared", (declared.iloc[0], 0), (0, 9), color=DARK, ha="center")
    ax.set_yticks(y, _two_lines(table["mechanism"]))
    ax.set(xlim=(0, None), ylim=(len(table) - 0.5, -1))
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
    fig, ax = panel((4.6, 3.0), "ε", "δ")
    middle = curves.loc[len(curves) // 3]
    for name, colour in (("declared", DARK), ("certified", BLUE)):
        ax.plot(curves["epsilon"], curves[name], color=colour)
        note(ax, name, middle[["epsilon", name]], (8, 4), color=colour)
    ax.set(xlim=(0, None), ylim=(0, None))
    first, last = curves.iloc[0], curves.iloc[-1]
    return fig, (
        f"Delta against epsilon from {first.epsilon:g} to {last.epsilon:.3g}: declared"
        f" {first.declared:.2f} to {last.declared:.3f}, certified {first.certified:.2f} to"
        f" {last.certified:.3f}. The certified curve lies below."
    )
