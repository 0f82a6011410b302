"""Figures of the stratified means: errors of the methods, and group sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from lib.plotting.panels import (
    Picture,
    band,
    curve,
    ends,
    legend,
    log_if_wide,
    note,
    panel,
    panels,
    ticks,
)
from lib.plotting.style import BLUE, DARK, GREY, OLIVE, RED, REFERENCE
from studies.private_means.scores import METHODS, of_method

COLOURS = dict(zip(METHODS, (GREY, BLUE, OLIVE), strict=True))  # red: who loses
NAMES = dict(zip(METHODS, ("plain", "stratified", "public weights"), strict=True))


def with_names(scores: pd.DataFrame) -> pd.DataFrame:
    """``scores`` with the method's name in words in a column ``series``."""
    return scores.assign(series=scores["method"].map(NAMES))


def curves(
    rows: pd.DataFrame,
    x: str,
    labels: tuple[str, str],
    colours: Mapping[str, str],
    *,
    dashed: str = "",
    facet: str = "",
    places: Sequence[float] = (),
) -> Picture:
    """Means with 95% bands against ``x``, a line for each series, its name at its right end.

    Parameters
    ----------
    rows : DataFrame
        With columns ``x``, ``series``, ``mean`` and, for a band, ``low`` and ``high``.
    labels : (str, str)
        Of the two axes, both logarithmic.
    colours : mapping
        The series to draw, in order, and their colours; no name is written at the end of a series
        that begins with an underscore.
    dashed : str
        The series drawn with dashes: a bound, or what there would be without noise.
    facet : str
        A column with one panel for each of its values, two in a row.
    places : sequence of float
        Ticks of the horizontal axis.
    """
    parts = dict(iter(rows.groupby(facet, sort=False))) if facet else {"": rows}
    deep = -(-len(parts) // 2)
    size = (7.6, 0.7 + 2.5 * deep) if facet else (4.6, 3.4)
    shape = (deep, min(2, len(parts)))
    fig, grid = panels(size, shape, titles=parts, log="x", sharex=True, sharey=bool(facet))
    fig.supxlabel(labels[0], fontsize=10)
    fig.supylabel(labels[1], fontsize=10)
    words, named = [], []
    for ax, (title, part) in zip(grid.flat, parts.items(), strict=False):
        last = {}
        for name, colour in colours.items():
            own = part[part["series"] == name].sort_values(x, kind="stable")
            line = "--" if name == dashed else "-"
            if "low" in own:
                band(ax, own, x, most=np.inf, linestyle=line, color=colour)
            else:
                ax.plot(own[x], own["mean"], linestyle=line, color=colour)
            if not name.startswith("_"):  # as in Matplotlib, a series without a name
                last[name] = own[x].iloc[-1], own["mean"].iloc[-1]
            words.append(f"{title} {name.lstrip('_')} from {ends(own['mean'], '.3g')}".strip())
        ticks(ax, places or part[x], fontsize=8)
        log_if_wide(ax, rows["mean"])
        named.append((ax, last))
    fig.canvas.draw()  # the scales, which panels share, are final
    for ax, last in named:
        name_ends(ax, last, colours)
    for ax in list(grid.flat)[len(parts) :]:
        ax.set_visible(False)
    return fig, f"{labels[1]} against {labels[0]}: {'; '.join(words)}."


def name_ends(
    ax: Axes, ends: Mapping[str, tuple[float, float]], colours: Mapping[str, str]
) -> None:
    """Write each name beside its point, in its colour, names at least a line apart."""
    height = 0.095 if ax.get_window_extent().height < 180 else 0.06
    to_axes = ax.transData + ax.transAxes.inverted()
    spots = sorted((to_axes.transform(point)[1], name) for name, point in ends.items())
    lowest = 0.0
    for i, (y, name) in enumerate(spots):
        above = len(spots) - 1 - i
        lowest = max(min(y, 1 - height * above), lowest)
        style = {"color": colours[name], "fontsize": 8.5, "va": "center"}
        note(ax, name, (ends[name][0], lowest), (6, 0), xycoords=("data", "axes fraction"), **style)
        lowest += height


def by_size(strata: pd.DataFrame, small: float, xlabel: str, ylabel: str) -> Picture:
    """Error of each stratum against its size: of its own private mean, and of everybody's.

    ``strata`` has columns ``people``, ``plain``, ``stratified``; a dotted line is drawn at the size
    ``small``.
    """
    fig, ax = panel((5.2, 3.8), xlabel, ylabel, log="xy")
    worse = strata["stratified"] > strata["plain"]
    ax.plot(strata["people"], strata["plain"], "s", color=GREY, markersize=6)
    for rows, ink in ((strata[~worse], BLUE), (strata[worse], RED)):
        ax.plot(rows["people"], rows["stratified"], "o", color=ink, markersize=6)
    right, loser = strata["people"].max(), strata[worse].nlargest(1, "stratified")
    for x, y, words, colour, side in (
        (right, strata["plain"].max(), "everybody's mean", GREY, "right"),
        (right, strata["stratified"].min(), "a mean of its own", BLUE, "right"),
        *((*at, "its own, and worse", RED, "") for at in loser[["people", "stratified"]].values),
    ):
        side = side or ("left" if x**2 < right * strata["people"].min() else "right")
        note(ax, words, (x, y), (4, 9), color=colour, ha=side, fontsize=9.5)
    ax.axvline(small, **REFERENCE | {"linewidth": 0.9})
    note(ax, "0.1%", (small, 0.97), (4, -8), xycoords=("data", "axes fraction"), fontsize=8.5)
    ax.minorticks_off()
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.yaxis.set_major_formatter("{x:g}")
    by_size = strata.sort_values("people", kind="stable")["stratified"]
    return fig, (
        f"{ylabel} against {xlabel}, both logarithmic. Own mean: from"
        f" {ends(by_size, '.3g')} with the size. Mean of"
        f" everybody: {strata['plain'].min():.2g} to {strata['plain'].max():.2g}. The own mean is"
        f" worse in {worse.sum()} of {len(strata)} groups."
    )


def census(
    scores: pd.DataFrame, variables: Mapping[str, str], metrics: Mapping[str, str]
) -> Picture:
    """A row a variable, a column a metric, points at the number of strata (Figures 2 and 8)."""
    shape = (len(variables), len(metrics))
    size = (0.8 + 3.4 * len(metrics), 0.8 + 2.2 * len(variables))
    fig, axes = panels(size, shape, "number of groups", sharex=True, log="x")
    words = []
    for ax, (variable, metric) in zip(axes.flat, product(variables, metrics), strict=True):
        ax.set_title(f"{variables[variable]}: {metrics[metric]}", fontsize=9.5)
        part = scores[(scores["variable"] == variable) & (scores["metric"] == metric)]
        for i, (name, colour) in enumerate(COLOURS.items()):
            own = of_method(part, metric, name)
            style = {"color": colour, "marker": "so^"[i], "label": NAMES[name], "linestyle": ""}
            curve(ax, own, own["strata"] * 1.04 ** (i - 1), most=np.inf, **style)
            median = f"median {own['mean'].median():.3g}"
            words.append(f"{variables[variable]} {metric}, {name}: {median}")
        log_if_wide(ax, part["mean"])
        ticks(ax, (2, 5, 10, 20, 50, 100))
    legend(fig, ncols=3)
    return fig, f"Against the number of groups. {'; '.join(words[:12])}."


def triangles(draws: Mapping[float, np.ndarray]) -> Picture:
    """Draws of three shares, one triangle an alpha, two in a row (the paper's Figure 10)."""
    titles, deep = [f"α = {alpha:g}" for alpha in draws], -(-len(draws) // 2)
    fig, axes = panels((6.0, 0.3 + 2.5 * deep), (deep, 2), titles=titles, aspect="equal")
    corners = np.array([[0, 0], [1, 0], [0.5, np.sqrt(3) / 2]])
    words = []
    for ax in axes.flat:
        ax.axis("off")
    for ax, (alpha, g) in zip(axes.flat, draws.items(), strict=False):
        ax.plot(*corners[[0, 1, 2, 0]].T, color=GREY, linewidth=1)
        ax.plot(*(g @ corners).T, "o", markersize=3, alpha=0.6, color=BLUE)
        words.append(f"alpha {alpha:g}: mean largest share {g.max(axis=1).mean():.2f}")
    return fig, f"Draws of three shares in a triangle. {'; '.join(words)}."


def theorem10(table: pd.DataFrame, levels: Mapping[str, float]) -> Picture:
    """Theorem 10 against alpha with draws, and a named horizontal line at each of ``levels``.

    ``table`` has columns ``alpha, theorem, drawn, people`` (drawn, with one person at least).
    """
    low = min(0.0, *levels.values()) - 5
    labels = "Dirichlet parameter α (log scale)", "sum of log group sizes"
    fig, ax = panel((6.6, 4.4), *labels, ylim=(low, max(levels.values()) + 8), log="x")
    lines = table.set_index("alpha")
    ax.plot(lines["theorem"], color=BLUE, label="Theorem 10")
    ax.plot(lines["drawn"], "o", color=BLUE, fillstyle="none", markersize=4, label="draws")
    ax.plot(lines["people"], "x", color=RED, markersize=4, label="draws, one person at least")
    for name, level in levels.items():
        ax.axhline(level, color=DARK, linewidth=1, linestyle="--")
        note(ax, name, (table["alpha"].max(), level), (0, 3), ha="right", fontsize=8.5)
    ticks(ax, (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20))
    legend(fig, ncols=3)
    heights = ", ".join(f"{name} {level:.1f}" for name, level in levels.items())
    return fig, (
        f"Sum of log sizes rising with alpha from {ends(table['alpha'], '.2g')}, draws on the"
        f" curve; horizontal lines: {heights}."
    )
