"""Figures of the coherence experiment: distances over splits, predictions of the halves, groups,
learners, n.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

__all__ = [
    "IN",
    "OUT",
    "diagram",
    "sorted_distances",
    "profiles",
    "dots",
    "against_n",
    "histogram_pair",
]

IN, OUT, NULL = (
    "#D55E00",
    "#0072B2",
    "#6B6B6B",
)  # in the release, left out, what sampling alone makes


def diagram() -> tuple[Figure, str]:
    """The experiment of Figure 1, drawn."""
    boxes = {
        "X": (0.0, 0.5, "data set X"),
        "a": (1.45, 1.0, "half $X_a$"),
        "b": (1.45, 0.0, "half $X_b$\n(held back)"),
        "R": (2.9, 1.0, "release, learner\n$\\mathcal{L}(\\mathcal{A}(X_a))$"),
        "h": (4.35, 0.5, "predictor $h$"),
        "d": (5.8, 0.5, "for each group C:\n$W_1(h(X_a|_C), h(X_b|_C))$"),
    }
    fig, ax = plt.subplots(figsize=(7.0, 2.3))
    for x, y, text in boxes.values():
        wide = 0.62 if x < 5 else 0.78
        ax.add_patch(
            FancyBboxPatch(
                (x - wide + 0.12, y - 0.19),
                2 * wide - 0.24,
                0.38,
                boxstyle="round,pad=0.04",
                facecolor="#E8F1F8",
                edgecolor="#35607F",
                linewidth=1,
            )
        )
        ax.text(x, y, text, ha="center", va="center", fontsize=7.5)
    for start, end in (("X", "a"), ("X", "b"), ("a", "R"), ("R", "h"), ("h", "d")):
        (x0, y0, _), (x1, y1, _) = boxes[start], boxes[end]
        ax.annotate(
            "",
            (x1 - (0.74 if end == "d" else 0.58), y1),
            (x0 + 0.58, y0),
            arrowprops={"arrowstyle": "->", "color": "#35607F"},
        )
    ax.annotate(
        "",
        (5.8, 0.26),
        (2.03, -0.05),
        arrowprops={"arrowstyle": "->", "color": "#35607F", "connectionstyle": "arc3,rad=0.12"},
    )
    ax.set_xlim(-0.65, 6.65)
    ax.set_ylim(-0.35, 1.3)
    ax.axis("off")
    alt = (
        "Flow of the experiment: the data set X is split at random into halves a and b; a curator's"
        " release of half a goes to a learner, which makes a predictor; its predictions on the two"
        " halves are compared group by group."
    )
    return fig, alt


def sorted_distances(
    series: Mapping[str, np.ndarray],
    null: tuple[float, float] | None = None,
    reference: float | None = None,
) -> tuple[Figure, str]:
    """Distances over splits, sorted, one line a series; ``null`` is a band, ``reference`` a
    printed value.
    """
    fig, ax = plt.subplots(figsize=(6.2, 3.2))
    words = []
    for (name, found), colour in zip(series.items(), (IN, OUT, "#009E73", "#CC79A7"), strict=False):
        found = np.sort(found)
        ax.plot(
            np.arange(1, found.size + 1),
            found,
            color=colour,
            marker=".",
            markersize=4,
            linewidth=1,
            label=name,
        )
        words.append(f"{name} from {found[0]:.3f} to {found[-1]:.3f}")
    if null is not None:
        ax.axhspan(*null, color=NULL, alpha=0.3, linewidth=0, label="sampling alone")
    if reference is not None:
        ax.axhline(
            reference,
            color="#222222",
            linestyle=(0, (4, 2)),
            linewidth=1.1,
            label=f"paper's mean {reference:g}",
        )
    ax.set_xlabel("split, sorted by distance")
    ax.set_ylabel("$W_1$ distance")
    ax.set_ylim(0, None)
    fig.legend(loc="outside upper center", ncols=2)
    return fig, "Sorted W1 distances over splits: " + "; ".join(words) + "."


def profiles(panels: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> tuple[Figure, str]:
    """Predictions of the group in the half and left out, sorted, against their rank (as the
    paper's Figure 3).
    """
    fig, axes = plt.subplots(
        1, len(panels), figsize=(3.3 * len(panels), 3.0), sharey=True, squeeze=False
    )
    words = []
    for ax, (title, (inside, outside)) in zip(axes[0], panels.items(), strict=True):
        for values, colour, name in ((inside, IN, "in the release"), (outside, OUT, "left out")):
            ax.plot(
                np.linspace(0, 1, values.size),
                np.sort(values),
                color=colour,
                linewidth=1.6,
                label=name,
            )
        ax.set_title(title, fontsize=9)
        ax.set_xlabel("share of the group")
        words.append(
            f"{title}: mean {inside.mean():.2f} in the release, {outside.mean():.2f} left out"
        )
    axes[0][0].set_ylabel("prediction h")
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=2)
    return fig, "Sorted predictions of the group. " + "; ".join(words) + "."


def dots(
    rows: pd.DataFrame, label: str, series: str, *, colours: Sequence[str] = (IN, OUT, "#009E73")
) -> tuple[Figure, str]:
    """Mean distance with its interval, one line a ``label``, one colour a ``series``; grey ticks
    are the nulls.
    """
    names = list(dict.fromkeys(rows[label]))
    kinds = list(dict.fromkeys(rows[series]))
    fig, ax = plt.subplots(figsize=(6.4, 0.9 + 0.27 * len(names)))
    place = {name: len(names) - 1 - i for i, name in enumerate(names)}
    for i, kind in enumerate(kinds):
        part = rows[rows[series] == kind]
        y = part[label].map(place) + 0.16 * ((len(kinds) - 1) / 2 - i)
        error = np.nan_to_num([part["distance"] - part["low"], part["high"] - part["distance"]])
        ax.errorbar(
            part["distance"],
            y,
            xerr=error,
            fmt="o",
            markersize=4,
            color=colours[i],
            label=kind,
            linewidth=1.1,
        )
        ax.plot(
            part["null"],
            y,
            "|",
            color=NULL,
            markersize=7,
            label="sampling alone" if i == 0 else None,
        )
    ax.set_yticks(list(place.values()), list(place))
    ax.set_xlim(-0.03, 2.05)
    ax.set_xlabel("mean $W_1$ distance")
    ax.grid(axis="x", alpha=0.4)
    fig.legend(loc="outside upper center", ncols=3)
    top, least = rows.loc[rows["distance"].idxmax()], rows.loc[rows["distance"].idxmin()]
    above = int((rows["low"] > rows["null"]).sum())
    return (
        fig,
        (
            f"Mean W1 distance with its 95% interval for each {label} ({len(names)}), one colour"
            f" for each {series} ({', '.join(map(str, kinds))}), beside a tick for what sampling"
            f" alone makes. The distance is largest for {top[label]},"
            f" {top[series]} ({top['distance']:.2f}) and smallest for {least[label]},"
            f" {least[series]} ({least['distance']:.2f}); {above} of {len(rows)} intervals lie"
            " above their tick."
        ),
    )


def against_n(rows: pd.DataFrame, series: str) -> tuple[Figure, str]:
    """Mean distance against the number of people, one colour a ``series``, the null of each
    dotted.
    """
    fig, ax = plt.subplots(figsize=(6.2, 3.3))
    words = []
    for (kind, part), colour in zip(
        rows.groupby(series, sort=False), (IN, OUT, "#009E73", "#CC79A7"), strict=False
    ):
        part = part.sort_values("people")
        error = np.nan_to_num([part["distance"] - part["low"], part["high"] - part["distance"]])
        ax.errorbar(
            part["people"],
            part["distance"],
            error,
            color=colour,
            marker="o",
            markersize=4,
            linewidth=1.2,
            label=kind,
        )
        ax.plot(part["people"], part["null"], color=colour, linestyle=":", linewidth=1)
        words.append(
            f"{kind} from {part['distance'].iloc[0]:.2f} to {part['distance'].iloc[-1]:.2f}"
        )
    ax.set_xscale("log")
    ticks = sorted(rows["people"].unique())
    ax.set_xticks(ticks, [f"{t:,.0f}" for t in ticks], fontsize=7.5)
    ax.set_xticks([], minor=True)
    ax.set_xlabel("people in the data set (log scale)")
    ax.set_ylabel("mean $W_1$ distance")
    ax.set_ylim(0, 2.05)
    fig.legend(loc="outside upper center", ncols=2)
    return (
        fig,
        "Mean W1 distance against the number of people: "
        + "; ".join(words)
        + ". Dotted: sampling alone.",
    )


def histogram_pair(
    panels: Mapping[str, Mapping[str, np.ndarray]], xlabel: str
) -> tuple[Figure, str]:
    """Histograms side by side, each panel with named series on common bins."""
    fig, axes = plt.subplots(1, len(panels), figsize=(3.3 * len(panels), 2.9), squeeze=False)
    words = []
    for ax, (title, series) in zip(axes[0], panels.items(), strict=True):
        everything = np.concatenate(list(series.values()))
        bins = np.linspace(everything.min(), max(everything.max(), everything.min() + 1e-6), 31)
        for (name, values), colour in zip(series.items(), (IN, OUT, "#009E73"), strict=False):
            ax.hist(values, bins, color=colour, alpha=0.6, label=name, density=False)
            words.append(f"{title}, {name}: mean {values.mean():.3f}")
        ax.set_title(title, fontsize=9)
        ax.set_xlabel(xlabel)
        ax.legend(fontsize=7)
    return fig, "Histograms. " + "; ".join(words) + "."
