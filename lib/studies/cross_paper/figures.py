"""Figures across the papers: excess W1 of each release, against epsilon, by stratification, and
beside error and fairness.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from lib.plotting.panels import epsilon_axis
from lib.stats.summary import rank_correlation

__all__ = ["READER_COLOURS", "releases", "against_epsilon", "differences", "groups", "scatter"]

READER_COLOURS = {"forest": "#0072B2", "lookup": "#D55E00", "tracer": "#009E73"}
_MARKERS = dict(zip(READER_COLOURS, "os^", strict=True))
_LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8A8A2B", "#4B4B4B", "#E69F00")
_SHADE = "#6B6B6B"
_WIDTH = 6.8  # inches, a page's: a wider picture would be scaled down, and its letters with it


def _dots(
    ax,
    part: pd.DataFrame,
    rows: Sequence[str],
    column: str,
    names: Sequence[str],
    colours: Mapping[str, str],
    legend: bool,
) -> None:
    """Means with intervals, one line a value of ``column``, the ``names`` side by side."""
    for i, name in enumerate(names):
        own = part[part["name"] == name].set_index(column).reindex(rows)
        y = np.arange(len(rows)) + 0.22 * (i - (len(names) - 1) / 2)
        error = np.abs([own["mean"] - own["low"], own["high"] - own["mean"]])
        ax.errorbar(
            own["mean"],
            y,
            xerr=error,
            fmt=_MARKERS.get(name, "D"),
            color=colours[name],
            markersize=3.2,
            linewidth=1,
            capsize=1.5,
            label=name if legend else None,
        )


def _panels(table: pd.DataFrame, rows: Sequence[str], height: float = 0.33, characters: int = 30):
    """A panel a group on one page's width; names of rows are broken at ``characters``."""
    names = list(dict.fromkeys(table["panel"]))
    fig, axes = plt.subplots(
        1,
        len(names),
        figsize=(_WIDTH, 1.0 + height * len(rows)),
        sharey=True,
        sharex=True,
        squeeze=False,
    )
    axes[0][0].set_yticks(np.arange(len(rows)), [fill(row, characters) for row in rows], fontsize=9)
    axes[0][0].set_ylim(len(rows) - 0.5, -0.5)
    return fig, dict(zip(names, axes[0], strict=True))


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def releases(table: pd.DataFrame, margin: float) -> tuple[Figure, str]:
    """Excess of each release, one panel a group, one colour a reader; symlog, so that small ones
    are seen beside 2.

    Parameters
    ----------
    table : DataFrame
        Columns ``release, reader, panel, mean, low, high``.
    """
    rows, words = list(dict.fromkeys(table["release"])), []
    fig, axes = _panels(table, rows, characters=18)
    for number, (panel, ax) in enumerate(axes.items()):
        part = table[table["panel"] == panel].rename(columns={"reader": "name"})
        ax.axvspan(-margin, margin, color=_SHADE, alpha=0.22, linewidth=0)
        _dots(ax, part, rows, "release", list(READER_COLOURS), READER_COLOURS, number == 0)
        ax.set_xscale("symlog", linthresh=0.1, linscale=1)
        ax.set_xticks([-0.1, 0, 0.1, 1], ["−0.1", "0", "0.1", "1"])
        ax.set_xlim(min(-0.1, part["low"].min()), 2)
        ax.set_title(panel, fontsize=10)
        ax.set_xlabel("excess $W_1$")
        top = part.loc[part["mean"].idxmax()]
        words.append(f"{top['mean']:.2f} in “{panel}” ({top['release']}, {top['name']})")
    fig.legend(loc="outside upper center", ncols=3, fontsize=10)
    inside = int((table.groupby("release")["mean"].max() <= margin).sum())
    return (
        fig,
        (
            f"Mean excess W1 of {len(rows)} releases with 95% intervals, one panel for each group"
            f" and one colour for each reader. The largest is {_listed(words)}. For {inside} of the"
            f" releases no mean is above the margin of {margin:g}."
        ),
    )


def against_epsilon(
    table: pd.DataFrame, margin: float, clear: Mapping[tuple[str, str], float]
) -> tuple[Figure, str]:
    """Excess against epsilon: rows are readers, columns are panels, lines are releases; dashed: in
    the clear.

    Parameters
    ----------
    table : DataFrame
        Columns ``release, reader, panel, epsilon, mean, low, high``.
    clear : mapping
        (reader, panel) to the excess of the half in the clear.
    """
    panels, readers = list(dict.fromkeys(table["panel"])), list(READER_COLOURS)
    lines = dict(zip(dict.fromkeys(table["release"]), _LINES, strict=False))
    fig, axes = plt.subplots(
        len(readers), len(panels), figsize=(_WIDTH, 6.8), sharex=True, sharey=True, squeeze=False
    )
    ticks, words = sorted(table["epsilon"].unique()), []
    for row, reader in zip(axes, readers, strict=True):
        for ax, panel in zip(row, panels, strict=True):
            ax.axhspan(-margin, margin, color=_SHADE, alpha=0.22, linewidth=0)
            ax.axhline(clear[reader, panel], color="#222222", linestyle="--", linewidth=1)
            for i, (release, colour) in enumerate(lines.items()):
                own = table[
                    (table["release"] == release)
                    & (table["reader"] == reader)
                    & (table["panel"] == panel)
                ]
                own = own.sort_values("epsilon")
                x = own["epsilon"] * 1.06 ** (i - len(lines) / 2)
                ax.errorbar(
                    x,
                    own["mean"],
                    yerr=np.abs([own["mean"] - own["low"], own["high"] - own["mean"]]),
                    color=colour,
                    marker="osD^vPX"[i % 7],
                    markersize=3,
                    linewidth=1,
                    capsize=1.2,
                    label=release,
                )
            epsilon_axis(ax, ticks)
            ax.set_yscale("symlog", linthresh=0.1)
            ax.set_yticks([0, 0.1, 1], ["0", "0.1", "1"])
            ax.set_ylim(-0.1, 2)
        last = table[(table["reader"] == reader) & (table["epsilon"] == ticks[-1])]
        top = last.loc[last["mean"].idxmax()]
        words.append(f"{top['mean']:.2f} for the {reader} ({top['release']}, {top['panel']})")
        row[0].set_ylabel(f"{reader}: excess $W_1$")
    for ax, panel in zip(axes[0], panels, strict=True):
        ax.set_title(panel, fontsize=10)
    for ax in axes[-1]:
        ax.set_xlabel("ε (log scale)")
    handles, names = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, names, loc="outside upper center", ncols=4)
    return (
        fig,
        (
            f"Mean excess W1 of {_listed(list(lines))} against epsilon from {ticks[0]:g} to"
            f" {ticks[-1]:g}, with 95% intervals; a row of panels for each reader, a column for"
            f" each group ({_listed(panels)}). At the largest epsilon the highest mean is"
            f" {_listed(words)}."
        ),
    )


