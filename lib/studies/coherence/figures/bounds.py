"""Figures of the bounds: what each promises against n, epsilon and the group; exact information;
where they are silent.
"""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

__all__ = [
    "NAMES",
    "table1_bars",
    "promise_against_epsilon",
    "promise_against_n",
    "half_distances",
    "information",
    "description_length",
    "count_laws",
    "binary_universe",
    "lens_detail",
]

NAMES = {
    "theorem8": "Theorem 8",
    "theorem7": "Theorem 7",
    "tightened": "tightened (ours)",
    "within": "within the group (ours)",
    "insufficient": "not enough (membership bits)",
}
_COLOUR = {
    "theorem8": "#CC79A7",
    "theorem7": "#D55E00",
    "tightened": "#0072B2",
    "within": "#009E73",
    "insufficient": "#4B4B4B",
}
_MARK = {"theorem8": "v", "theorem7": "o", "tightened": "s", "within": "^", "insufficient": "X"}


def table1_bars(rows: pd.DataFrame) -> tuple[Figure, str]:
    """Largest epsilon against alpha, one line a mode; ``rows`` has ``alpha``, ``printed`` and
    columns named as NAMES.
    """
    fig, ax = plt.subplots(figsize=(6.0, 4.2))
    words = []
    ax.plot(
        rows["alpha"],
        rows["printed"],
        "*",
        color="#000000",
        markersize=9,
        zorder=5,
        label="Table 1, as printed",
    )
    for mode in [m for m in NAMES if m in rows]:
        style = "--" if mode == "insufficient" else "-"
        ax.plot(
            rows["alpha"],
            rows[mode],
            style,
            color=_COLOUR[mode],
            marker=_MARK[mode],
            label=NAMES[mode],
        )
        words.append(f"{NAMES[mode]} {rows[mode].iloc[0]:.2g} to {rows[mode].iloc[-1]:.2g}")
    ax.set_yscale("log")
    ax.set_xlabel("distance α that is allowed")
    ax.set_ylabel("largest ε (log scale)")
    fig.legend(loc="outside upper center", ncols=2)
    low, high = rows["alpha"].iloc[[0, -1]]
    return (
        fig,
        (
            f"Largest epsilon against alpha from {low:g} to {high:g}, one rising line a bound:"
            f" {'; '.join(words)}."
        ),
    )


def promise_against_epsilon(table: pd.DataFrame, shares: Mapping[str, float]) -> tuple[Figure, str]:
    """Smallest alpha that each bound promises against epsilon, a panel a share of the data set.

    Parameters
    ----------
    table : DataFrame
        Columns ``panel, mode, epsilon, alpha`` (NaN where the bound is vacuous).
    shares : mapping panel title -> share of the group
    """
    fig, axes = plt.subplots(
        len(shares), 1, figsize=(5.2, 2.6 * len(shares) + 0.8), sharex=True, sharey=True
    )
    words = []
    for ax, title in zip(np.atleast_1d(axes), shares, strict=True):
        part = table[table["panel"] == title]
        for mode in [m for m in NAMES if (part["mode"] == m).any()]:
            rows = part[part["mode"] == mode].dropna()
            style = "--" if mode == "insufficient" else "-"
            ax.plot(rows["epsilon"], rows["alpha"], style, color=_COLOUR[mode], label=NAMES[mode])
            if len(rows):
                words.append(f"{title}, {NAMES[mode]}: up to epsilon {rows['epsilon'].max():.2g}")
        ax.axhline(2, color="#777777", linewidth=0.8)
        ax.set_title(title)
        ax.set_ylabel("least α promised")
        ax.set_xscale("log")
        ax.set_yscale("log")
    np.atleast_1d(axes)[-1].set_xlabel("ε (log scale)")
    fig.legend(
        *np.atleast_1d(axes)[0].get_legend_handles_labels(), loc="outside upper center", ncols=2
    )
    return (
        fig,
        (
            "Least alpha that each bound promises against epsilon, on logarithmic axes; a line"
            f" ends where the bound says nothing (alpha above 2). {'; '.join(words)}. A dashed line"
            " is what membership bits reach."
        ),
    )


