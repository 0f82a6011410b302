"""Figures of the stratified means: Dirichlet draws, group sizes, errors of the methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter

from lib.plotting.lines import band, curve, ends
from lib.plotting.panels import Picture, legend, log_if_wide, panel, panels, ticks
from lib.plotting.style import BLUE, GREY, RED, SERIES
from lib.studies.private_means.scores import METHODS, of_method

_STYLES = {
    name: {"color": colour, "marker": marker, "label": name}
    for name, colour, marker in zip(METHODS, (GREY, BLUE, RED), "so^", strict=True)
}


def dirichlet_triangles(draws: Mapping[float, np.ndarray]) -> Picture:
    """Draws of three shares, one triangle an alpha (the paper's Figure 10)."""
    titles = [f"α = {alpha:g}" for alpha in draws]
    fig, axes = panels((2.2 * len(draws), 2.3), (1, len(draws)), titles=titles, aspect="equal")
    corners = np.array([[0, 0], [1, 0], [0.5, np.sqrt(3) / 2]])
    words = []
    for ax, (alpha, g) in zip(axes.flat, draws.items(), strict=True):
        ax.plot(*corners[[0, 1, 2, 0]].T, color=GREY, linewidth=1)
        ax.plot(*(g @ corners).T, "o", markersize=3, alpha=0.6, color=BLUE)
        ax.axis("off")
        words.append(f"alpha {alpha:g}: mean largest share {g.max(axis=1).mean():.2f}")
    return fig, f"Draws of three shares in a triangle. {'; '.join(words)}."


def shares(sizes: Sequence[float], laws: Mapping[str, np.ndarray]) -> Picture:
    """Sorted shares of the groups beside draws of symmetric Dirichlet laws (median, 5% to 95%)."""
    observed = np.sort(np.asarray(sizes, dtype=float) / np.sum(sizes))[::-1]
    fig, ax = panel(
        (6.2, 3.2),
        "race group, by size",
        "share of the people (log)",
        ylim=(max(observed.min() / 30, 1e-9), 1.3),
        log="y",
    )
    place = np.arange(1, observed.size + 1)
    for i, (name, g) in enumerate(laws.items()):
        quantiles = np.quantile(np.sort(g, axis=1)[:, ::-1], (0.05, 0.5, 0.95), axis=0)
        rows = pd.DataFrame(quantiles.T, columns=["low", "mean", "high"])
        x = place + 0.14 * (i - (len(laws) - 1) / 2)
        curve(ax, rows, x, fmt=".", color=SERIES[i], markersize=4.5, label=name)
    ax.plot(place, observed, "k_", markersize=16, label="New York")
    ax.set_xticks(place)
    legend(fig)
    return fig, (
        f"Sorted shares of {observed.size} groups, from {observed[0]:.3f} to"
        f" {observed[-1]:.6f}, beside the middle 90% of draws of {', '.join(laws)}."
    )


def _methods(ax: Axes, scores: pd.DataFrame, x: str, metric: str) -> dict[str, pd.Series]:
    """A line with a band for each method; the means along the lines."""
    rows = {name: of_method(scores, metric, name).sort_values(x) for name in METHODS}
    for name, own in rows.items():
        band(ax, own, x, most=np.inf, **_STYLES[name])
    return {name: own["mean"] for name, own in rows.items()}


def error_grid(scores: pd.DataFrame, ks: Sequence[int], alphas: Sequence[float]) -> Picture:
    """Error against n, a row a k and a column an alpha (Figure 6); dotted: without noise."""
    cells = [(k, alpha) for k in ks for alpha in alphas]
    titles = [f"k = {k}, α = {alpha:g}" for k, alpha in cells]
    fig, axes = panels(
        (1.8 + 1.75 * len(alphas), 0.8 + 1.7 * len(ks)),
        (len(ks), len(alphas)),
        "n (log)",
        "|error| (log)",
        titles=titles,
        log="xy",
        sharex=True,
        sharey=True,
    )
    dotted: dict[str, Any] = {"color": RED, "linestyle": ":", "label": "PubStrat, no noise"}
    words = []
    for ax, (k, alpha) in zip(axes.flat, cells, strict=True):
        own = scores[(scores["k"] == k) & (scores["alpha"] == alpha)]
        last = _methods(ax, own, "n", "error")["StratCOINPRESS"].iloc[-1]
        band(ax, of_method(own, "exact", "PubStratCOINPRESS"), "n", most=np.inf, **dotted)
        words.append(f"k {k}, alpha {alpha:g}: stratified {last:.4f} at the largest n")
    legend(fig)
    return fig, (
        "Absolute error of the population mean against n, both logarithmic."
        f" {'; '.join(words[:4])}."
    )


def against(scores: pd.DataFrame, x: str, xlabel: str) -> Picture:
    """Error of the three methods against ``x``, with intervals."""
    ylabel = "|error| (log)"
    fig, ax = panel((6.2, 3.3), xlabel, ylabel, log="xy")
    errors = _methods(ax, scores, x, "error")
    ticks(ax, scores[x], fontsize=7.5)
    legend(fig, ncols=3)
    words = "; ".join(f"{name} from {ends(mean, '.3g')}" for name, mean in errors.items())
    return fig, f"{ylabel} against {xlabel}: {words}."


def census(scores: pd.DataFrame, variables: Sequence[str], metrics: Mapping[str, str]) -> Picture:
    """A row a variable, a column a metric, points at the number of strata (Figures 2 and 8)."""
    cells = [(variable, metric) for variable in variables for metric in metrics]
    titles = [f"{variable}: {metrics[metric]}" for variable, metric in cells]
    fig, axes = panels(
        (0.8 + 2.9 * len(metrics), 0.8 + 2.0 * len(variables)),
        (len(variables), len(metrics)),
        "strata k (log)",
        titles=titles,
        sharex=True,
        log="x",
    )
    words = []
    for ax, (variable, metric) in zip(axes.flat, cells, strict=True):
        part = scores[(scores["variable"] == variable) & (scores["metric"] == metric)]
        for i, name in enumerate(METHODS):
            own = of_method(part, metric, name)
            x = own["strata"] * 1.04 ** (i - 1)
            curve(ax, own, x, most=np.inf, linestyle="", **_STYLES[name])
            words.append(f"{variable} {metric}, {name}: median {own['mean'].median():.3g}")
        log_if_wide(ax, part["mean"])
    legend(fig, ncols=3)
    return fig, f"Against the number of strata. {'; '.join(words[:12])}."


def sweep(
    scores: pd.DataFrame, variables: Sequence[str], metric: str, xlabel: str, ylabel: str
) -> Picture:
    """A panel a variable, two in a row: a metric against the budget, 95% bands."""
    rows = -(-len(variables) // 2)
    fig, axes = panels(
        (6.4, 0.7 + 2.3 * rows), (rows, 2), xlabel, ylabel, titles=variables, log="xy", sharex=True
    )
    words = []
    for ax, variable in zip(axes.flat, variables, strict=False):
        means = _methods(ax, scores[scores["variable"] == variable], "budget", metric)
        ax.yaxis.set_minor_formatter(NullFormatter())
        words.append(f"{variable}, stratified: from {ends(means['StratCOINPRESS'], '.3g')}")
    legend(fig, ncols=3)
    return fig, f"{ylabel} against {xlabel}, both logarithmic. {'; '.join(words)}."


def lines(frame: pd.DataFrame, x: str, y: str, series: str, xlabel: str, ylabel: str) -> Picture:
    """Lines with intervals (columns ``low``, ``high``), one a value of ``series``, on log axes."""
    fig, ax = panel((6.2, 3.7), xlabel, ylabel, log="xy")
    words = []
    for (name, own), colour in zip(frame.groupby(series, sort=False), SERIES, strict=False):
        band(ax, own, x, y, most=np.inf, marker="o", color=colour, label=name)
        words.append(f"{name} from {ends(own.sort_values(x)[y], '.3g')}")
    legend(fig, ncols=1)
    return fig, f"{ylabel} against {xlabel}: {'; '.join(words)}."
