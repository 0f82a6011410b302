"""Figures of the theory of stratified means: a bound, Theorem 10, COINPRESS's intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from lib.plotting.lines import ends
from lib.plotting.panels import Picture, legend, panel, plain_ticks, ticks
from lib.plotting.style import BLUE, DARK, GREEN, RED, SERIES

_LEVELS = {
    "worst": {"linestyle": "-", "color": DARK, "label": "equal groups"},
    "observed": {"linestyle": "-", "color": RED, "label": "New York's races"},
    "best as printed": {"linestyle": ":", "color": DARK, "label": "best case, printed"},
    "best": {"linestyle": "--", "color": DARK, "label": "best case"},
}


def coverage(table: pd.DataFrame, level: float) -> Picture:
    """Quantile of simulated errors and the bound, against the number of groups.

    ``table`` has columns ``groups, k, q, bound``.
    """
    fig, ax = panel((5.6, 3.8), "groups k (log scale)", "error (log scale)", log="xy")
    words = []
    for (name, own), style, colour in zip(
        table.groupby("groups", sort=False), ("o-", "s-"), (BLUE, RED), strict=True
    ):
        ax.plot(own["k"], own["q"], style, color=colour, label=f"{level:.0%} of the tables: {name}")
        words.append(f"{name}: {ends(own['q'], '.3g')}")
    bound = table.groupby("k")["bound"].max()
    ax.plot(bound, "--", color=DARK, label="bound")
    words.append(f"bound {ends(bound, '.3g')}")
    plain_ticks(ax.yaxis)
    ax.minorticks_off()
    ticks(ax, table["k"])
    legend(fig, ncols=1)
    return fig, (
        f"Error against the number of groups, quantiles below the bound: {'; '.join(words)}."
    )


def dirichlet_curve(table: pd.DataFrame, levels: Mapping[str, float]) -> Picture:
    """Theorem 10 against alpha with draws, and horizontal lines at ``levels``.

    ``table`` has columns ``alpha, theorem, drawn, with people``.
    """
    fig, ax = panel(
        (5.8, 4.4),
        "Dirichlet parameter α (log scale)",
        "sum of log group sizes",
        ylim=(min(0.0, levels["best"]) - 5, levels["worst"] + 6),
        log="x",
    )
    curves, mark = table.set_index("alpha"), {"linestyle": "", "markersize": 4}
    ax.plot(curves["theorem"], color=BLUE, label="Theorem 10")
    ax.plot(curves["drawn"], marker="o", color=BLUE, fillstyle="none", label="draws", **mark)
    people = "draws, one person at least"
    ax.plot(curves["with people"], marker="x", color=GREEN, label=people, **mark)
    for name, style in _LEVELS.items():
        ax.axhline(levels[name], linewidth=1.2, **style)
    legend(fig)
    return fig, (
        f"Sum of log sizes rising with alpha from {ends(table['alpha'], '.2g')}, draws on the"
        f" curve; equal groups {levels['worst']:.1f}, New York {levels['observed']:.1f}, best case"
        f" {levels['best']:.1f}, printed best case {levels['best as printed']:.1f}."
    )


def intervals(paths: Mapping[str, np.ndarray], truth: float, ranges: Sequence[str]) -> Picture:
    """COINPRESS's intervals step by step, from the top, around the mean of the group.

    ``paths`` maps the title of a series to its intervals, shape (t + 1, 2).
    """
    fig, ax = panel((5.8, 0.55 * sum(map(len, paths.values())) + 1.0), "value")
    place, rows, words = 0.0, {}, []
    for (title, path), colour in zip(paths.items(), SERIES, strict=False):
        for step, (low, high) in zip(ranges, path, strict=False):
            ax.plot([low, high], [place] * 2, color=colour, linewidth=4, solid_capstyle="butt")
            ax.plot((low + high) / 2, place, "|", color="white", markersize=7)
            rows[place] = f"{title}, {step}"
            words.append(f"{title}, {step}: {low:.2f} to {high:.2f}")
            place -= 1
        place -= 0.5
    ax.axvline(truth, color=DARK, linestyle="--", linewidth=1, label="mean of the group")
    ax.set_yticks([*rows], rows.values())
    legend(fig, ncols=1)
    return fig, f"Shrinking intervals around a mean of {truth:.2f}. {'; '.join(words)}."