def differences(table: pd.DataFrame) -> tuple[Figure, str]:
    """Stratified less unstratified: of the error and of each reader's excess, one panel a group.

    Parameters
    ----------
    table : DataFrame
        Columns ``release, panel, what, mean, low, high``.
    """
    rows = list(dict.fromkeys(table["release"]))
    colours = {"error": "#CC79A7"} | READER_COLOURS
    fig, axes = _panels(table, rows, height=0.52, characters=18)
    words = []
    for number, (panel, ax) in enumerate(axes.items()):
        part = table[table["panel"] == panel].rename(columns={"what": "name"})
        ax.axvline(0, color=_SHADE, linewidth=1)
        _dots(ax, part, rows, "release", list(colours), colours, number == 0)
        ax.set_title(panel, fontsize=10)
        ax.locator_params(axis="x", nbins=5)
        ax.xaxis.set_major_formatter("{x:g}")
        error = part[part["name"] == "error"].set_index("release")["mean"]
        most, where = part[part["name"] != "error"]["mean"].abs().max(), error.abs().idxmax()
        words.append(
            f"in “{panel}” the error changes most under “{where}”, by {error[where]:+.3f}, and no"
            f" mean excess by more than {most:.3f}"
        )
    fig.supxlabel("stratified − unstratified", fontsize=10)
    fig.legend(loc="outside upper center", ncols=4, fontsize=10)
    return (
        fig,
        (
            f"Mean differences between {len(rows)} stratified releases and the unstratified one,"
            " with 95% intervals, in the error and in each reader's excess W1, one panel for each"
            f" group: {'; '.join(words)}."
        ),
    )


def groups(table: pd.DataFrame, margin: float) -> tuple[Figure, str]:
    """Excess of one reader on each group by name, one colour a release; ``table``: ``release,
    group, n, mean, low, high``.
    """
    names = list(dict.fromkeys(table.sort_values("n", ascending=False)["group"]))
    rows = [f"{g} ({int(table.loc[table['group'] == g, 'n'].iloc[0]):,})" for g in names]
    own = table.assign(
        row=table["group"].map(dict(zip(names, rows, strict=True))), name=table["release"], panel=""
    )
    releases_ = list(dict.fromkeys(own["name"]))
    fig, axes = _panels(own, rows)
    ax = axes[""]
    ax.axvspan(-margin, margin, color=_SHADE, alpha=0.22, linewidth=0)
    _dots(ax, own, rows, "row", releases_, dict(zip(releases_, _LINES, strict=False)), legend=True)
    ax.set_xlabel("excess $W_1$")
    fig.legend(loc="outside upper center", ncols=3, fontsize=10)
    words = []
    for release in releases_:
        part = own[own["name"] == release].set_index("group")["mean"]
        words.append(
            f"{release} is above the margin of {margin:g} on {int((part > margin).sum())} of"
            f" {part.size} and highest for {part.idxmax()}, {part.max():.2f}"
        )
    return (
        fig,
        (
            f"Mean excess W1 with 95% intervals for {len(rows)} groups from the largest,"
            f" {names[0]}, to the smallest, {names[-1]}, one colour for each release:"
            f" {'; '.join(words)}."
        ),
    )


def scatter(
    table: pd.DataFrame, x: str, y: str, names: Mapping[str, str], colour: str = "epsilon"
) -> tuple[Figure, str]:
    """Points of ``table``, one colour a value of ``colour``; ``names`` are the axes' labels."""
    fig, ax = plt.subplots(figsize=(5.6, 3.5))
    for i, (value, part) in enumerate(table.groupby(colour)):
        text = f"ε = {value:g}" if isinstance(value, float) and math.isfinite(value) else str(value)
        ax.plot(
            part[x],
            part[y],
            linestyle="",
            marker="osD^vPX"[i % 7],
            color=_LINES[i % len(_LINES)],
            markersize=4,
            alpha=0.75,
            label=text,
        )
    ax.set_xlabel(names[x])
    ax.set_ylabel(names[y])
    fig.legend(loc="outside upper center", ncols=5)
    rho = rank_correlation(table[x], table[y])
    across_, up = (names[axis].replace("$W_1$", "W1") for axis in (x, y))
    return (
        fig,
        (
            f"Scatter plot of {len(table)} points. Across: {across_}, from {table[x].min():.2f} to"
            f" {table[x].max():.2f}; up: {up}, from {table[y].min():.2f} to {table[y].max():.2f}."
            f" The rank correlation over all points is {rho:+.2f}."
        ),
    )
