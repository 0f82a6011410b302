"""Figures of the stratified means: Dirichlet draws, group sizes, error against n, k and alpha,
census curves, budgets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from lib.plotting.panels import log_if_wide

__all__ = [
    "COLOURS",
    "dirichlet_triangles",
    "shares",
    "error_grid",
    "against",
    "census",
    "sweep",
    "lines",
]

COLOURS = {"COINPRESS": "#6B6B6B", "StratCOINPRESS": "#0072B2", "PubStratCOINPRESS": "#D55E00"}
MARKERS = {"COINPRESS": "s", "StratCOINPRESS": "o", "PubStratCOINPRESS": "^"}
_MORE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#6B6B6B", "#E69F00")


def dirichlet_triangles(draws: Mapping[float, np.ndarray]) -> tuple[Figure, str]:
    """Draws of three shares, one triangle an alpha (the paper's Figure 10)."""
    fig, axes = plt.subplots(1, len(draws), figsize=(2.2 * len(draws), 2.3), squeeze=False)
    corners = np.array([[0, 0], [1, 0], [0.5, np.sqrt(3) / 2]])
    words = []
    for ax, (alpha, g) in zip(axes[0], draws.items(), strict=True):
        ax.plot(*np.vstack([corners, corners[:1]]).T, color="#6B6B6B", linewidth=1)
        ax.plot(*(g @ corners).T, "o", markersize=3, alpha=0.6, color="#0072B2")
        ax.set_title(f"α = {alpha:g}", fontsize=9)
        ax.set_aspect("equal")
        ax.axis("off")
        words.append(f"alpha {alpha:g}: mean largest share {g.max(axis=1).mean():.2f}")
    return fig, "Draws of three shares in a triangle. " + "; ".join(words) + "."


def shares(sizes: Sequence[float], laws: Mapping[str, np.ndarray]) -> tuple[Figure, str]:
    """Sorted shares of the groups beside the sorted draws of symmetric Dirichlet laws (median,
    5% to 95%).
    """
    observed = np.sort(np.asarray(sizes, dtype=float) / np.sum(sizes))[::-1]
    fig, ax = plt.subplots(figsize=(6.2, 3.2))
    place = np.arange(1, observed.size + 1)
    for i, (name, g) in enumerate(laws.items()):
        low, middle, high = np.quantile(np.sort(g, axis=1)[:, ::-1], (0.05, 0.5, 0.95), axis=0)
        x = place + 0.14 * (i - (len(laws) - 1) / 2)
        ax.errorbar(
            x,
            middle,
            [middle - low, high - middle],
            fmt=".",
            color=_MORE[i],
            linewidth=1,
            label=name,
        )
    ax.plot(place, observed, "k_", markersize=16, label="New York")
    ax.set_yscale("log")
    ax.set_ylim(max(observed.min() / 30, 1e-9), 1.3)
    ax.set_xticks(place)
    ax.set_xlabel("race group, by size")
    ax.set_ylabel("share of the people (log)")
    fig.legend(loc="outside upper center", ncols=2)
    return (
        fig,
        (
            f"Sorted shares of {observed.size} groups, from {observed[0]:.3f} to"
            f" {observed[-1]:.6f}, beside the middle 90% of draws of {', '.join(laws)}."
        ),
    )


def _curve(ax, part: pd.DataFrame, x: str, column: str, **style) -> None:
    part = part.sort_values(x)
    middle = part[column]
    low, high = part[f"{column}|low"], part[f"{column}|high"]
    ax.plot(part[x], middle, markersize=3.5, linewidth=1.2, **style)
    ax.fill_between(
        part[x],
        low.clip(lower=middle.min() / 10),
        high,
        color=style.get("color"),
        alpha=0.15,
        linewidth=0,
    )


def error_grid(
    records: pd.DataFrame, ks: Sequence[int], alphas: Sequence[float]
) -> tuple[Figure, str]:
    """Error against n, a row a k and a column an alpha (Figure 6); dotted: without noise."""
    fig, axes = plt.subplots(
        len(ks),
        len(alphas),
        figsize=(1.8 + 1.75 * len(alphas), 0.8 + 1.7 * len(ks)),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    words = []
    for row, k in zip(axes, ks, strict=True):
        for ax, alpha in zip(row, alphas, strict=True):
            part = records[(records.k == k) & (records.alpha == alpha)]
            for name, colour in COLOURS.items():
                _curve(
                    ax, part, "n", f"error|{name}", color=colour, marker=MARKERS[name], label=name
                )
            style = {
                "color": COLOURS["PubStratCOINPRESS"],
                "linestyle": ":",
                "label": "PubStrat, no noise",
            }
            _curve(ax, part, "n", "exact|PubStratCOINPRESS", **style)
            ax.set_title(f"k = {k}, α = {alpha:g}", fontsize=8)
            last = part.sort_values("n").iloc[-1]
            words.append(
                f"k {k}, alpha {alpha:g}: stratified {last['error|StratCOINPRESS']:.4f} at the"
                " largest n"
            )
    for ax in axes[-1]:
        ax.set_xscale("log")
        ax.set_xlabel("n (log)")
    for ax in axes[:, 0]:
        ax.set_yscale("log")
        ax.set_ylabel("|error| (log)")
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=2)
    return (
        fig,
        "Absolute error of the population mean against n, both logarithmic. "
        + "; ".join(words[:4])
        + ".",
    )


def against(
    records: pd.DataFrame,
    x: str,
    xlabel: str,
    *,
    metric: str = "error",
    log: bool = True,
    ylabel: str = "|error| (log)",
) -> tuple[Figure, str]:
    """One panel: a metric of the three methods against ``x``, with intervals."""
    fig, ax = plt.subplots(figsize=(6.2, 3.3))
    words = []
    for name, colour in COLOURS.items():
        _curve(ax, records, x, f"{metric}|{name}", color=colour, marker=MARKERS[name], label=name)
        ends = records.sort_values(x)[f"{metric}|{name}"]
        words.append(f"{name} from {ends.iloc[0]:.3g} to {ends.iloc[-1]:.3g}")
    if log:
        ax.set_xscale("log")
    ticks = sorted(records[x].unique())
    ax.set_xticks(ticks, [f"{t:g}" for t in ticks], fontsize=7.5)
    ax.set_xticks([], minor=True)
    ax.set_yscale("log")
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    fig.legend(loc="outside upper center", ncols=3)
    return fig, f"{ylabel} against {xlabel}: " + "; ".join(words) + "."


def census(
    records: pd.DataFrame, variables: Sequence[str], metrics: Mapping[str, str]
) -> tuple[Figure, str]:
    """A row a variable, a column a metric, points at the number of strata (Figures 2 and 8), 95%
    intervals.
    """
    fig, axes = plt.subplots(
        len(variables),
        len(metrics),
        squeeze=False,
        sharex=True,
        figsize=(0.8 + 2.9 * len(metrics), 0.8 + 2.0 * len(variables)),
    )
    words = []
    for row, variable in zip(axes, variables, strict=True):
        part = records[records.variable == variable].sort_values("strata")
        for ax, (metric, title) in zip(row, metrics.items(), strict=True):
            for i, (name, colour) in enumerate(COLOURS.items()):
                column = f"{metric}|{name}"
                error = np.nan_to_num(
                    [part[column] - part[f"{column}|low"], part[f"{column}|high"] - part[column]]
                )
                ax.errorbar(
                    part["strata"] * 1.04 ** (i - 1),
                    part[column],
                    np.minimum(error, 0.99 * part[column].to_numpy()),
                    fmt=MARKERS[name],
                    markersize=4,
                    linewidth=0.9,
                    color=colour,
                    label=name,
                )
                words.append(f"{variable} {metric}, {name}: median {part[column].median():.3g}")
            log_if_wide(ax, pd.concat([part[f"{metric}|{name}"] for name in COLOURS]))
            ax.set_xscale("log")
            ax.set_title(f"{variable}: {title}", fontsize=9)
    for ax in axes[-1]:
        ax.set_xlabel("strata k (log)")
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=3)
    return fig, "Against the number of strata. " + "; ".join(words[:12]) + "."


