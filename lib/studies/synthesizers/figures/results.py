"""Figures of the synthesizer rerun: scores against epsilon, errors of groups by name, global
error against parity error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from lib.plotting.panels import epsilon_axis, log_if_wide
from lib.studies.synthesizers.summary import averaged, pareto

__all__ = ["COLOURS", "against_epsilon", "groups_by_size", "front", "two_protocols"]

COLOURS = {"vanilla": "#4B4B4B", "SEX": "#0072B2", "RAC1P": "#D55E00", "SEX_RAC1P": "#009E73"}
MARKERS = {"vanilla": "s", "SEX": "o", "RAC1P": "^", "SEX_RAC1P": "D"}
NAMES = {"vanilla": "plain", "SEX": "by sex", "RAC1P": "by race", "SEX_RAC1P": "by sex × race"}
FLOORS = {
    "real": ("real rows", "-"),
    "bootstrap": ("bootstrap", "--"),
    "independent": ("columns alone", ":"),
}
SHAPES = {"MST": "o", "AIM": "^", "GEM": "s"}


def _axes(ax, epsilons, values: pd.Series) -> None:
    """Budgets across in small print; scores on a logarithmic axis if they are wide."""
    epsilon_axis(ax, epsilons)
    ax.set_xlabel("budget ε (log scale)")
    ax.tick_params(axis="x", labelsize=7.5)
    log_if_wide(ax, values)


def _curves(ax, curves: pd.DataFrame, high: float = np.inf) -> list[str]:
    """A line with intervals for each stratification of one synthesizer, cut at 0 and at
    ``high``; each in words.
    """
    words = []
    for i, (by, colour) in enumerate(COLOURS.items()):
        part = curves[curves["by"] == by].sort_values("epsilon")
        if part.empty:
            continue
        spread = np.nan_to_num([part["mean"] - part["low"], part["high"] - part["mean"]])
        spread = np.minimum(spread, [0.98 * part["mean"], high - part["mean"]])
        ax.errorbar(
            part["epsilon"] * 1.05 ** (i - 1.5),
            part["mean"],
            spread,
            color=colour,
            marker=MARKERS[by],
            markersize=3.5,
            linewidth=1.1,
            label=NAMES[by],
        )
        words.append(f"{NAMES[by]} from {part['mean'].iloc[0]:.3g} to {part['mean'].iloc[-1]:.3g}")
    return words


def against_epsilon(
    frame: pd.DataFrame,
    metric: str,
    ylabel: str,
    synthesizers: Sequence[str] = ("MST", "AIM", "GEM"),
    floors: Sequence[str] = tuple(FLOORS),
    share: bool = False,
) -> tuple[Figure, str]:
    """A panel a synthesizer, a line a stratification, 95% intervals over runs; baselines as grey
    lines across.

    A ``share`` lies between 0 and 1 and gets a linear axis, its intervals cut at the ends.
    """
    curves = averaged(frame[frame["small"] == "keep"], metric)
    levels = {b: curves.loc[curves["synthesizer"] == b, "mean"] for b in floors}
    fig, axes = plt.subplots(
        1,
        len(synthesizers),
        figsize=(1.2 + 2.1 * len(synthesizers), 3.4),
        sharey=True,
        squeeze=False,
    )
    words, shown = [], curves[curves["synthesizer"].isin(synthesizers)]
    for ax, name in zip(axes[0], synthesizers, strict=True):
        own = shown[shown["synthesizer"] == name]
        words += [f"{name} {line}" for line in _curves(ax, own, 1.0 if share else np.inf)]
        for b, level in levels.items():
            label, style = FLOORS[b]
            for value in level:
                ax.axhline(value, color="#9A9A9A", linewidth=0.9, linestyle=style, label=label)
        ax.set_title(name, fontsize=9)
        _axes(
            ax,
            shown["epsilon"],
            pd.Series([0.0, 1.0]) if share else pd.concat([shown["mean"], *levels.values()]),
        )
    axes[0][0].set_ylabel(ylabel)
    if share:
        axes[0][0].set_ylim(0, 1)
    handles, labels = axes[0][0].get_legend_handles_labels()
    kept = dict(zip(labels, handles, strict=True))
    fig.legend(kept.values(), kept.keys(), loc="outside upper center", ncols=4)
    return fig, f"{ylabel} against epsilon. " + "; ".join(words) + "."


def groups_by_size(
    frame: pd.DataFrame, series: Mapping[str, str], xlabel: str, ylabel: str
) -> tuple[Figure, str]:
    """Errors of groups against their size; ``frame`` has ``people`` and, for each series, ``<key>,
    <key>|low, <key>|high``.

    ``series`` maps a key of the frame to its name in the legend; keys of :data:`COLOURS` keep their
    colour.
    """
    fig, ax = plt.subplots(figsize=(6.4, 3.8))
    words = []
    for i, (key, name) in enumerate(series.items()):
        x = frame["people"] * 1.06 ** (i - (len(series) - 1) / 2)
        spread = np.nan_to_num(
            [frame[key] - frame[f"{key}|low"], frame[f"{key}|high"] - frame[key]]
        ).clip(min=0)
        ax.errorbar(
            x,
            frame[key],
            spread,
            fmt=MARKERS.get(key, "o"),
            color=COLOURS.get(key, "#CC79A7"),
            markersize=4,
            linewidth=0.9,
            label=name,
        )
        words.append(
            f"{name}: {frame[key].iloc[0]:.2f} for the largest group, {frame[key].iloc[-1]:.2f} for"
            " the smallest"
        )
    ax.set_xscale("log")
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    ax.set_ylim(0, None)
    fig.legend(loc="outside upper center", ncols=4)
    return fig, f"{ylabel} against {xlabel}. " + "; ".join(words) + "."


def front(frame: pd.DataFrame, x: str, y: str, xlabel: str, ylabel: str) -> tuple[Figure, str]:
    """A panel a budget: every setting by two errors (``frame``: synthesizer, by, epsilon, ``x``,
    ``y``), the undominated joined.
    """
    budgets = sorted(frame["epsilon"].unique())
    rows = -(-len(budgets) // 3)
    fig, axes = plt.subplots(
        rows, min(3, len(budgets)), figsize=(7.0, 0.9 + 2.1 * rows), squeeze=False
    )
    words = []
    for ax, epsilon in zip(axes.ravel(), budgets, strict=False):
        part = frame[frame["epsilon"] == epsilon]
        best = part[pareto(part, x, y)].sort_values(x)
        ax.plot(
            best[x],
            best[y],
            color="#8A8A8A",
            linewidth=6,
            alpha=0.35,
            solid_capstyle="round",
            zorder=0,
        )
        ax.plot(best[x], best[y], "o", color="#8A8A8A", markersize=11, alpha=0.35, zorder=0)
        for row in part.itertuples():
            ax.plot(
                getattr(row, x),
                getattr(row, y),
                SHAPES[row.synthesizer],
                color=COLOURS[row.by],
                markersize=5,
            )
        ax.set_title(f"ε = {epsilon:g}", fontsize=9)
        words.append(
            f"epsilon {epsilon:g}: "
            + ", ".join(f"{r.synthesizer} {NAMES[r.by]}" for r in best.itertuples())
        )
    for ax in axes.ravel()[len(budgets) :]:
        ax.axis("off")
    for ax in axes[-1]:
        ax.set_xlabel(xlabel)
    for ax in axes[:, 0]:
        ax.set_ylabel(ylabel)
    shapes = [
        plt.Line2D([], [], color="#6B6B6B", marker=SHAPES[n], linestyle="", label=n)
        for n in frame["synthesizer"].unique()
    ]
    colours = [
        plt.Line2D([], [], color=COLOURS[b], marker="o", linestyle="", label=NAMES[b])
        for b in frame["by"].unique()
    ]
    fig.legend(handles=shapes + colours, loc="outside upper center", ncols=4)
    return fig, f"{ylabel} against {xlabel}; on the front at " + "; at ".join(words) + "."


def two_protocols(
    frames: Mapping[str, pd.DataFrame], metric: str, ylabel: str, synthesizer: str
) -> tuple[Figure, str]:
    """The same score of one synthesizer under several protocols, a panel each."""
    fig, axes = plt.subplots(1, len(frames), figsize=(1.2 + 2.6 * len(frames), 3.3), squeeze=False)
    words = []
    for ax, (title, frame) in zip(axes[0], frames.items(), strict=True):
        curves = averaged(
            frame[(frame["small"] == "keep") & (frame["synthesizer"] == synthesizer)], metric
        )
        words += [f"{title}, {line}" for line in _curves(ax, curves)]
        ax.set_title(title, fontsize=9)
        _axes(ax, curves["epsilon"], curves["mean"])
    axes[0][0].set_ylabel(ylabel)
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=4)
    return fig, f"{ylabel} of {synthesizer}. " + "; ".join(words) + "."
