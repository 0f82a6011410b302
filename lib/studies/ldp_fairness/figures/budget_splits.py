"""Figures of splits: what an attribute gets, the split of least variance, bits against outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.patches import Rectangle

from lib.ldp import PROTOCOLS
from lib.plotting.lines import ends
from lib.plotting.panels import (
    Picture,
    epsilon_axis,
    handle,
    legend,
    panel,
    panels,
    protocol_legend,
)
from lib.plotting.style import (
    BLUE,
    COLOURS,
    DARK,
    GREEN,
    MARKERS,
    OLIVE,
    ORANGE,
    PINK,
    RED,
    REFERENCE,
    SPLIT_NAMES,
)
from lib.stats.summary import rank_correlation

_ATTRIBUTE_COLOURS = (RED, GREEN, BLUE, DARK, PINK, OLIVE)
_STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)))


def split_bars(shares: pd.DataFrame, title: str) -> Picture:
    """Share of the budget that each attribute gets under each split.

    ``shares`` has the attributes as rows and columns ``k, uniform, k-based``.
    """
    settings = {"xlim": (0, 1), "title": title}
    fig, ax = panel((6.2, 0.9 + 0.55 * len(shares)), "share of ε", **settings)
    y = np.arange(len(shares))
    for split, side, style in (
        ("uniform", 0.2, {"color": BLUE}),
        ("k-based", -0.2, {"color": ORANGE, "hatch": "//"}),
    ):
        bars = ax.barh(y + side, shares[split], height=0.36, label=split, **style)
        ax.bar_label(bars, fmt="{:.1%}", padding=3, fontsize=8)
    ax.set_yticks(y, shares.index + shares["k"].map(" (k = {})".format))
    ax.invert_yaxis()
    ax.legend(loc="lower right")
    listed = "; ".join(
        f"{a}: {r['uniform']:.1%} and {r['k-based']:.1%}" for a, r in shares.iterrows()
    )
    return fig, (
        f"Bars of the share of the budget by attribute for {title}, uniform and k-based: {listed}."
    )


def journey(rows: Sequence[tuple[str, str, str, str, np.ndarray]], value: int) -> Picture:
    """One value's way through the protocols to k bits at the server (Fig. 1 of the LDP paper).

    Parameters
    ----------
    rows : sequence of (protocol, encoded, sent, server step, bits)
        What the person encodes and sends, what the server does, and the k bits that result.
    value : int
        The true value; its column is framed.
    """
    k, top = len(rows[0][-1]), len(rows)
    fig, ax = panel((5.0, 0.5 + 0.82 * top), xlim=(0, 100), ylim=(0, top + 0.45))
    ax.axis("off")
    side = min(6.5, 30 / k)
    left = 100 - side * k
    ax.text(16, top + 0.15, "person: encode, then send", fontsize=9, fontweight="bold")
    ax.text(100, top + 0.15, "server", fontsize=9, fontweight="bold", ha="right")
    for i, (name, encoded, sent, step, bits) in enumerate(rows):
        y, colour = top - i - 0.5, COLOURS[name]
        ax.text(0, y, name, va="center", fontsize=9.5, fontweight="bold", color=colour)
        ax.text(16, y + 0.17, encoded, va="center", fontsize=8.5)
        ax.text(16, y - 0.19, "→ " + sent, va="center", fontsize=8.5)
        ax.text(left - 1.5, y, step, va="center", ha="right", fontsize=8, color="#555555")
        for v, bit in enumerate(bits):
            frame = {"ec": "#000000", "lw": 2} if v == value else {"ec": "#999999", "lw": 0.8}
            corner, fill = (left + v * side, y - 0.24), colour if bit else "none"
            ax.add_patch(Rectangle(corner, side * 0.86, 0.48, facecolor=fill, **frame))
        ax.axhline(y - 0.47, color="#bbbbbb", linewidth=0.5)
    listed = "; ".join(
        f"{name}: {encoded}, sends {sent}, server has {''.join(map(str, bits))}"
        for name, encoded, sent, _, bits in rows
    )
    return fig, (
        f"Diagram, one row a protocol, of how the value {value} is encoded, sent and turned"
        f" into {k} bits. {listed}."
    )


def best_shares(table: pd.DataFrame, k_based: Mapping[str, float]) -> Picture:
    """Share of each attribute under the split of least total variance, against the budget.

    Parameters
    ----------
    table : DataFrame
        Columns ``protocol, attribute, epsilon, share``.
    k_based : mapping attribute -> share
    """
    protocols, epsilons = list(dict.fromkeys(table["protocol"])), table["epsilon"]
    size, shape = (5.2, 2.7 * len(protocols) + 0.5), (len(protocols), 1)
    labels = ("budget ε (log scale)", "share of ε")
    fig, axes = panels(size, shape, *labels, titles=protocols, sharex=True, sharey=True)
    words = []
    for ax, protocol in zip(axes.flat, protocols, strict=True):
        told = []
        for attribute, colour, style in zip(k_based, _ATTRIBUTE_COLOURS, _STYLES, strict=False):
            own = table[(table["protocol"] == protocol) & (table["attribute"] == attribute)]
            ax.plot(own["epsilon"], own["share"], color=colour, linestyle=style, label=attribute)
            edge = {"color": colour, "markersize": 7, "clip_on": False}
            ax.plot(epsilons.max() * 1.15, k_based[attribute], ">", **edge)
            told.append(f"{attribute} {ends(own['share'], '.0%')}")
        words.append(f"{protocol}: {', '.join(told)}")
        ax.axhline(1 / len(k_based), color="#777777", linewidth=0.8)
    ax.set_ylim(0, None)
    epsilon_axis(ax, epsilons)
    legend(fig)
    edges = ", ".join(f"{a} {s:.0%}" for a, s in k_based.items())
    return fig, (
        "Share of the budget of each attribute under the split of least variance, from epsilon"
        f" {epsilons.min():g} to {epsilons.max():g}. {'; '.join(words)}. Triangles at the right"
        f" edge mark the k-based shares, {edges}; a horizontal line the uniform one."
    )


def protected_keep(table: pd.DataFrame) -> Picture:
    """Probability of reporting the true protected value under randomised response, by split.

    ``table`` has columns ``dataset, split, epsilon, keep``.
    """
    labels = ("budget ε (log scale)", "probability of reporting the true value")
    fig, ax = panel((5.2, 3.8), *labels, ylim=(0.49, 1.01))
    datasets = list(dict.fromkeys(table["dataset"]))
    lines = [(datasets[0], "uniform", "all three", "#777777")]
    lines += [(d, "k-based", d, c) for d, c in zip(datasets, _ATTRIBUTE_COLOURS, strict=False)]
    words = []
    for dataset, split, which, colour in lines:
        own = table[(table["dataset"] == dataset) & (table["split"] == split)]
        label, style = f"{SPLIT_NAMES[split]}, {which}", "o-" if split == "uniform" else "o--"
        ax.plot(own["epsilon"], own["keep"], style, markersize=3, color=colour, label=label)
        words.append(f"{label} from {ends(own['keep'], '.3f')}")
    epsilon_axis(ax, table["epsilon"])
    legend(fig, ncols=1)
    return fig, (
        "Keep probability of the binary protected attribute under GRR against the total"
        f" budget: {'; '.join(words)}."
    )


def information_curves(table: pd.DataFrame, entropies: Mapping[str, float]) -> Picture:
    """Bits that a report tells about an attribute against its own budget, a panel an attribute.

    ``table`` has columns ``attribute, protocol, epsilon, bits``.
    """
    size, shape = (5.0, 1.0 + 2.3 * len(entropies)), (len(entropies), 1)
    labels = ("budget ε of the attribute (log scale)", "bits")
    fig, axes = panels(size, shape, *labels, titles=entropies, sharex=True, log="x")
    words, last = [], table["epsilon"].max()
    for ax, (attribute, most) in zip(axes.flat, entropies.items(), strict=True):
        bits = table[table["attribute"] == attribute].pivot(
            index="epsilon", columns="protocol", values="bits"
        )
        for name in PROTOCOLS:
            style = {"color": COLOURS[name], "marker": MARKERS[name], "markersize": 3.5}
            ax.plot(bits[name], **style, markevery=3)
        ax.axhline(most, color="#777777", linewidth=0.8, linestyle="--")
        listed = ", ".join(f"{n} {bits[n][last]:.2f}" for n in PROTOCOLS)
        words.append(f"{attribute} (entropy {most:.2f}): {listed}")
    protocol_legend(fig, PROTOCOLS)
    return fig, (
        "Mutual information in bits between a value and its report against the attribute's"
        f" budget. All rise from 0; at epsilon {last:g}: {'; '.join(words)}. A dashed line"
        " marks the entropy, which GRR, RAPPOR and SS reach."
    )


def information_outcome(
    table: pd.DataFrame, x: str, y: str, labels: tuple[str, str], baseline: float
) -> Picture:
    """Bits about an attribute against a metric of the model that was trained on the reports.

    A point for each protocol, split and budget.
    """
    fig, ax = panel((5.2, 4.0), *labels, log="x")
    for (name, split), own in table.groupby(["protocol", "split"]):
        fill = COLOURS[name] if split == "uniform" else "none"
        style = {"color": COLOURS[name], "markerfacecolor": fill, "markersize": 4.5}
        ax.plot(own[x], own[y], MARKERS[name], **style)
    ax.axhline(baseline, **REFERENCE)
    protocol_legend(fig, table["protocol"], handle("NonDP", **REFERENCE))
    low, high = table[y][table[x].agg(["idxmin", "idxmax"])]
    return fig, (
        f"Scatter of {len(table)} points, {labels[1]} against {labels[0]}: rank correlation"
        f" {rank_correlation(table[x], table[y]):.2f}, from {low:.3f} at the least information to"
        f" {high:.3f} at the most; NonDP at {baseline:.3f}. Filled marks are the uniform split,"
        " hollow ones k-based."
    )
