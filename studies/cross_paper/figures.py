"""Figures across the papers: excess W1 of releases against epsilon, group by group, and beside
errors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from textwrap import fill

import pandas as pd
from matplotlib.axes import Axes

from lib.plotting.panels import Picture, curve, dots, epsilon_axis, legend, panel, panels
from lib.plotting.style import BLUE, DARK, GREY, OLIVE, RED, REFERENCE, SERIES, SHAPES
from lib.stats.summary import rank_correlation
from studies.synthesizers.figures.results import MECHANISMS

_MARGIN = {"color": GREY, "alpha": 0.22, "linewidth": 0}
_RELEASES = {
    "GRR linked": (RED, "o"),
    "GRR whole": (GREY, "v"),
    "OUE whole": (OLIVE, "X"),
    "MST": (MECHANISMS["MST"], "s"),
    "MST by sex & race": (BLUE, "P"),
    "AIM": (MECHANISMS["AIM"], "^"),
    "GEM": (MECHANISMS["GEM"], "D"),
}


def against_epsilon(
    table: pd.DataFrame, margin: float, clear: Mapping[tuple[str, str], float]
) -> Picture:
    """Excess against epsilon: a row an attacker, a column a group, a line a release.

    The dashed line is the excess of records published in the clear.

    Parameters
    ----------
    table : DataFrame
        Columns ``release, reader, panel, epsilon, mean, low, high``.
    clear : mapping
        (reader, panel) to the excess of the half in the clear.
    """
    readers, titles = (list(dict.fromkeys(table[column])) for column in ("reader", "panel"))
    size, shape = (3.2 + 1.9 * len(titles), 0.9 + 2.4 * len(readers)), (len(readers), len(titles))
    fig, axes = panels(size, shape, "ε (log scale)", sharex=True, sharey="row", titles=titles)
    budgets, words = sorted(table["epsilon"].unique()), []
    for row, reader in zip(axes, readers, strict=True):
        own = table[table["reader"] == reader]
        for ax, title in zip(row, titles, strict=True):
            ax.axhspan(-margin, margin, **_MARGIN)
            ax.axhline(clear[reader, title], label="in the clear", **REFERENCE)
            _lines(ax, own[own["panel"] == title])
        row[0].set_ylabel(f"{reader}: excess W₁")
        last = own[own["epsilon"] == budgets[-1]]
        top = last.loc[last["mean"].idxmax()]
        words.append(f"{top['mean']:.2f} for the {reader} ({top['release']}, {top['panel']})")
    epsilon_axis(ax, budgets)
    legend(fig, ncols=3)
    return fig, (
        f"Mean excess W1 of {table['release'].nunique()} releases against epsilon from"
        f" {budgets[0]:g} to {budgets[-1]:g}, with 95% intervals; a row of panels for each"
        f" attacker, a column for each group. At the largest epsilon the highest mean is"
        f" {' and '.join(filter(None, (', '.join(words[:-1]), words[-1])))}."
    )


def _lines(ax: Axes, part: pd.DataFrame) -> None:
    """Excess against epsilon, a line for each release."""
    for i, (name, own) in enumerate(part.groupby("release", sort=False)):
        colour, marker = _RELEASES.get(str(name), (DARK, "."))
        own = own.sort_values("epsilon", kind="stable")
        x = own["epsilon"] * 1.06 ** (i - part["release"].nunique() / 2)
        curve(ax, own, x, color=colour, marker=marker, label=name, capsize=1.2)


def groups(table: pd.DataFrame, margin: float) -> Picture:
    """Excess of one attacker on each group by name, from the largest, one colour a release.

    ``table`` has columns ``release, group, people, mean, low, high``.
    """
    table = table.sort_values("people", ascending=False, kind="stable")
    titles = table["group"] + table["people"].map(" ({:,.0f})".format)
    colours = dict(zip(dict.fromkeys(table["release"]), (GREY, BLUE, RED), strict=False))
    names = list(dict.fromkeys(titles))
    fig, ax = panel((6.4, 1.0 + 0.33 * len(names)), "excess W₁")
    dots(ax, table.assign(title=titles), names, ("title", "release"), colours)
    ax.axvspan(-margin, margin, **_MARGIN)
    ax.set_yticks(range(len(names)), [fill(name, 30) for name in names])
    legend(fig, ncols=3)
    words = []
    for release, own in table.set_index("group").groupby("release", sort=False):
        part = own["mean"]
        words.append(
            f"{release} is above the margin of {margin:g} on {int((part > margin).sum())} of"
            f" {part.size} and highest for {part.idxmax()}, {part.max():.2f}"
        )
    first, *_, last = table["group"]
    return fig, (
        f"Mean excess W1 with 95% intervals for {titles.nunique()} groups from the largest,"
        f" {first}, to the smallest, {last}, one colour for each release:"
        f" {'; '.join(words)}."
    )


def scatter(
    table: pd.DataFrame, x: str, y: str, names: Mapping[str, str], colour: str = "epsilon"
) -> Picture:
    """Points of ``table``, one colour a value of ``colour``; ``names`` are the axes' labels."""
    fig, ax = panel((6.4, 3.9), names[x], names[y])
    for i, (value, own) in enumerate(table.groupby(colour)):
        text = f"ε = {value:g}" if isinstance(value, float) and math.isfinite(value) else str(value)
        style = {"color": SERIES[i % len(SERIES)], "markersize": 4, "alpha": 0.75}
        ax.plot(own[x], own[y], SHAPES[i % len(SHAPES)], label=text, **style)
    legend(fig, ncols=5)
    rho = rank_correlation(table[x], table[y])
    across, up = (names[axis].replace("W₁", "W1") for axis in (x, y))
    return fig, (
        f"Scatter plot of {len(table)} points. Across: {across}, from {table[x].min():.2f} to"
        f" {table[x].max():.2f}; up: {up}, from {table[y].min():.2f} to {table[y].max():.2f}."
        f" The rank correlation over all points is {rho:+.2f}."
    )
