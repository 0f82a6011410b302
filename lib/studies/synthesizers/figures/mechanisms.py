"""Figures of the synthesizers: the tree of MST, AIM's rounds, GEM's losses, errors by marginal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from matplotlib.ticker import MaxNLocator

from lib.plotting.lines import ends
from lib.plotting.panels import Picture, legend, panel, panels
from lib.plotting.style import BLUE, GREY, RED, SERIES


def tree(edges: Sequence[tuple[str, str]]) -> Picture:
    """A tree over the columns; edges carry the order in which they were chosen."""
    graph = nx.Graph(list(edges))
    root = max(graph, key=graph.degree)
    depth = nx.single_source_shortest_path_length(graph, root)
    layout = nx.bfs_layout(graph, root, align="horizontal", scale=-1)
    place = {column: (-x, y) for column, (x, y) in layout.items()}
    fig, ax = panel((6.4, 0.9 + 1.15 * max(depth.values())))
    nx.draw_networkx_edges(graph, place, ax=ax, edge_color="#8A8A8A")
    box = {"facecolor": "#E8F1F8", "edgecolor": "#35607F", "boxstyle": "round"}
    nx.draw_networkx_labels(graph, place, ax=ax, font_size=7.5, bbox=box)
    order = {edge: str(i) for i, edge in enumerate(edges, start=1)}
    nx.draw_networkx_edge_labels(graph, place, order, ax=ax, font_size=7, rotate=False)
    ax.margins(0.12, 0.2)
    ax.axis("off")
    return fig, f"Tree of chosen pairs, in order: {', '.join(map(' with '.join, edges))}."


def rounds(table: pd.DataFrame) -> Picture:
    """AIM's rounds: the noise of a cell, and how far the model moved.

    ``table`` has columns ``round, sigma, cells, change, noise, annealed``.
    """
    settings: dict[str, Any] = {"log": "y", "sharex": True}
    fig, axes = panels((6.0, 4.2), (2, 1), "round", **settings)
    top, bottom = axes.flat
    top.step("round", "sigma", data=table, where="mid", color=BLUE, label="_")
    grown = table[table["annealed"]]
    style: dict[str, Any] = {"color": RED, "markersize": 4, "label": "budget doubles after"}
    top.plot(grown["round"], grown["sigma"], "o", **style)
    top.set_ylabel("σ of a cell (log)")
    moves: dict[str, Any] = {"color": BLUE, "markersize": 3.5, "label": "change of the model"}
    bottom.plot("round", "change", "o-", data=table, **moves)
    bottom.plot("round", "noise", "--", data=table, color=GREY, label="expected noise")
    bottom.set_ylabel("L1, in people (log)")
    bottom.xaxis.set_major_locator(MaxNLocator(integer=True))
    for ax in axes.flat:
        ax.legend()
    return fig, (
        f"{len(table)} rounds: sigma falls from {ends(table['sigma'], '.0f')} in {len(grown)}"
        f" doublings; change of the model from {ends(table['change'], '.0f')} people."
    )


def losses(per_round: Sequence[np.ndarray]) -> Picture:
    """GEM's training loss, step by step; a line starts where a measurement comes in."""
    labels = ("Adam step (lines: a new measurement)", "loss (log)")
    fig, ax = panel((6.0, 3.0), *labels, log="y")
    steps = np.concatenate(per_round)
    ax.plot(np.arange(1, steps.size + 1), steps, color=BLUE, linewidth=1)
    for start in np.cumsum([len(r) for r in per_round])[:-1]:
        ax.axvline(start, color="#BBBBBB", linewidth=0.5)
    return fig, (
        f"Training loss over {len(per_round)} rounds, from {ends(steps, '.3g')}, rising where a"
        " measurement comes in."
    )


def errors_by_marginal(errors: Mapping[str, pd.Series]) -> Picture:
    """Sorted errors over the marginals of a workload, one line a method."""
    labels = ("share of the three-way marginals, sorted by error", "error, 0 to 2")
    fig, ax = panel((6.0, 3.6), *labels)
    for (name, series), colour in zip(errors.items(), (*SERIES[:4], GREY), strict=False):
        ax.plot(np.linspace(0, 1, len(series)), np.sort(series), color=colour, label=name)
    ax.set_ylim(0, None)
    legend(fig, ncols=3)
    words = "; ".join(f"{name} mean {series.mean():.3f}" for name, series in errors.items())
    return fig, f"Sorted errors of the three-way marginals: {words}."
