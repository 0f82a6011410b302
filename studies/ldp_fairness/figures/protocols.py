"""Figures of the protocols themselves: the diagram of the encoding (Fig. 1 of the LDP paper), the
shares of a budget split, and the error of an estimated frequency against the budget.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.patches import Rectangle

from lib.ldp import PROTOCOLS, make, one_hot
from lib.ldp.local_hashing import hash_values
from lib.plotting.panels import Picture, handle, panel, simulated, ticks
from lib.plotting.style import BLUE, LIGHT, RED
from lib.rng import stream
from studies.ldp_fairness.figures.style import COLOURS, MARKERS, protocol_legend


def _joined(values) -> str:
    return " ".join(map(str, values))


def _steps(
    mechanism: Any, value: int, rng: np.random.Generator
) -> tuple[str, str, str, np.ndarray]:
    """What a person encodes and sends, what the server does, and the bits that it gets."""
    v, k, name = np.array([value]), mechanism.k, mechanism.name
    hot = _joined(one_hot(v, k)[0])
    if name == "THE":
        bits = (mechanism.histogram(v, rng) > mechanism.theta).astype(np.uint8)[0]
        sent = f"the entries above θ = {mechanism.theta:.2f}: {_joined(np.flatnonzero(bits))}"
        return f"{hot}, plus Laplace noise", sent, "IVE", bits
    report = mechanism.privatise(v, rng)
    bits = mechanism.support(report)[0]
    if name == "GRR":
        return f"{value}", f"the value {report[0]}", "OHE", bits
    if name in ("BLH", "OLH"):
        hashes = hash_values(report.seeds[:, None], np.arange(k), mechanism.g)[0]
        sent = f"H and the hash {report.hashes[0]}, of {mechanism.g}"
        return f"hashes H = {_joined(hashes)}", sent, "IVE", bits
    if name == "SS":
        return f"{value}, ω = {mechanism.omega}", f"the values {_joined(report[0])}", "IVE", bits
    return hot, f"the bits {_joined(bits)}", "as is", bits


def journey(value: int, k: int, epsilon: float, seed: int) -> Picture:
    """One value's way through the protocols to k bits at the server.

    Parameters
    ----------
    value : int
        The true value, below ``k``; its column is framed.
    epsilon : float
        Budget of the attribute.
    """
    rng, top = stream(seed, "a person"), len(PROTOCOLS)
    fig, ax = panel((6.4, 0.5 + 0.75 * top), xlim=(0, 100), ylim=(0, top + 0.45))
    ax.axis("off")
    side = 36 / k
    ax.text(14, top + 0.15, "the person encodes, then sends →", fontsize=9, fontweight="bold")
    ax.text(100, top + 0.15, "the server has", fontsize=9, fontweight="bold", ha="right")
    words = []
    for i, name in enumerate(PROTOCOLS):
        encoded, sent, step, bits = _steps(make(name, k=k, epsilon=epsilon), value, rng)
        y = top - i - 0.5
        small = {"va": "center", "fontsize": 8.5}
        ax.text(0, y, name, va="center", fontsize=9.5, fontweight="bold")
        ax.text(14, y + 0.17, encoded, **small)
        ax.text(14, y - 0.19, "→ " + sent, **small)
        ax.text(62.5, y, step, ha="right", color="#6B6B6B", **small)
        for v, bit in enumerate(bits):
            edge = {"ec": "#000000", "lw": 2} if v == value else {"ec": "#9A9A9A", "lw": 0.8}
            corner, fill = (64 + v * side, y - 0.22), BLUE if bit else "none"
            ax.add_patch(Rectangle(corner, side * 0.86, 0.44, facecolor=fill, **edge))
        words.append(f"{name}: {encoded}, sends {sent}, the server has {_joined(bits)}")
    return fig, (
        f"Diagram, one row a protocol, of how the value {value} is encoded, sent and turned into"
        f" {k} bits. {'; '.join(words)}."
    )


_NAMES = {
    "GRR": "generalised randomised\nresponse (GRR)",
    "BLH": "binary local hashing (BLH)",
    "OLH": "optimised local hashing (OLH)",
    "OUE": "optimised unary encoding (OUE)",
    "SS": "subset selection (SS)",
    "THE": "thresholding (THE)",
}


def people_needed(need: pd.Series) -> Picture:
    """Bars of how many people each protocol needs; ``need`` has the protocols as its index."""
    need = need.sort_values(ascending=False, kind="stable")
    fig, ax = panel((4.6, 3.0), "customers needed", xlim=(0, 1.25 * need.max()))
    names, colours = [_NAMES.get(n, n) for n in need.index], [COLOURS[n] for n in need.index]
    bars = ax.barh(names, need, color=colours)
    ax.bar_label(bars, [f"{float(f'{n:.3g}'):,.0f}" for n in need], padding=3, fontsize=9)
    ticks(ax, (0, 5000, 10_000), ",")
    listed = "; ".join(f"{name} {n:,.0f}" for name, n in need.items())
    return fig, f"Bars of the people that each protocol needs for the same error: {listed}."


def split_bars(shares: pd.DataFrame) -> Picture:
    """Share of the budget of each attribute under each split.

    ``shares`` has the attributes in words as rows and columns ``uniform, k-based``.
    """
    fig, ax = panel((4.6, 0.9 + 0.5 * len(shares)), "share of the budget ε")
    y = np.arange(len(shares))
    for split, shift, colour in (("uniform", -0.2, BLUE), ("k-based", 0.2, RED)):
        bars = ax.barh(y + shift, shares[split], height=0.36, label=split, color=colour)
        ax.bar_label(bars, fmt="{:.1%}", padding=3, fontsize=8)
    ax.set_xlim(0, 1.15 * shares.max(axis=None))
    ax.set_yticks(y, shares.index)
    ax.invert_yaxis()
    ax.legend(ncols=2, loc="lower left", bbox_to_anchor=(0, 1))
    listed = "; ".join(
        f"{a}: {r['uniform']:.1%} and {r['k-based']:.1%}" for a, r in shares.iterrows()
    )
    return fig, f"Bars of the share of the budget by attribute, uniform and k-based: {listed}."


def estimation_error(table: pd.DataFrame, highlight: Collection[str] = ()) -> Picture:
    """Simulated error of frequency estimates, points with 95% intervals on the exact curve.

    Parameters
    ----------
    table : DataFrame
        Columns ``protocol, epsilon, rmse, low, high, theory``.
    highlight : collection of str
        Protocols in their colours, the others in grey; all have their colours if none is named.
    """
    labels = ("budget ε of the attribute (log scale)", "error of a frequency (RMSE, log scale)")
    fig, ax = panel((4.6, 3.4), *labels, log="xy")
    for name, rows in table.groupby("protocol"):
        behind = bool(highlight) and name not in highlight
        colour, marker = (LIGHT, ".") if behind else (COLOURS[name], MARKERS[name])
        style = {"color": colour, "marker": marker, "zorder": 1 if behind else 3}
        simulated(ax, rows.sort_values("epsilon", kind="stable"), "epsilon", "theory", **style)
    ticks(ax, table["epsilon"])
    others = [handle("the other protocols", color=LIGHT, marker=".")] if highlight else []
    protocol_legend(fig, highlight or table["protocol"], *others)
    worst = (table["rmse"] / table["theory"] - 1).abs().max()
    return fig, (
        "Root mean square error of estimated frequencies against epsilon on log axes; points of"
        f" the simulation lie on the exact curves, the largest relative distance is {worst:.1%}."
    )