def promise_against_n(table: pd.DataFrame, title: str) -> tuple[Figure, str]:
    """Largest epsilon against the size of the data set; columns ``mode, n, epsilon``, NaN where
    no epsilon will do.
    """
    fig, ax = plt.subplots(figsize=(5.6, 3.8))
    words = []
    for mode in [m for m in NAMES if (table["mode"] == m).any()]:
        rows = table[table["mode"] == mode].dropna()
        if rows.empty:
            continue
        style = "--" if mode == "insufficient" else "-"
        ax.plot(
            rows["n"],
            rows["epsilon"],
            style,
            color=_COLOUR[mode],
            marker=_MARK[mode],
            markevery=4,
            label=NAMES[mode],
        )
        words.append(
            f"{NAMES[mode]} from n = {rows['n'].min():,.0f}, reaching"
            f" {rows['epsilon'].iloc[-1]:.2g}"
        )
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("people in the data set, n (log scale)")
    ax.set_ylabel("largest ε (log scale)")
    fig.legend(loc="outside upper center", ncols=2)
    return fig, f"{title}: largest epsilon against n, logarithmic axes. {'; '.join(words)}."


def half_distances(
    found: Mapping[str, Mapping[int, np.ndarray]], bounds: pd.DataFrame
) -> tuple[Figure, str]:
    """Simulated W1 of two halves (95% quantile, largest) against members, under the bounds.

    Parameters
    ----------
    found : mapping predictor -> {members: distances of shape (draws,)}
    bounds : DataFrame
        ``members`` and one column a bound, at p = 0.05.
    """
    fig, ax = plt.subplots(figsize=(5.6, 4.2))
    words = []
    for (name, by), marker in zip(found.items(), ("o", "s", "^", "D"), strict=False):
        sizes = sorted(by)
        level = [np.quantile(by[m], 0.95) for m in sizes]
        ax.plot(sizes, level, marker, color="#4B4B4B", label=f"simulated 95%: {name}")
        words.append(f"{name} {level[0]:.2f} to {level[-1]:.3f}")
    for column, colour in zip(
        bounds.columns.drop("members"), ("#D55E00", "#0072B2", "#009E73"), strict=False
    ):
        rows = bounds[np.isfinite(bounds[column]) & (bounds[column] <= 2)]
        ax.plot(rows["members"], rows[column], color=colour, label=column)
        words.append(f"{column} {rows[column].iloc[0]:.2f} to {rows[column].iloc[-1]:.3f}")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("members of the group (log scale)")
    ax.set_ylabel("$W_1$ of the two halves")
    fig.legend(loc="outside upper center", ncols=2)
    return (
        fig,
        (
            f"W1 of two random halves against members of the group: {'; '.join(words)}. The points"
            " lie below the lines."
        ),
    )


def information(table: pd.DataFrame) -> tuple[Figure, str]:
    """Max-information in nats against n, a panel an epsilon; columns ``epsilon, n`` and one a
    curve.
    """
    levels, curves = (
        list(dict.fromkeys(table["epsilon"])),
        list(table.columns.drop(["epsilon", "n"])),
    )
    fig, axes = plt.subplots(len(levels), 1, figsize=(5.2, 2.5 * len(levels) + 0.9), sharex=True)
    words = []
    for ax, epsilon in zip(np.atleast_1d(axes), levels, strict=True):
        part = table[table["epsilon"] == epsilon]
        for name, colour, style in zip(
            curves,
            ("#D55E00", "#0072B2", "#4B4B4B", "#8A8A2B"),
            ("-", "-", "--", ":"),
            strict=False,
        ):
            ax.plot(part["n"], part[name], style, color=colour, label=name)
            words.append(
                f"epsilon {epsilon:g}, {name}: {part[name].iloc[-1]:.2f} at n ="
                f" {part['n'].iloc[-1]:,}"
            )
        ax.set_title(f"ε = {epsilon:g}")
        ax.set_ylabel("nats")
        ax.set_xscale("log")
        ax.set_xticks(sizes := sorted(set(part["n"])), [f"{n:,}" for n in sizes])
        ax.minorticks_off()
        ax.set_yscale("log")
    np.atleast_1d(axes)[-1].set_xlabel("people in the data set, n (log scale)")
    fig.legend(
        *np.atleast_1d(axes)[0].get_legend_handles_labels(), loc="outside upper center", ncols=2
    )
    return (
        fig,
        (
            "Max-information against n on logarithmic axes, bounds above exact values."
            f" {'; '.join(words)}."
        ),
    )


