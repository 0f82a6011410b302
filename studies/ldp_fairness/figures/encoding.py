"""The diagram of the encoding (Fig. 1 of the LDP paper) and the shares of a budget split."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.patches import Rectangle

from lib.ldp import PROTOCOLS, make, one_hot
from lib.ldp.local_hashing import hash_values
from lib.plotting.panels import Picture, panel
from lib.plotting.style import BLUE, RED
from lib.rng import stream


def _joined(values) -> str:
    return " ".join(map(str, values))


def _steps(
    mechanism: Any, value: int, rng: np.random.Generator
) -> tuple[str, str, str, np.ndarray]:
    """What a person encodes and sends, what the server does, and the bits that it gets."""
    v, k, name = np.array([value]), mechanism.k, mechanism.name
    hot = _joined(one_hot(v, k)[0])
    if name == "THE":
        noisy = mechanism.histogram(v, rng)
        bits = (noisy > mechanism.theta).astype(np.uint8)[0]
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
        ax.text(0, y, name, va="center", fontsize=9.5, fontweight="bold")
        ax.text(14, y + 0.17, encoded, va="center", fontsize=8.5)
        ax.text(14, y - 0.19, "→ " + sent, va="center", fontsize=8.5)
        ax.text(62.5, y, step, va="center", ha="right", fontsize=8.5, color="#6B6B6B")
        for v, bit in enumerate(bits):
            edge = {"ec": "#000000", "lw": 2} if v == value else {"ec": "#9A9A9A", "lw": 0.8}
            corner, fill = (64 + v * side, y - 0.22), BLUE if bit else "none"
            ax.add_patch(Rectangle(corner, side * 0.86, 0.44, facecolor=fill, **edge))
        words.append(f"{name}: {encoded}, sends {sent}, the server has {_joined(bits)}")
    return fig, (
        f"Diagram, one row a protocol, of how the value {value} is encoded, sent and turned into"
        f" {k} bits. {'; '.join(words)}."
    )


def split_bars(shares: pd.DataFrame) -> Picture:
    """Share of the budget of each attribute under each split.

    ``shares`` has the attributes in words as rows and columns ``uniform, k-based``.
    """
    fig, ax = panel((5.6, 0.9 + 0.55 * len(shares)), "share of the budget ε")
    y = np.arange(len(shares))
    for split, shift, colour in (("uniform", -0.2, BLUE), ("k-based", 0.2, RED)):
        bars = ax.barh(y + shift, shares[split], height=0.36, label=split, color=colour)
        ax.bar_label(bars, fmt="{:.1%}", padding=3, fontsize=8)
    ax.set_xlim(0, 1.15 * shares.max(axis=None))
    ax.set_yticks(y, shares.index)
    ax.invert_yaxis()
    ax.legend(loc="best")
    listed = "; ".join(
        f"{a}: {r['uniform']:.1%} and {r['k-based']:.1%}" for a, r in shares.iterrows()
    )
    return fig, f"Bars of the share of the budget by attribute, uniform and k-based: {listed}."
