"""Figures on differential privacy and coherence: bounds against simulation and against a real
release.
"""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from lib.studies.coherence.figures.section5 import IN, NULL, OUT

__all__ = ["tails", "release_against_epsilon", "bound_against_n"]

OURS, PAPER = "#009E73", "#222222"
NAMES = {"theorem7": "Theorem 7", "tightened": "tightened (ours)"}


def tails(rows: pd.DataFrame, title: str) -> tuple[Figure, str]:
    """Probability of exceeding alpha, simulated, and the bounds on it; one panel a group size.

    Parameters
    ----------
    rows : DataFrame
        Columns ``members``, ``alpha``, ``simulated``, ``paper``, ``ours``.
    """
    sizes = list(dict.fromkeys(rows["members"]))
    fig, axes = plt.subplots(
        1, len(sizes), figsize=(2.4 * len(sizes), 2.9), sharey=True, squeeze=False
    )
    for ax, size in zip(axes[0], sizes, strict=True):
        part = rows[rows["members"] == size]
        seen = part["simulated"] > 0
        ax.plot(
            part["alpha"][seen], part["simulated"][seen], color=IN, marker=".", label="simulated"
        )
        ax.plot(
            part["alpha"], part["paper"].clip(upper=1), color=PAPER, linestyle="--", label="paper"
        )
        ax.plot(part["alpha"], part["ours"].clip(upper=1), color=OURS, label="tightened (ours)")
        ax.set_yscale("log")
        ax.set_ylim(1e-5, 2)
        ax.set_title(f"{size:,} members", fontsize=9)
        ax.set_xlabel("α")
    axes[0][0].set_ylabel("Pr[$W_1$ > α]")
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=3)
    below = (
        (rows["simulated"] <= rows[["ours", "paper"]].min(axis=1)).groupby(rows["members"]).mean()
    )
    sharper = (rows["ours"].clip(upper=1) <= rows["paper"].clip(upper=1)).mean()
    panels = "; ".join(f"{size:,} members, {below[size]:.0%}" for size in sizes)
    return (
        fig,
        (
            f"{title}. Simulated points at or below both bounds: {panels}. Ours is at or below the"
            f" paper's at {sharper:.0%} of the points."
        ),
    )


