"""Figures about splits: the split of least variance, what a budget buys in bits, bits against
outcomes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from lib.ldp import PROTOCOLS
from lib.plotting.style import COLOURS, MARKERS, SPLIT_NAMES, epsilon_axis, protocol_legend

__all__ = ["journey", "best_shares", "protected_keep", "information_curves", "information_outcome"]

_ATTRIBUTE_COLOURS = ("#D55E00", "#009E73", "#0072B2", "#4B4B4B", "#CC79A7", "#8A8A2B")
_STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)))


def journey(
    rows: Sequence[tuple[str, str, str, str, np.ndarray]], value: int
) -> tuple[Figure, str]:
    """One value's way through the protocols to k bits at the server (Fig. 1 of the LDP paper).

    Parameters
    ----------
    rows : sequence of (protocol, encoded, sent, server step, bits)
        What the person encodes and sends, what the server does, and the k bits that result.
    value : int
        The true value; its column is framed.
    """
    k = len(rows[0][4])
    fig, ax = plt.subplots(figsize=(5.0, 0.5 + 0.82 * len(rows)))
    ax.axis("off")
    ax.set_xlim(0, 100)
    ax.set_ylim(0, len(rows) + 0.45)
    side = min(6.5, 30 / k)
    left = 100 - side * k
    ax.text(16, len(rows) + 0.15, "person: encode, then send", fontsize=9, fontweight="bold")
    ax.text(100, len(rows) + 0.15, "server", fontsize=9, fontweight="bold", ha="right")
    for i, (name, encoded, sent, step, bits) in enumerate(rows):
        y = len(rows) - i - 0.5
        ax.text(0, y, name, va="center", fontsize=9.5, fontweight="bold", color=COLOURS[name])
        ax.text(16, y + 0.17, encoded, va="center", fontsize=8.5)
        ax.text(16, y - 0.19, "→ " + sent, va="center", fontsize=8.5)
        ax.text(left - 1.5, y, step, va="center", ha="right", fontsize=8, color="#555555")
        for v, bit in enumerate(bits):
            own = v == value
            ax.add_patch(
                Rectangle(
                    (left + v * side, y - 0.24),
                    side * 0.86,
                    0.48,
                    facecolor=COLOURS[name] if bit else "none",
                    edgecolor="#000000" if own else "#999999",
                    linewidth=2 if own else 0.8,
                )
            )
        ax.axhline(y - 0.47, color="#bbbbbb", linewidth=0.5)
    listed = "; ".join(
        f"{r[0]}: {r[1]}, sends {r[2]}, server has {''.join(map(str, r[4]))}" for r in rows
    )
    return (
        fig,
        (
            f"Diagram, one row a protocol, of how the value {value} is encoded, sent and turned"
            f" into {k} bits. {listed}."
        ),
    )


def best_shares(table: pd.DataFrame, k_based: Mapping[str, float]) -> tuple[Figure, str]:
    """Share of each attribute under the split of least total variance, against the budget.

    Parameters
    ----------
    table : DataFrame
        Columns ``protocol, attribute, epsilon, share``.
    k_based : mapping attribute -> share
    """
    protocols, attributes = list(dict.fromkeys(table["protocol"])), list(k_based)
    fig, axes = plt.subplots(
        len(protocols), 1, figsize=(5.2, 2.7 * len(protocols) + 0.5), sharex=True, sharey=True
    )
    words = []
    for ax, protocol in zip(axes, protocols, strict=True):
        part = table[table["protocol"] == protocol]
        for attribute, colour, style in zip(attributes, _ATTRIBUTE_COLOURS, _STYLES, strict=False):
            rows = part[part["attribute"] == attribute]
            ax.plot(rows["epsilon"], rows["share"], color=colour, linestyle=style, label=attribute)
            ax.plot(
                table["epsilon"].max() * 1.15,
                k_based[attribute],
                ">",
                color=colour,
                markersize=7,
                clip_on=False,
            )
        words.append(
            f"{protocol}: "
            + ", ".join(
                f"{a} {s.iloc[0]:.0%} to {s.iloc[-1]:.0%}"
                for a in attributes
                for s in [part.loc[part["attribute"] == a, "share"]]
            )
        )
        ax.axhline(1 / len(attributes), color="#777777", linewidth=0.8)
        ax.set_title(protocol)
        ax.set_ylabel("share of ε")
        ax.set_ylim(0, None)
    epsilon_axis(axes[-1], table["epsilon"].unique())
    fig.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    low, high = table["epsilon"].min(), table["epsilon"].max()
    alt = (
        "Share of the budget of each attribute under the split of least variance, from epsilon"
        f" {low:g} to {high:g}. {'; '.join(words)}. Triangles at the right edge mark the k-based"
        " shares, "
        + ", ".join(f"{a} {s:.0%}" for a, s in k_based.items())
        + "; a horizontal line the uniform one."
    )
    return fig, alt


def protected_keep(table: pd.DataFrame) -> tuple[Figure, str]:
    """Keep probability of the protected attribute under randomised response; ``dataset, split,
    epsilon, keep``.
    """
    fig, ax = plt.subplots(figsize=(5.2, 3.8))
    words = []
    for (dataset, part), colour in zip(
        table.groupby("dataset", sort=False), _ATTRIBUTE_COLOURS, strict=False
    ):
        for split, style in (("uniform", "-"), ("k-based", "--")):
            rows = part[part["split"] == split]
            if split == "k-based" or colour == _ATTRIBUTE_COLOURS[0]:
                label = SPLIT_NAMES[split] + (
                    f", {dataset}" if split == "k-based" else ", all three"
                )
                ax.plot(
                    rows["epsilon"],
                    rows["keep"],
                    linestyle=style,
                    marker="o",
                    markersize=3,
                    label=label,
                    color="#777777" if split == "uniform" else colour,
                )
                words.append(
                    f"{label} from {rows['keep'].iloc[0]:.3f} to {rows['keep'].iloc[-1]:.3f}"
                )
    epsilon_axis(ax, table["epsilon"].unique())
    ax.set_ylabel("chance that it is told as it is")
    ax.set_ylim(0.49, 1.01)
    fig.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=1)
    return (
        fig,
        (
            "Keep probability of the binary protected attribute under GRR against the total"
            f" budget: {'; '.join(words)}."
        ),
    )


def information_curves(table: pd.DataFrame, entropies: Mapping[str, float]) -> tuple[Figure, str]:
    """Bits that a report tells about an attribute against the attribute's own budget, one panel an
    attribute.

    ``table`` has columns ``attribute, protocol, epsilon, bits``.
    """
    fig, axes = plt.subplots(
        len(entropies), 1, figsize=(5.0, 1.0 + 2.3 * len(entropies)), sharex=True
    )
    words = []
    for ax, (attribute, most) in zip(axes, entropies.items(), strict=True):
        part = table[table["attribute"] == attribute]
        for name in PROTOCOLS:
            rows = part[part["protocol"] == name]
            ax.plot(
                rows["epsilon"],
                rows["bits"],
                color=COLOURS[name],
                marker=MARKERS[name],
                markersize=3.5,
                markevery=3,
            )
        ax.axhline(most, color="#777777", linewidth=0.8, linestyle="--")
        ax.set_title(attribute)
        ax.set_ylabel("bits")
        end = part[part["epsilon"] == part["epsilon"].max()].set_index("protocol")["bits"]
        words.append(
            f"{attribute} (entropy {most:.2f}): "
            + ", ".join(f"{n} {end[n]:.2f}" for n in PROTOCOLS)
        )
    axes[-1].set_xscale("log")
    axes[-1].set_xlabel("budget ε of the attribute (log scale)")
    protocol_legend(fig, PROTOCOLS)
    last = table["epsilon"].max()
    return (
        fig,
        (
            "Mutual information in bits between a value and its report against the attribute's"
            f" budget. All rise from 0; at epsilon {last:g}: {'; '.join(words)}. A dashed line"
            " marks the entropy, which GRR, RAPPOR and SS reach."
        ),
    )


def information_outcome(
    table: pd.DataFrame, x: str, y: str, labels: tuple[str, str], baseline: float
) -> tuple[Figure, str]:
    """One point for each (protocol, split, budget): bits about an attribute against a metric of
    the trained model.
    """
    fig, ax = plt.subplots(figsize=(5.2, 4.0))
    for name, rows in table.groupby("protocol"):
        for split, fill in (("uniform", COLOURS[name]), ("k-based", "none")):
            part = rows[rows["split"] == split]
            ax.plot(
                part[x],
                part[y],
                MARKERS[name],
                color=COLOURS[name],
                markerfacecolor=fill,
                markersize=4.5,
            )
    ax.axhline(baseline, color="#777777", linewidth=1, linestyle="--")
    ax.set_xscale("log")
    ax.set_xlabel(labels[0])
    ax.set_ylabel(labels[1])
    none = plt.Line2D([], [], color="#777777", linestyle="--", label="NonDP")
    protocol_legend(fig, table["protocol"], extra=[none])
    rank = table[[x, y]].corr(method="spearman").iloc[0, 1]
    low, high = table.loc[table[x].idxmin(), y], table.loc[table[x].idxmax(), y]
    return (
        fig,
        (
            f"Scatter of {len(table)} points, {labels[1]} against {labels[0]}: rank correlation"
            f" {rank:.2f}, from {low:.3f} at the least information to {high:.3f} at the most; NonDP"
            f" at {baseline:.3f}. Filled marks are the uniform split, hollow ones k-based."
        ),
    )
