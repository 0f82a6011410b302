"""Figures of the theory of stratified means: bounds against simulation, Theorem 10, COINPRESS's
intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from lib.plotting.panels import plain_ticks

__all__ = ["coverage", "dirichlet_curve", "intervals"]

_PAIR = ("#0072B2", "#D55E00")


def coverage(table: pd.DataFrame, level: float) -> tuple[Figure, str]:
    """Quantile of simulated errors and the bound against k; columns ``groups, k, q, bound``."""
    fig, ax = plt.subplots(figsize=(5.6, 3.8))
    words = []
    for (name, part), colour, marker in zip(
        table.groupby("groups", sort=False), _PAIR, ("o", "s"), strict=True
    ):
        ax.plot(
            part["k"],
            part["q"],
            marker=marker,
            color=colour,
            label=f"{level:.0%} of the tables: {name}",
        )
        words.append(f"{name}: {part['q'].iloc[0]:.3g} to {part['q'].iloc[-1]:.3g}")
    bound = table.groupby("k")["bound"].max()
    ax.plot(bound.index, bound, "--", color="#4B4B4B", label="bound")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xticks(sorted(table["k"].unique()), [str(k) for k in sorted(table["k"].unique())])
    plain_ticks(ax.yaxis)
    ax.minorticks_off()
    ax.set_xlabel("groups k (log scale)")
    ax.set_ylabel("error (log scale)")
    fig.legend(loc="outside upper center")
    words.append(f"bound {bound.iloc[0]:.3g} to {bound.iloc[-1]:.3g}")
    return (
        fig,
        f"Error against the number of groups, quantiles below the bound: {'; '.join(words)}.",
    )


def dirichlet_curve(table: pd.DataFrame, ends: Mapping[str, float]) -> tuple[Figure, str]:
    """Theorem 10 against alpha with draws; columns ``alpha, theorem, drawn, with people``;
    horizontal lines ``ends``.
    """
    fig, ax = plt.subplots(figsize=(5.8, 4.4))
    ax.plot(table["alpha"], table["theorem"], color=_PAIR[0], label="Theorem 10")
    ax.plot(
        table["alpha"],
        table["drawn"],
        "o",
        color=_PAIR[0],
        markersize=4,
        fillstyle="none",
        label="draws",
    )
    ax.plot(
        table["alpha"],
        table["with people"],
        "x",
        color="#009E73",
        markersize=4,
        label="draws, one person at least",
    )
    styles = {
        "worst": ("-", "#4B4B4B"),
        "observed": ("-", "#D55E00"),
        "best as printed": (":", "#4B4B4B"),
        "best": ("--", "#4B4B4B"),
    }
    names = {
        "worst": "equal groups",
        "observed": "New York's races",
        "best as printed": "best case, printed",
        "best": "best case",
    }
    for name, (style, colour) in styles.items():
        ax.axhline(ends[name], linestyle=style, color=colour, linewidth=1.2, label=names[name])
    ax.set_xscale("log")
    ax.set_ylim(min(0.0, ends["best"]) - 5, ends["worst"] + 6)
    ax.set_xlabel("Dirichlet parameter α (log scale)")
    ax.set_ylabel("sum of log group sizes")
    fig.legend(loc="outside upper center", ncols=2)
    return (
        fig,
        (
            f"Sum of log sizes rising with alpha from {table['alpha'].iloc[0]:.2g} to"
            f" {table['alpha'].iloc[-1]:.2g}, draws on the curve; equal groups {ends['worst']:.1f},"
            f" New York {ends['observed']:.1f}, best case {ends['best']:.1f}, printed best case"
            f" {ends['best as printed']:.1f}."
        ),
    )


def intervals(
    paths: Mapping[str, np.ndarray], truth: float, ranges: Sequence[str]
) -> tuple[Figure, str]:
    """COINPRESS's intervals step by step, one row a series: mapping title -> array of shape (t +
    1, 2).
    """
    fig, ax = plt.subplots(figsize=(5.8, 0.55 * sum(len(p) for p in paths.values()) + 1.0))
    place, words, ticks = 0.0, [], []
    for (title, path), colour in zip(
        paths.items(), ("#0072B2", "#D55E00", "#009E73", "#CC79A7"), strict=False
    ):
        for step, (low, high) in enumerate(path):
            ax.plot([low, high], [place, place], color=colour, linewidth=4, solid_capstyle="butt")
            ax.plot((low + high) / 2, place, "|", color="white", markersize=7)
            ticks.append((place, f"{title}, {ranges[step]}"))
            words.append(f"{title}, {ranges[step]}: {low:.2f} to {high:.2f}")
            place -= 1
        place -= 0.5
    ax.axvline(truth, color="#4B4B4B", linestyle="--", linewidth=1, label="mean of the group")
    ax.set_yticks([t for t, _ in ticks], [name for _, name in ticks])
    ax.set_xlabel("value")
    fig.legend(loc="outside upper center")
    return fig, f"Shrinking intervals around a mean of {truth:.2f}. {'; '.join(words)}."
