"""Figures of the synthesizer rerun: scores against epsilon, groups by name, and two errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from lib.plotting.lines import curve, ends
from lib.plotting.panels import (
    Picture,
    epsilon_axis,
    handle,
    legend,
    log_if_wide,
    panel,
    panels,
)
from lib.plotting.style import BLUE, DARK, GREEN, GREY, PINK, RED
from lib.studies.synthesizers.summary import averaged, pareto

COLOURS = {"vanilla": DARK, "SEX": BLUE, "RAC1P": RED, "SEX_RAC1P": GREEN}
NAMES = {"vanilla": "plain", "SEX": "by sex", "RAC1P": "by race", "SEX_RAC1P": "by sex × race"}
_MARKERS = dict(zip(COLOURS, "so^D", strict=True))
_FLOORS = {
    "real": ("real rows", "-"),
    "bootstrap": ("bootstrap", "--"),
    "independent": ("columns alone", ":"),
}
_SHAPES = {"MST": "o", "AIM": "^", "GEM": "s"}


def _curves(ax: Axes, rows: pd.DataFrame, most: float = np.inf) -> list[str]:
    """A line with intervals for each stratification of one synthesizer; each in words."""
    words = []
    for i, (by, colour) in enumerate(COLOURS.items()):
        own = rows[rows["by"] == by].sort_values("epsilon")
        if len(own):
            x, style = own["epsilon"] * 1.05 ** (i - 1.5), {"color": colour, "label": NAMES[by]}
            curve(ax, own, x, most=most, marker=_MARKERS[by], **style)
            words.append(f"{NAMES[by]} from {ends(own['mean'], '.3g')}")
    epsilon_axis(ax, rows["epsilon"], fontsize=7.5)
    return words


def against_epsilon(
    frame: pd.DataFrame,
    metric: str,
    ylabel: str,
    synthesizers: Sequence[str] = ("MST", "AIM", "GEM"),
    floors: Sequence[str] = tuple(_FLOORS),
    share: bool = False,
) -> Picture:
    """A panel a synthesizer, a line a stratification with 95% intervals, grey lines for baselines.

    A ``share`` lies between 0 and 1 and gets a linear axis, its intervals cut at the ends.
    """
    means = averaged(frame[frame["small"] == "keep"], metric)
    kinds, shown = means["synthesizer"], means[means["synthesizer"].isin(synthesizers)]
    size, shape = (1.2 + 2.1 * len(synthesizers), 3.4), (1, len(synthesizers))
    labels = ("budget ε (log scale)", ylabel)
    fig, axes = panels(size, shape, *labels, titles=synthesizers, sharey=True)
    words = []
    for ax, name in zip(axes.flat, synthesizers, strict=True):
        most = 1.0 if share else np.inf
        words += [f"{name} {line}" for line in _curves(ax, means[kinds == name], most)]
        for floor in floors:
            label, style = _FLOORS[floor]
            for level in means["mean"][kinds == floor]:
                ax.axhline(level, color="#9A9A9A", linewidth=0.9, linestyle=style, label=label)
    if share:
        ax.set_ylim(0, 1)
    else:
        log_if_wide(ax, pd.concat([shown["mean"], means["mean"][kinds.isin(floors)]]))
    legend(fig, ncols=4)
    return fig, f"{ylabel} against epsilon. {'; '.join(words)}."


def two_protocols(
    frames: Mapping[str, pd.DataFrame], metric: str, ylabel: str, synthesizer: str
) -> Picture:
    """The same score of one synthesizer under several protocols, a panel each."""
    size, labels = (1.2 + 2.6 * len(frames), 3.3), ("budget ε (log scale)", ylabel)
    fig, axes = panels(size, (1, len(frames)), *labels, titles=frames)
    words = []
    for ax, (title, frame) in zip(axes.flat, frames.items(), strict=True):
        own = frame[(frame["small"] == "keep") & (frame["synthesizer"] == synthesizer)]
        means = averaged(own, metric)
        words += [f"{title}, {line}" for line in _curves(ax, means)]
        log_if_wide(ax, means["mean"])
        ax.set_xlabel(labels[0])
    legend(fig, ncols=4)
    return fig, f"{ylabel} of {synthesizer}. {'; '.join(words)}."


def groups_by_size(
    frame: pd.DataFrame, series: Mapping[str, str], xlabel: str, ylabel: str
) -> Picture:
    """Errors of groups against their size, one colour a series.

    Parameters
    ----------
    frame : DataFrame
        Columns ``by, people, mean, low, high``.
    series : mapping of str to str
        A value of ``by`` to its name in the legend; keys of :data:`COLOURS` keep their colour.
    """
    fig, ax = panel((6.4, 3.8), xlabel, ylabel, log="x")
    words = []
    for i, (key, name) in enumerate(series.items()):
        own = frame[frame["by"] == key].sort_values("people", ascending=False)
        x = own["people"] * 1.06 ** (i - (len(series) - 1) / 2)
        style: dict[str, Any] = {
            "color": COLOURS.get(key, PINK),
            "marker": _MARKERS.get(key, "o"),
            "label": name,
        }
        curve(ax, own, x, linestyle="", **style)
        first, last = own["mean"].iloc[[0, -1]]
        words.append(f"{name}: {first:.2f} for the largest group, {last:.2f} for the smallest")
    ax.set_ylim(0, None)
    legend(fig, ncols=4)
    return fig, f"{ylabel} against {xlabel}. {'; '.join(words)}."


def front(frame: pd.DataFrame, x: str, y: str, xlabel: str, ylabel: str) -> Picture:
    """Every setting by two errors, a panel a budget, those that no other beats joined.

    ``frame`` has columns ``synthesizer, by, epsilon``, ``x`` and ``y``.
    """
    budgets = sorted(frame["epsilon"].unique())
    rows, titles = -(-len(budgets) // 3), [f"ε = {e:g}" for e in budgets]
    shape = (rows, min(3, len(budgets)))
    fig, axes = panels((7.0, 0.9 + 2.1 * rows), shape, xlabel, ylabel, titles=titles)
    words = []
    for ax, epsilon in zip(axes.flat, budgets, strict=False):
        own = frame[frame["epsilon"] == epsilon]
        best = own[pareto(own, x, y)].sort_values(x)
        pale = {"color": "#8A8A8A", "alpha": 0.35, "zorder": 0}
        ax.plot(best[x], best[y], linewidth=6, solid_capstyle="round", **pale)
        ax.plot(best[x], best[y], "o", markersize=11, **pale)
        for (synthesizer, by), point in own.groupby(["synthesizer", "by"]):
            ax.plot(point[x], point[y], _SHAPES[synthesizer], color=COLOURS[by], markersize=5)
        settings = ", ".join(f"{r.synthesizer} {NAMES[r.by]}" for r in best.itertuples())
        words.append(f"epsilon {epsilon:g}: {settings}")
    for ax in axes.flat[len(budgets) :]:
        ax.axis("off")
    names, bys = (frame[column].unique() for column in ("synthesizer", "by"))
    marks = [handle(n, color=GREY, marker=_SHAPES[n], linestyle="") for n in names]
    marks += [handle(NAMES[b], color=COLOURS[b], marker="o", linestyle="") for b in bys]
    fig.legend(handles=marks, loc="outside upper center", ncols=4)
    return fig, f"{ylabel} against {xlabel}; on the front at {'; at '.join(words)}."
