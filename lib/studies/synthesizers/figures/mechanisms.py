"""Figures of the synthesizers: the tree that MST picks, AIM's rounds, GEM's losses, errors by
marginal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

__all__ = ["tree", "rounds", "losses", "errors_by_marginal"]

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#6B6B6B", "#E69F00")


def tree(edges: Sequence[tuple[str, str]]) -> tuple[Figure, str]:
    """A tree over the columns; edges carry the order in which they were chosen."""
    graph = nx.Graph(list(edges))
    root = max(graph, key=graph.degree)
    depth = nx.single_source_shortest_path_length(graph, root)
    place = {
        column: (x, -y) for column, (x, y) in nx.bfs_layout(graph, root, align="horizontal").items()
    }
    fig, ax = plt.subplots(figsize=(6.4, 0.9 + 1.15 * max(depth.values())))
    nx.draw_networkx_edges(graph, place, ax=ax, edge_color="#8A8A8A")
    nx.draw_networkx_labels(
        graph,
        place,
        ax=ax,
        font_size=7.5,
        bbox={"facecolor": "#E8F1F8", "edgecolor": "#35607F", "boxstyle": "round"},
    )
    order = {edge: str(i) for i, edge in enumerate(edges, start=1)}
    nx.draw_networkx_edge_labels(graph, place, order, ax=ax, font_size=7, rotate=False)
    ax.margins(0.12, 0.2)
    ax.axis("off")
    return (
        fig,
        "Tree of chosen pairs, in order: " + ", ".join(f"{a} with {b}" for a, b in edges) + ".",
    )


def rounds(table: pd.DataFrame) -> tuple[Figure, str]:
    """AIM's rounds; columns ``round, sigma, cells, change, annealed``: noise of a cell, and how
    far the model moved.
    """
    fig, (top, bottom) = plt.subplots(2, 1, figsize=(6.0, 4.2), sharex=True)
    top.step(table["round"], table["sigma"], where="mid", color=_COLOURS[0])
    grown = table[table["annealed"]]
    top.plot(
        grown["round"],
        grown["sigma"],
        "o",
        color=_COLOURS[1],
        markersize=4,
        label="budget doubles after",
    )
    top.set_yscale("log")
    top.set_ylabel("σ of a cell (log)")
    top.legend()
    bottom.plot(
        table["round"],
        table["change"],
        "o-",
        color=_COLOURS[0],
        markersize=3.5,
        label="change of the model",
    )
    bottom.plot(table["round"], table["noise"], "--", color=_COLOURS[4], label="expected noise")
    bottom.set_yscale("log")
    bottom.set_ylabel("L1, in people (log)")
    bottom.xaxis.set_major_locator(MaxNLocator(integer=True))
    bottom.set_xlabel("round")
    bottom.legend()
    return (
        fig,
        (
            f"{len(table)} rounds: sigma falls from {table['sigma'].iloc[0]:.0f} to"
            f" {table['sigma'].iloc[-1]:.0f} in {len(grown)} doublings; change of the model from"
            f" {table['change'].iloc[0]:.0f} to {table['change'].iloc[-1]:.0f} people."
        ),
    )


def losses(per_round: Sequence[np.ndarray]) -> tuple[Figure, str]:
    """GEM's training loss, step by step; a line starts where a measurement comes in."""
    fig, ax = plt.subplots(figsize=(6.0, 3.0))
    everything = np.concatenate(per_round)
    ax.plot(np.arange(1, everything.size + 1), everything, color=_COLOURS[0], linewidth=1)
    for start in np.cumsum([len(r) for r in per_round])[:-1]:
        ax.axvline(start, color="#BBBBBB", linewidth=0.5)
    ax.set_yscale("log")
    ax.set_xlabel("Adam step (lines: a new measurement)")
    ax.set_ylabel("loss (log)")
    ends = f"from {everything[0]:.3g} to {everything[-1]:.3g}"
    return (
        fig,
        f"Training loss over {len(per_round)} rounds, {ends}, rising where a measurement comes in.",
    )


def errors_by_marginal(errors: Mapping[str, pd.Series]) -> tuple[Figure, str]:
    """Sorted errors over the marginals of a workload, one line a method."""
    fig, ax = plt.subplots(figsize=(6.0, 3.6))
    words = []
    for (name, series), colour in zip(errors.items(), _COLOURS, strict=False):
        ax.plot(
            np.linspace(0, 1, len(series)), np.sort(series.to_numpy()), color=colour, label=name
        )
        words.append(f"{name} mean {series.mean():.3f}")
    ax.set_xlabel("share of the three-way marginals, sorted by error")
    ax.set_ylabel("error, 0 to 2")
    ax.set_ylim(0, None)
    fig.legend(loc="outside upper center", ncols=3)
    return fig, "Sorted errors of the three-way marginals: " + "; ".join(words) + "."