def sweep(
    records: pd.DataFrame, variables: Sequence[str], metric: str, xlabel: str, ylabel: str
) -> tuple[Figure, str]:
    """A panel a variable, two in a row: a metric against the budget, 95% bands."""
    rows = -(-len(variables) // 2)
    fig, axes = plt.subplots(rows, 2, figsize=(6.4, 0.7 + 2.3 * rows), squeeze=False, sharex=True)
    words = []
    for ax, variable in zip(axes.ravel(), variables, strict=False):
        part = records[records.variable == variable]
        for name, colour in COLOURS.items():
            _curve(
                ax,
                part,
                "budget",
                f"{metric}|{name}",
                color=colour,
                marker=MARKERS[name],
                label=name,
            )
        ends = part.sort_values("budget")[f"{metric}|StratCOINPRESS"]
        words.append(f"{variable}, stratified: from {ends.iloc[0]:.3g} to {ends.iloc[-1]:.3g}")
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.yaxis.set_minor_formatter(NullFormatter())
        ax.set_title(variable, fontsize=9)
    for ax in axes[-1]:
        ax.set_xlabel(xlabel)
    for ax in axes[:, 0]:
        ax.set_ylabel(ylabel)
    handles, labels = axes[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper center", ncols=3)
    return fig, f"{ylabel} against {xlabel}, both logarithmic. " + "; ".join(words) + "."


def lines(
    frame: pd.DataFrame, x: str, y: str, series: str, xlabel: str, ylabel: str
) -> tuple[Figure, str]:
    """Lines with intervals (columns ``low``, ``high``), one a value of ``series`` in their
    order, both axes logarithmic.
    """
    fig, ax = plt.subplots(figsize=(6.2, 3.7))
    words = []
    for (name, part), colour in zip(frame.groupby(series, sort=False), _MORE, strict=False):
        part = part.sort_values(x)
        ax.plot(
            part[x], part[y], marker="o", markersize=3.5, linewidth=1.2, color=colour, label=name
        )
        ax.fill_between(
            part[x],
            part["low"].clip(lower=part[y].min() / 10),
            part["high"],
            color=colour,
            alpha=0.15,
            linewidth=0,
        )
        words.append(f"{name} from {part[y].iloc[0]:.3g} to {part[y].iloc[-1]:.3g}")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    fig.legend(loc="outside upper center")
    return fig, f"{ylabel} against {xlabel}: " + "; ".join(words) + "."
