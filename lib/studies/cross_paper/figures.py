"""Figures across the papers: excess W1 of releases, beside epsilon, stratification and errors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lib.plotting.lines import curve, dots
from lib.plotting.panels import Picture, epsilon_axis, legend, panel, panels
from lib.plotting.style import BLUE, GREEN, GREY, PINK, RED, REFERENCE, SERIES, SHAPES
from lib.stats.summary import rank_correlation

READER_COLOURS = {"forest": BLUE, "lookup": RED, "tracer": GREEN}
_WIDTH = 6.8  # inches, a page's: a wider picture would be scaled down, and its letters with it
_MARGIN = {"color": GREY, "alpha": 0.22, "linewidth": 0}


def _rows(
    table: pd.DataFrame,
    by: tuple[str, str],
    colours: Mapping[str, str],
    height: float = 0.33,
    characters: int = 18,
    **settings,
) -> tuple[Figure, dict[str, tuple[Axes, pd.DataFrame]]]:
    """Means with intervals, a line for each name, a panel for each group; the panels by title."""
    names, titles = (list(dict.fromkeys(table[column])) for column in (by[0], "panel"))
    size, shape = (_WIDTH, 1.0 + height * len(names)), (1, len(titles))
    fig, axes = panels(size, shape, titles=titles, sharex=True, sharey=True, **settings)
    parts = {title: table[table["panel"] == title] for title in titles}
    for ax, part in zip(axes.flat, parts.values(), strict=True):
        dots(ax, part, names, by, colours)
    ax.set_yticks(range(len(names)), [fill(name, characters) for name in names], fontsize=9)
    legend(fig, ncols=4, fontsize=10)
    return fig, dict(zip(titles, zip(axes.flat, parts.values(), strict=True), strict=True))


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def releases(table: pd.DataFrame, margin: float) -> Picture:
    """Excess of each release, one panel a group, one colour an attacker.

    The axis is linear near zero and logarithmic beyond, so that small ones are seen beside 2.

    Parameters
    ----------
    table : DataFrame
        Columns ``release, reader, panel, mean, low, high``.
    """
    fig, parts = _rows(table, ("release", "reader"), READER_COLOURS)
    words = []
    for title, (ax, part) in parts.items():
        ax.axvspan(-margin, margin, **_MARGIN)
        ax.set_xscale("symlog", linthresh=0.1, linscale=1)
        ax.set_xticks([-0.1, 0, 0.1, 1], ["−0.1", "0", "0.1", "1"])
        ax.set(xlim=(min(-0.1, part["low"].min()), 2), xlabel="excess $W_1$")
        top = part.loc[part["mean"].idxmax()]
        words.append(f"{top['mean']:.2f} in “{title}” ({top['release']}, {top['reader']})")
    most = table.groupby("release")["mean"].max()
    return fig, (
        f"Mean excess W1 of {len(most)} releases with 95% intervals, one panel for each group"
        f" and one colour for each reader. The largest is {_listed(words)}. For"
        f" {int((most <= margin).sum())} of the releases no mean is above the margin of"
        f" {margin:g}."
    )


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
    names, titles = (list(dict.fromkeys(table[column])) for column in ("release", "panel"))
    settings: dict[str, Any] = {"titles": titles, "sharex": True, "sharey": True}
    shape = (len(READER_COLOURS), len(titles))
    fig, axes = panels((_WIDTH, 6.8), shape, "ε (log scale)", **settings)
    budgets, words = sorted(table["epsilon"].unique()), []
    for row, reader in zip(axes, READER_COLOURS, strict=True):
        own = table[table["reader"] == reader]
        for ax, title in zip(row, titles, strict=True):
            ax.axhspan(-margin, margin, **_MARGIN)
            ax.axhline(clear[reader, title], **REFERENCE)
            _lines(ax, own[own["panel"] == title], names)
        row[0].set_ylabel(f"{reader}: excess $W_1$")
        last = own[own["epsilon"] == budgets[-1]]
        top = last.loc[last["mean"].idxmax()]
        words.append(f"{top['mean']:.2f} for the {reader} ({top['release']}, {top['panel']})")
    epsilon_axis(ax, budgets)
    ax.set_yscale("symlog", linthresh=0.1)
    ax.set_yticks([0, 0.1, 1], ["0", "0.1", "1"])
    ax.set_ylim(-0.1, 2)
    legend(fig, ncols=4)
    return fig, (
        f"Mean excess W1 of {_listed(names)} against epsilon from {budgets[0]:g} to"
        f" {budgets[-1]:g}, with 95% intervals; a row of panels for each reader, a column for"
        f" each group ({_listed(titles)}). At the largest epsilon the highest mean is"
        f" {_listed(words)}."
    )


def _lines(ax: Axes, part: pd.DataFrame, names: Sequence[str]) -> None:
    """Excess against epsilon, a line for each release."""
    for i, name in enumerate(names):
        own = part[part["release"] == name].sort_values("epsilon")
        x = own["epsilon"] * 1.06 ** (i - len(names) / 2)
        style: dict[str, Any] = {
            "color": SERIES[i],
            "marker": SHAPES[i],
            "markersize": 3,
            "label": name,
        }
        curve(ax, own, x, capsize=1.2, **style)


def differences(table: pd.DataFrame) -> Picture:
    """Stratified less unstratified: of the error and of each attacker's excess, a panel a group.

    Parameters
    ----------
    table : DataFrame
        Columns ``release, panel, what, mean, low, high``.
    """
    colours = READER_COLOURS | {"error": PINK}
    fig, parts = _rows(table, ("release", "what"), colours, height=0.52)
    words = []
    for title, (ax, part) in parts.items():
        ax.axvline(0, color=GREY, linewidth=1)
        ax.locator_params(axis="x", nbins=5)
        ax.xaxis.set_major_formatter("{x:g}")
        is_error = part["what"] == "error"
        error = part[is_error].set_index("release")["mean"]
        most, where = part["mean"][~is_error].abs().max(), error.abs().idxmax()
        words.append(
            f"in “{title}” the error changes most under “{where}”, by {error[where]:+.3f}, and no"
            f" mean excess by more than {most:.3f}"
        )
    fig.supxlabel("stratified − unstratified", fontsize=10)
    return fig, (
        f"Mean differences between {table['release'].nunique()} stratified releases and the"
        " unstratified one, with 95% intervals, in the error and in each reader's excess W1, one"
        f" panel for each group: {'; '.join(words)}."
    )


def groups(table: pd.DataFrame, margin: float) -> Picture:
    """Excess of one attacker on each group by name, from the largest, one colour a release.

    ``table`` has columns ``release, group, people, mean, low, high``.
    """
    table = table.sort_values("people", ascending=False, kind="stable")
    titles = table["group"] + table["people"].map(" ({:,.0f})".format)
    colours = dict(zip(dict.fromkeys(table["release"]), SERIES, strict=False))
    rows = table.assign(title=titles, panel="")
    fig, parts = _rows(rows, ("title", "release"), colours, characters=30)
    ((ax, _),) = parts.values()
    ax.axvspan(-margin, margin, **_MARGIN)
    ax.set_xlabel("excess $W_1$")
    words = []
    for release in colours:
        part = table[table["release"] == release].set_index("group")["mean"]
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
    fig, ax = panel((5.6, 3.5), names[x], names[y])
    for i, (value, own) in enumerate(table.groupby(colour)):
        text = f"ε = {value:g}" if isinstance(value, float) and math.isfinite(value) else str(value)
        style = {"color": SERIES[i % len(SERIES)], "markersize": 4, "alpha": 0.75, "label": text}
        ax.plot(own[x], own[y], SHAPES[i % len(SHAPES)], **style)
    legend(fig, ncols=5)
    rho = rank_correlation(table[x], table[y])
    across, up = (names[axis].replace("$W_1$", "W1") for axis in (x, y))
    return fig, (
        f"Scatter plot of {len(table)} points. Across: {across}, from {table[x].min():.2f} to"
        f" {table[x].max():.2f}; up: {up}, from {table[y].min():.2f} to {table[y].max():.2f}."
        f" The rank correlation over all points is {rho:+.2f}."
    )
