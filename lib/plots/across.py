"""Figures across the papers: excess W1 of each release, against epsilon, by stratification, and beside error and fairness."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from lib.experiments.summary import rank_correlation
from lib.plots.common import epsilon_axis

__all__ = ["READER_COLOURS", "releases", "against_epsilon", "differences", "groups", "scatter"]

READER_COLOURS = {"forest": "#0072B2", "lookup": "#D55E00", "tracer": "#009E73"}
_MARKERS = dict(zip(READER_COLOURS, "os^", strict=True))
_LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8A8A2B", "#4B4B4B", "#E69F00")
_SHADE = "#6B6B6B"


def _dots(ax, part: pd.DataFrame, rows: Sequence[str], column: str, names: Sequence[str], colours: Mapping[str, str],
          legend: bool) -> None:  # fmt: skip
    """Means with intervals, one line a value of ``column``, the ``names`` side by side."""
    for i, name in enumerate(names):
        own = part[part["name"] == name].set_index(column).reindex(rows)
        y = np.arange(len(rows)) + 0.22 * (i - (len(names) - 1) / 2)
        error = np.abs([own["mean"] - own["low"], own["high"] - own["mean"]])
        ax.errorbar(own["mean"], y, xerr=error, fmt=_MARKERS.get(name, "D"), color=colours[name], markersize=3.2, linewidth=1,
                    capsize=1.5, label=name if legend else None)  # fmt: skip


def _panels(table: pd.DataFrame, rows: Sequence[str], width: float = 2.45, height: float = 0.29):
    names = list(dict.fromkeys(table["panel"]))
    fig, axes = plt.subplots(1, len(names), figsize=(1.6 + width * len(names), 1.0 + height * len(rows)),
                             sharey=True, sharex=True, squeeze=False)  # fmt: skip
    axes[0][0].set_yticks(np.arange(len(rows)), rows, fontsize=7.5)
    axes[0][0].set_ylim(len(rows) - 0.5, -0.5)
    return fig, dict(zip(names, axes[0], strict=True))


def releases(table: pd.DataFrame, margin: float) -> tuple[Figure, str]:
    """Excess of each release, one panel a group, one colour a reader; symlog, so that small ones are seen beside 2.

    Parameters
    ----------
    table : DataFrame
        Columns ``release, reader, panel, mean, low, high``.
    """
    rows, words = list(dict.fromkeys(table["release"])), []
    fig, axes = _panels(table, rows)
    for number, (panel, ax) in enumerate(axes.items()):
        part = table[table["panel"] == panel].rename(columns={"reader": "name"})
        ax.axvspan(-margin, margin, color=_SHADE, alpha=0.22, linewidth=0)
        _dots(ax, part, rows, "release", list(READER_COLOURS), READER_COLOURS, number == 0)
        ax.set_xscale("symlog", linthresh=0.1, linscale=1)
        ax.set_xticks([-0.1, 0, 0.1, 1], ["−0.1", "0", "0.1", "1"])
        ax.set_xlim(min(-0.1, part["low"].min()), 2)
        ax.set_title(panel, fontsize=9)
        ax.set_xlabel("excess $W_1$")
        top = part.loc[part["mean"].idxmax()]
        words.append(f"{panel}: largest {top['mean']:.2f} for {top['release']}, {top['name']}")
    fig.legend(loc="outside upper center", ncols=3)
    return fig, "Excess W1 of each release by group and reader. " + "; ".join(words) + "."


def against_epsilon(table: pd.DataFrame, margin: float, clear: Mapping[tuple[str, str], float]) -> tuple[Figure, str]:
    """Excess against epsilon: rows are readers, columns are panels, lines are releases; dashed: in the clear.

    Parameters
    ----------
    table : DataFrame
        Columns ``release, reader, panel, epsilon, mean, low, high``.
    clear : mapping
        (reader, panel) to the excess of the half in the clear.
    """
    panels, readers = list(dict.fromkeys(table["panel"])), list(READER_COLOURS)
    lines = dict(zip(dict.fromkeys(table["release"]), _LINES, strict=False))
    fig, axes = plt.subplots(len(readers), len(panels), figsize=(7.2, 6.6), sharex=True, sharey=True, squeeze=False)
    ticks, words = sorted(table["epsilon"].unique()), []
    for row, reader in zip(axes, readers, strict=True):
        for ax, panel in zip(row, panels, strict=True):
            ax.axhspan(-margin, margin, color=_SHADE, alpha=0.22, linewidth=0)
            ax.axhline(clear[reader, panel], color="#222222", linestyle="--", linewidth=1)
            for i, (release, colour) in enumerate(lines.items()):
                own = table[(table["release"] == release) & (table["reader"] == reader) & (table["panel"] == panel)]
                own = own.sort_values("epsilon")
                x = own["epsilon"] * 1.06 ** (i - len(lines) / 2)
                ax.errorbar(x, own["mean"], yerr=np.abs([own["mean"] - own["low"], own["high"] - own["mean"]]), color=colour,
                            marker="osD^vPX"[i % 7], markersize=3, linewidth=1, capsize=1.2, label=release)  # fmt: skip
            epsilon_axis(ax, ticks, label=False)
            ax.set_yscale("symlog", linthresh=0.1)
            ax.set_yticks([0, 0.1, 1], ["0", "0.1", "1"])
            ax.set_ylim(-0.1, 2)
            ax.set_title(f"{reader}: {panel}", fontsize=8)
        last = table[(table["reader"] == reader) & (table["epsilon"] == ticks[-1])]
        top = last.loc[last["mean"].idxmax()]
        words.append(f"{reader}: up to {top['mean']:.2f} ({top['release']}, {top['panel']}) at the largest epsilon")
    for ax in axes[-1]:
        ax.set_xlabel("ε (log scale)")
    for row in axes:
        row[0].set_ylabel("excess $W_1$")
    handles, names = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, names, loc="outside upper center", ncols=4)
    return fig, "Excess W1 against epsilon. " + "; ".join(words) + "."


def differences(table: pd.DataFrame) -> tuple[Figure, str]:
    """Stratified less unstratified: of the error and of each reader's excess, one panel a group.

    Parameters
    ----------
    table : DataFrame
        Columns ``release, panel, what, mean, low, high``.
    """
    rows = list(dict.fromkeys(table["release"]))
    colours = {"error": "#CC79A7"} | READER_COLOURS
    fig, axes = _panels(table, rows, height=0.48)
    words = []
    for number, (panel, ax) in enumerate(axes.items()):
        part = table[table["panel"] == panel].rename(columns={"what": "name"})
        ax.axvline(0, color=_SHADE, linewidth=1)
        _dots(ax, part, rows, "release", list(colours), colours, number == 0)
        ax.set_title(panel, fontsize=9)
        ax.set_xlabel("stratified − unstratified")
        error = part[part["name"] == "error"].set_index("release")["mean"]
        most = part[part["name"] != "error"]["mean"].abs().max()
        words.append(f"{panel}: error by {error.iloc[-1]:+.3f} ({error.index[-1]}), excess by at most {most:.3f}")
    fig.legend(loc="outside upper center", ncols=4)
    return fig, "Paired differences. " + "; ".join(words) + "."


def groups(table: pd.DataFrame, margin: float) -> tuple[Figure, str]:
    """Excess of one reader on each group by name, one colour a release; ``table``: ``release, group, n, mean, low, high``."""
    names = list(dict.fromkeys(table.sort_values("n", ascending=False)["group"]))
    rows = [f"{g} ({int(table.loc[table['group'] == g, 'n'].iloc[0]):,})" for g in names]
    own = table.assign(row=table["group"].map(dict(zip(names, rows, strict=True))), name=table["release"], panel="")
    releases_ = list(dict.fromkeys(own["name"]))
    fig, axes = _panels(own, rows, width=4.6)
    ax = axes[""]
    ax.axvspan(-margin, margin, color=_SHADE, alpha=0.22, linewidth=0)
    _dots(ax, own, rows, "row", releases_, dict(zip(releases_, _LINES, strict=False)), legend=True)
    ax.set_xlabel("excess $W_1$")
    fig.legend(loc="outside upper center", ncols=3)
    tops = own.loc[own.groupby("name")["mean"].idxmax()]
    return fig, "Excess W1 by group. Largest: " + "; ".join(
        f"{t['name']}, {t['row']}, {t['mean']:.2f}" for _, t in tops.iterrows()
    )


def scatter(
    table: pd.DataFrame, x: str, y: str, names: Mapping[str, str], colour: str = "epsilon"
) -> tuple[Figure, str]:
    """Points of ``table``, one colour a value of ``colour``; ``names`` are the axes' labels."""
    fig, ax = plt.subplots(figsize=(5.6, 3.5))
    for i, (value, part) in enumerate(table.groupby(colour)):
        text = f"ε = {value:g}" if isinstance(value, float) and math.isfinite(value) else str(value)
        ax.plot(part[x], part[y], linestyle="", marker="osD^vPX"[i % 7], color=_LINES[i % len(_LINES)], markersize=4,
                alpha=0.75, label=text)  # fmt: skip
    ax.set_xlabel(names[x])
    ax.set_ylabel(names[y])
    fig.legend(loc="outside upper center", ncols=5)
    rho = rank_correlation(table[x], table[y])
    return fig, f"{len(table)} points of {names[y]} against {names[x]}; rank correlation over all of them {rho:+.2f}."
