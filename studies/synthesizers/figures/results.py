"""Figures of the synthesizers: MST's tree, errors by marginal, scores against epsilon, and who
gains from a model of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from lib.extras import needs
from lib.plotting.panels import (
    Picture,
    curve,
    ends,
    epsilon_axis,
    legend,
    log_if_wide,
    note,
    panel,
    panels,
)
from lib.plotting.style import BLUE, DARK, GREEN, GREY, ORANGE, PINK, RED, REFERENCE
from studies.synthesizers.settings import MAIN
from studies.synthesizers.summary import averaged

COLOURS = {"vanilla": DARK, "SEX": BLUE, "RAC1P": RED, "SEX_RAC1P": GREEN}
NAMES = {"vanilla": "plain", "SEX": "by sex", "RAC1P": "by race", "SEX_RAC1P": "by sex × race"}
_MARKERS = dict(zip(COLOURS, "so^D", strict=True))
_FLOORS = {  # label and style of a line
    "real": ("real rows", "-"),
    "bootstrap": ("bootstrap", "--"),
    "independent": ("columns alone", ":"),
}
MECHANISMS = dict(zip(MAIN, (GREEN, PINK, ORANGE), strict=True))
_SHAPES = dict(zip(MAIN, "o^s", strict=True))
_BUDGET = "budget ε (log scale)"


def tree(edges: Sequence[Sequence[str]]) -> Picture:
    """A tree over the columns; edges carry the order in which they were chosen."""
    with needs("synth"):
        import networkx as nx
    pairs = list(map(tuple, edges))
    graph = nx.Graph(pairs)
    root = max(graph, key=graph.degree)
    depth = nx.single_source_shortest_path_length(graph, root)
    layout = nx.bfs_layout(graph, root, align="horizontal", scale=-1)
    place = {column: (-x, y) for column, (x, y) in layout.items()}
    fig, ax = panel((4.6, 0.9 + 1.15 * max(depth.values())))
    nx.draw_networkx_edges(graph, place, ax=ax, edge_color=GREY)
    box = {"facecolor": "white", "edgecolor": MECHANISMS["MST"], "boxstyle": "round"}
    nx.draw_networkx_labels(graph, place, ax=ax, font_size=9, bbox=box)
    order = {edge: str(i) for i, edge in enumerate(pairs, start=1)}
    nx.draw_networkx_edge_labels(graph, place, order, ax=ax, font_size=9, rotate=False)
    ax.margins(0.12, 0.2)
    ax.axis("off")
    return fig, f"Tree of chosen pairs, in order: {', '.join(map(' with '.join, edges))}."


def errors_by_marginal(errors: Mapping[str, pd.Series]) -> Picture:
    """Sorted errors over the marginals of a workload, one line a release."""
    labels = ("share of the three-way marginals, sorted by error", "error, 0 to 2")
    fig, ax = panel((4.6, 3.8), *labels)
    gap = 0.045 * max(series.max() for series in errors.values())
    place = -gap
    for name, series in sorted(errors.items(), key=lambda item: item[1].max()):
        colour = MECHANISMS.get(name, DARK)
        place = max(series.max(), place + gap)  # labels do not touch
        ax.plot(np.linspace(0, 1, len(series)), np.sort(series), color=colour)
        ax.annotate(name, (1.01, place), color=colour, va="center", fontsize=9)
    ax.set(xlim=(0, 1.25), ylim=(0, None), xticks=[0, 0.25, 0.5, 0.75, 1])
    order = sorted(errors, key=lambda name: errors[name].mean())
    best, worst = (f"{n} with a mean of {errors[n].mean():.1f}" for n in (order[0], order[-1]))
    words = f"From {best} to {worst}: {', '.join(order)}"
    return fig, f"Sorted errors of the three-way marginals. {words}."


def _lines(ax: Axes, rows: pd.DataFrame, by: str, styles: Mapping, **settings) -> list[str]:
    """A line with intervals against epsilon for each value of ``by``; each in words."""
    words = []
    for i, (value, (colour, marker, name)) in enumerate(styles.items()):
        own = rows[rows[by] == value].sort_values("epsilon", kind="stable")
        if len(own):
            x = own["epsilon"] * 1.05 ** (i - (len(styles) - 1) / 2)
            curve(ax, own, x, color=colour, marker=marker, label=name, **settings)
            words.append(f"{name} from {ends(own['mean'], '.3g')}")
    epsilon_axis(ax, rows["epsilon"], fontsize=8)
    return words


def against_epsilon(
    frame: pd.DataFrame,
    metric: str,
    ylabel: str,
    floors: Sequence[str] = tuple(_FLOORS),
    share: bool = False,
) -> Picture:
    """A panel a synthesizer, a line a stratification with 95% intervals, grey lines for baselines.

    A ``share`` lies between 0 and 1 and gets a linear axis, its intervals cut at the ends.
    """
    means = averaged(frame[frame["small"] == "keep"], metric)
    kinds, words = means["synthesizer"], []
    fig, axes = panels((7.0, 6.2), (2, 2), _BUDGET, ylabel, titles=MAIN, sharey=True)
    styles = {by: (COLOURS[by], _MARKERS[by], NAMES[by]) for by in COLOURS}
    for ax, name in zip(axes.flat, MAIN, strict=False):
        lines = _lines(ax, means[kinds == name], "by", styles, most=1.0 if share else np.inf)
        words += [f"{name} {line}" for line in lines]
        for floor in floors:
            label, style = _FLOORS[floor]
            for level in means["mean"][kinds == floor]:
                ax.axhline(level, color=GREY, linewidth=0.9, linestyle=style, label=label)
    if share:
        ax.set_ylim(0, 1)
    else:
        log_if_wide(ax, means["mean"][kinds.isin([*MAIN, *floors])])
    axes[0, 1].set_xlabel(_BUDGET)
    axes[1, 1].axis("off")
    axes[1, 1].legend(*ax.get_legend_handles_labels(), loc="center")
    return fig, f"{ylabel} against epsilon. {'; '.join(words)}."


def relative_to_plain(tables: Mapping[str, pd.DataFrame], ylabel: str) -> Picture:
    """A score of the stratified fits over that of the plain ones, a panel a table, a line a
    synthesizer.

    ``tables`` has a title and the rows of :func:`against_vanilla` with ``ratio`` for each table.
    """
    size, shape = (4.6, 0.9 + 1.9 * len(tables)), (len(tables), 1)
    fig, axes = panels(size, shape, _BUDGET, titles=tables, log="y", sharex=True, sharey=True)
    styles, words = {name: (MECHANISMS[name], _SHAPES[name], name) for name in MAIN}, []
    for ax, (title, rows) in zip(axes.flat, tables.items(), strict=True):
        ax.axhline(1, **REFERENCE)
        ax.axhspan(0.2, 1, color=BLUE, alpha=0.08, linewidth=0)
        inside = {"xycoords": ("axes fraction", "data"), "color": BLUE, "fontsize": 9}
        note(ax, "models of their own are better", (0, 0.2), (5, 5), **inside)
        words.append(f"{title}: {', '.join(_lines(ax, rows, 'synthesizer', styles))}")
    ax.set_yticks([0.25, 0.5, 1, 2], ["¼", "½", "1", "2"])
    ax.set_yticks([], minor=True)
    fig.supylabel(ylabel, fontsize=10)
    legend(fig, ncols=3)
    return fig, f"{ylabel}, against epsilon. {'; '.join(words)}."


def gains_by_size(gains: Mapping[str, pd.DataFrame]) -> Picture:
    """How much a model of its own lowers each group's error, against the group's size; a panel for
    each of ``gains`` (:func:`studies.synthesizers.summary.gains_of_groups`, by whose rows they
    compare with), a shape a synthesizer. Grey are gains whose interval has 0.
    """
    size, labels = (4.6, 0.9 + 2.9 * len(gains)), ("people in the group (log scale)", "gain")
    fig, axes = panels(size, (len(gains), 1), *labels, log="x", sharex=True, sharey=True)
    words = []
    for ax, (whose, own) in zip(axes.flat, gains.items(), strict=True):
        ax.axhline(0, **REFERENCE)
        ax.set_title(whose, fontsize=9.5)
        side = np.where(own["low"] > 0, "gain", np.where(own["high"] < 0, "lose", ""))
        for name, mark in _SHAPES.items():
            ax.plot([], [], mark, color=DARK, label=name)
            for kind, colour in (("", GREY), ("gain", BLUE), ("lose", RED)):
                rows = own[(own["synthesizer"] == name) & (side == kind)]
                ax.plot(rows["people"], rows["gain"], mark, color=colour, alpha=0.8)
        for word, above, colour in (("gain", 5, BLUE), ("lose", -14, RED)):
            where = {"xycoords": ("axes fraction", "data"), "color": colour}
            note(ax, word, (0.02, 0), (0, above), **where)
        ax.xaxis.set_major_formatter("{x:,.0f}")
        words.append(
            f"{whose}: {(side == 'gain').sum()} of {len(own)} points are clearly above 0, the "
            f"smallest group among them of {own['people'][side == 'gain'].min():,.0f} people"
        )
    legend(fig, ncols=3)
    return fig, f"Gain of each group against its size. {'; '.join(words)}."
