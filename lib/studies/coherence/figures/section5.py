"""Figures of the coherence experiment: distances over splits, predictions, groups, learners, n."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from lib.plotting.lines import curve, dots, ends
from lib.plotting.panels import Picture, legend, panel, panels, ticks
from lib.plotting.style import GREEN, IN, NULL, OUT, PINK, REFERENCE

_COLOURS = (IN, OUT, GREEN, PINK)
_BOX = {"boxstyle": "round,pad=0.6", "facecolor": "#E8F1F8", "edgecolor": "#35607F"}


def diagram() -> Picture:
    """The experiment of Figure 1, drawn."""
    boxes = {
        "X": (0.0, 0.5, "data set X"),
        "a": (1.45, 1.0, "half $X_a$"),
        "b": (1.45, 0.0, "half $X_b$\n(held back)"),
        "R": (2.9, 1.0, "release, learner\n$\\mathcal{L}(\\mathcal{A}(X_a))$"),
        "h": (4.35, 0.5, "predictor $h$"),
        "d": (5.8, 0.5, "for each group C:\n$W_1(h(X_a|_C), h(X_b|_C))$"),
    }
    fig, ax = panel((7.0, 2.3), xlim=(-0.65, 6.65), ylim=(-0.35, 1.3))
    ax.axis("off")
    centre = {"ha": "center", "va": "center", "fontsize": 7.5}
    texts = {name: ax.text(*place, **centre, bbox=_BOX) for name, place in boxes.items()}
    for start, end in ("Xa", "Xb", "aR", "Rh", "hd", "bd"):
        arrow = {
            "arrowstyle": "->",
            "color": "#35607F",
            "patchA": texts[start].get_bbox_patch(),
            "patchB": texts[end].get_bbox_patch(),
            "connectionstyle": f"arc3,rad={0.12 if start == 'b' else 0}",
        }
        ax.annotate("", boxes[end][:2], boxes[start][:2], arrowprops=arrow)
    return fig, (
        "Flow of the experiment: the data set X is split at random into halves a and b; a curator's"
        " release of half a goes to a learner, which makes a predictor; its predictions on the two"
        " halves are compared group by group."
    )


def sorted_distances(
    series: Mapping[str, np.ndarray],
    null: tuple[float, float] | None = None,
    reference: float | None = None,
) -> Picture:
    """Distances over splits, sorted, one line for each of ``series``.

    ``null`` is a band, ``reference`` a printed value.
    """
    fig, ax = panel((6.2, 3.2), "split, sorted by distance", "$W_1$ distance")
    words = []
    for (name, distances), colour in zip(series.items(), _COLOURS, strict=False):
        distances = np.sort(distances)
        ranks = np.arange(1, distances.size + 1)
        ax.plot(ranks, distances, ".-", color=colour, markersize=4, linewidth=1, label=name)
        words.append(f"{name} from {ends(distances, '.3f')}")
    if null is not None:
        ax.axhspan(*null, color=NULL, alpha=0.3, linewidth=0, label="sampling alone")
    if reference is not None:
        ax.axhline(reference, **REFERENCE, label=f"paper's mean {reference:g}")
    ax.set_ylim(0, None)
    legend(fig)
    return fig, f"Sorted W1 distances over splits: {'; '.join(words)}."


def profiles(samples: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> Picture:
    """Sorted predictions of the group, in the release and left out (as the paper's Figure 3).

    ``samples`` maps the title of a panel to the predictions of both.
    """
    fig, axes = panels(
        (3.3 * len(samples), 3.0),
        (1, len(samples)),
        "share of the group",
        "prediction h",
        titles=samples,
        sharey=True,
    )
    words = []
    for ax, (title, sides) in zip(axes.flat, samples.items(), strict=True):
        for values, colour, name in zip(
            sides, (IN, OUT), ("in the release", "left out"), strict=True
        ):
            share = np.linspace(0, 1, values.size)
            ax.plot(share, np.sort(values), color=colour, label=name)
        inside, outside = (values.mean() for values in sides)
        words.append(f"{title}: mean {inside:.2f} in the release, {outside:.2f} left out")
    legend(fig)
    return fig, f"Sorted predictions of the group. {'; '.join(words)}."


def distance_dots(rows: pd.DataFrame, label: str, series: str) -> Picture:
    """Mean distance with its interval, one line a ``label``, one colour a ``series``.

    Grey ticks are what sampling alone makes, the column ``null``.
    """
    names, kinds = (list(dict.fromkeys(rows[column])) for column in (label, series))
    fig, ax = panel((6.4, 0.9 + 0.27 * len(names)), "mean $W_1$ distance", xlim=(-0.03, 2.05))
    colours = dict(zip(kinds, _COLOURS, strict=False))
    dots(ax, rows, names, (label, series), colours, "distance")
    legend(fig, ncols=3)
    top, least = (rows.loc[rows["distance"].agg(end)] for end in ("idxmax", "idxmin"))
    above = int((rows["low"] > rows["null"]).sum())
    return fig, (
        f"Mean W1 distance with its 95% interval for each {label} ({len(names)}), one colour"
        f" for each {series} ({', '.join(map(str, kinds))}), beside a tick for what sampling"
        f" alone makes. The distance is largest for {top[label]},"
        f" {top[series]} ({top['distance']:.2f}) and smallest for {least[label]},"
        f" {least[series]} ({least['distance']:.2f}); {above} of {len(rows)} intervals lie"
        " above their tick."
    )


def against_n(rows: pd.DataFrame, series: str) -> Picture:
    """Mean distance against the number of people, one colour a ``series``, its null dotted."""
    fig, ax = panel(
        (6.2, 3.3),
        "people in the data set (log scale)",
        "mean $W_1$ distance",
        log="x",
        ylim=(0, 2.05),
    )
    words = []
    for (kind, own), colour in zip(rows.groupby(series, sort=False), _COLOURS, strict=False):
        own = own.sort_values("people")
        curve(ax, own, "people", "distance", color=colour, marker="o", label=kind)
        ax.plot(own["people"], own["null"], ":", color=colour, linewidth=1)
        words.append(f"{kind} from {ends(own['distance'])}")
    ticks(ax, rows["people"], ",.0f", fontsize=7.5)
    legend(fig)
    return fig, (
        f"Mean W1 distance against the number of people: {'; '.join(words)}. Dotted: sampling"
        " alone."
    )


def histogram_pair(samples: Mapping[str, Mapping[str, np.ndarray]], xlabel: str) -> Picture:
    """Histograms side by side, each panel with named series on common bins."""
    fig, axes = panels((3.3 * len(samples), 2.9), (1, len(samples)), titles=samples)
    words = []
    for ax, (title, series) in zip(axes.flat, samples.items(), strict=True):
        bins = np.histogram_bin_edges(np.concatenate(list(series.values())), 30)
        for (name, values), colour in zip(series.items(), _COLOURS, strict=False):
            ax.hist(values, bins, color=colour, alpha=0.6, label=name)
            words.append(f"{title}, {name}: mean {values.mean():.3f}")
        ax.set_xlabel(xlabel)
        ax.legend(fontsize=7)
    return fig, f"Histograms. {'; '.join(words)}."