def _position(epsilons: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Places and names on a log axis, infinity one step beyond the largest."""
    finite = epsilons[np.isfinite(epsilons)]
    place = np.where(np.isfinite(epsilons), epsilons, finite.max() * 4)
    return place, ["exact" if math.isinf(e) else f"{e:g}" for e in epsilons]


def _above(rows: pd.DataFrame, bounds: pd.DataFrame) -> str:
    """How many measured means each bound lies above, where it says something (interpolated on
    the log axes).
    """
    words = []
    for mode, name in NAMES.items():
        part = bounds[bounds["mode"] == mode].dropna(subset=["alpha"]).sort_values("epsilon")
        if part.empty:
            words.append(f"{name} says nothing")
            continue
        near = rows[
            rows["epsilon"].between(
                part["epsilon"].min() * (1 - 1e-9), part["epsilon"].max() * (1 + 1e-9)
            )
        ]
        bound = np.exp(
            np.interp(np.log(near["epsilon"]), np.log(part["epsilon"]), np.log(part["alpha"]))
        )
        words.append(
            f"{name} lies above {int((near['mean'].to_numpy() < bound).sum())} of the"
            f" {len(near)} means where it says something"
        )
    return "; ".join(words) + "."


def release_against_epsilon(
    rows: pd.DataFrame, bounds: pd.DataFrame, group: str
) -> tuple[Figure, str]:
    """Measured distances of a release (mean and 95% quantile) against epsilon, with the bounds; one
    panel a release.

    Parameters
    ----------
    rows : DataFrame
        One row a ``release``, ``reader`` and ``epsilon``: ``mean`` with its interval ``low`` to
        ``high``, ``q95``, ``null``.
    bounds : DataFrame
        ``epsilon``, ``mode`` ("theorem7" or "tightened") and ``alpha``, NaN where the bound says
        nothing.
    """
    names = list(dict.fromkeys(rows["release"]))
    fig, axes = plt.subplots(
        1, len(names), figsize=(2.5 * len(names), 3.2), sharey=True, squeeze=False
    )
    epsilons = np.array(sorted(rows["epsilon"].unique()))
    place, labels = _position(epsilons)
    where = dict(zip(epsilons, place, strict=True))
    words = []
    for ax, name in zip(axes[0], names, strict=True):
        for reader, colour, marker in (
            ("informed", IN, "o"),
            ("counts", OUT, "s"),
            ("forest", "#CC79A7", "^"),
        ):
            part = rows[(rows["release"] == name) & (rows["reader"] == reader)].sort_values(
                "epsilon"
            )
            if part.empty:
                continue
            x = part["epsilon"].map(where)
            error = np.nan_to_num([part["mean"] - part["low"], part["high"] - part["mean"]])
            ax.errorbar(
                x,
                part["mean"],
                error,
                color=colour,
                marker=marker,
                markersize=3.5,
                linewidth=1.1,
                label=reader,
            )
            if reader == "informed":
                ax.plot(
                    x,
                    part["q95"],
                    color=colour,
                    linewidth=0.8,
                    linestyle=":",
                    label="informed, 95% quantile",
                )
                ax.plot(x, part["null"], color=NULL, linewidth=1, label="sampling alone")
                words.append(
                    f"{name}: informed from {part['mean'].iloc[0]:.3f} to"
                    f" {part['mean'].iloc[-1]:.3f}"
                )
        for mode, colour, style in (("theorem7", PAPER, "--"), ("tightened", OURS, "-")):
            part = bounds[bounds["mode"] == mode].sort_values("epsilon").dropna(subset=["alpha"])
            ax.plot(
                part["epsilon"],
                part["alpha"],
                color=colour,
                linestyle=style,
                linewidth=1.3,
                label=NAMES[mode],
            )
        ax.set_xscale("log")
        ax.set_xticks(place[::2], labels[::2], fontsize=7)
        ax.set_xticks([], minor=True)
        ax.set_yscale("log")
        ax.set_ylim(8e-4, 3)
        ax.set_title(name, fontsize=9)
        ax.set_xlabel("ε")
    axes[0][0].set_ylabel("$W_1$ distance (log scale)")
    handles, texts = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, texts, loc="outside upper center", ncols=3)
    return (
        fig,
        f"W1 of the group {group} against epsilon. "
        + "; ".join(words)
        + f". {_above(rows, bounds)}",
    )


def bound_against_n(rows: pd.DataFrame) -> tuple[Figure, str]:
    """The alpha that is guaranteed, against n, one colour an epsilon; dashed the paper's, solid
    ours.
    """
    fig, ax = plt.subplots(figsize=(6.2, 3.4))
    words = []
    for (epsilon, part), colour in zip(
        rows.groupby("epsilon"), ("#0072B2", "#D55E00", "#009E73", "#CC79A7"), strict=False
    ):
        for mode, style in (("theorem7", "--"), ("tightened", "-")):
            line = part[part["mode"] == mode].sort_values("n")
            ax.plot(
                line["n"],
                line["alpha"],
                color=colour,
                linestyle=style,
                linewidth=1.3,
                label=f"ε = {epsilon:g}" if mode == "tightened" else None,
            )
        last = part.sort_values("n").groupby("mode")["alpha"].last()
        ours, paper = (last.get(mode, math.nan) for mode in ("tightened", "theorem7"))
        words.append(
            f"epsilon {epsilon:g}: {ours:.2f} (ours), {paper:.2f} (paper) at the largest n"
        )
    ax.set_xscale("log")
    ax.set_ylim(0, 2.05)
    ax.set_xlabel("people in the data set (log scale)")
    ax.set_ylabel("guaranteed α")
    fig.legend(loc="outside upper center", ncols=4)
    return fig, "Guaranteed alpha against n. " + "; ".join(words) + "."