def description_length(table: pd.DataFrame, n: int) -> tuple[Figure, str]:
    """Size constraint against the number of exact counts; columns ``counts, alpha, size``."""
    fig, ax = plt.subplots(figsize=(5.6, 3.8))
    words = []
    for (alpha, rows), colour in zip(
        table.groupby("alpha"), ("#D55E00", "#0072B2", "#009E73"), strict=False
    ):
        ax.plot(rows["counts"], rows["size"], color=colour, marker="o", label=f"α = {alpha:g}")
        words.append(
            f"alpha {alpha:g} from {rows['size'].iloc[0]:,.0f} to {rows['size'].iloc[-1]:,.0f}"
        )
    ax.axhline(n, color="#777777", linestyle="--", linewidth=1, label="everyone")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("exact counts published, k (log scale)")
    ax.set_ylabel("smallest group protected")
    fig.legend(loc="outside upper center", ncols=2)
    return (
        fig,
        (
            f"Smallest group that is protected against the number of counts, n = {n:,}:"
            f" {'; '.join(words)}."
        ),
    )


def count_laws(reports: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> tuple[Figure, str]:
    """Laws of the report from a half and from its complement, a panel a curator: mapping title
    -> (law_a, law_b).
    """
    fig, axes = plt.subplots(len(reports), 1, figsize=(5.2, 1.9 * len(reports) + 0.7), sharex=True)
    words = []
    for ax, (title, (a, b)) in zip(np.atleast_1d(axes), reports.items(), strict=True):
        for law, colour, shift, name in (
            (a, "#D55E00", -0.2, "from the half"),
            (b, "#0072B2", 0.2, "from the rest"),
        ):
            shown = np.nonzero(law > 1e-4)[0]
            ax.bar(shown + shift, law[shown], width=0.4, color=colour, label=name)
        ax.set_title(title)
        ax.set_ylabel("probability")
        words.append(f"{title}: total variation {np.abs(a - b).sum() / 2:.2f}")
    np.atleast_1d(axes)[-1].set_xlabel("report")
    fig.legend(
        *np.atleast_1d(axes)[0].get_legend_handles_labels(), loc="outside upper center", ncols=2
    )
    return (
        fig,
        (
            "Bars of the probability of each report, from the half and from the rest."
            f" {'; '.join(words)}."
        ),
    )


def binary_universe(table: pd.DataFrame) -> tuple[Figure, str]:
    """Perfect generalisation against coherence for bits in the clear; columns ``n, unlike, mean,
    high``.
    """
    fig, (left, right) = plt.subplots(2, 1, figsize=(5.2, 5.2), sharex=True)
    left.plot(table["n"], table["unlike"], "o-", color="#D55E00")
    left.set_ylim(0, 1.05)
    left.set_title("reports of the two halves differ")
    left.set_ylabel("probability")
    right.plot(table["n"], table["high"], "s--", color="#56B4E9", label="95% quantile over halves")
    right.plot(table["n"], table["mean"], "o-", color="#0072B2", label="mean")
    right.set_title("distance of the worst predictor")
    right.set_ylabel("$W_1$")
    right.set_xscale("log")
    right.set_yscale("log")
    right.set_xlabel("people, n (log scale)")
    right.legend()
    return (
        fig,
        (
            f"Two panels against n from {table['n'].min():,} to {table['n'].max():,}. Above: the"
            " chance that the two halves' reports differ, rising to"
            f" {table['unlike'].iloc[-1]:.3f}. Below: mean W1 of the worst predictor, falling from"
            f" {table['mean'].iloc[0]:.2f} to {table['mean'].iloc[-1]:.4f}."
        ),
    )


def lens_detail(table: pd.DataFrame) -> tuple[Figure, str]:
    """Distance against the number of categories that the lens tells apart; columns ``categories,
    group, mean, low, high``.
    """
    fig, ax = plt.subplots(figsize=(5.2, 3.4))
    words = []
    for (group, rows), colour, marker in zip(
        table.groupby("group", sort=False), ("#D55E00", "#0072B2"), ("o", "s"), strict=True
    ):
        spread = [rows["mean"] - rows["low"], rows["high"] - rows["mean"]]
        ax.errorbar(
            rows["categories"],
            rows["mean"],
            spread,
            color=colour,
            marker=marker,
            capsize=2,
            label=group,
        )
        words.append(f"{group} from {rows['mean'].iloc[0]:.2f} to {rows['mean'].iloc[-1]:.2f}")
    ax.set_xscale("log")
    ax.set_ylim(bottom=0)
    ax.set_xlabel("categories that the lens tells apart (log scale)")
    ax.set_ylabel("$W_1$")
    fig.legend(loc="outside upper center", ncols=2)
    return (
        fig,
        f"W1 distance against the number of categories, a rising line a group: {'; '.join(words)}.",
    )
