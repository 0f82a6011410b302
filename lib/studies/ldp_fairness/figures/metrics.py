"""Figures of the LDP grids: metrics against the budget, group rates, paired differences."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator

from lib.datasets import TASKS
from lib.ldp import PROTOCOLS, SPLITS
from lib.plotting.style import (
    COLOURS,
    MARKERS,
    METRIC_NAMES,
    SPLIT_NAMES,
    epsilon_axis,
    offsets,
    protocol_legend,
)
from lib.stats.summary import baseline, curves, paired

__all__ = ["metric_curves", "group_rates", "difference_map", "budget_of_protected"]

_SPLIT_STYLES = {
    "uniform": ("-", None),
    "k-based": (":", "white"),
}  # line, face of the marker; None: the line's colour


def _one_dataset(results: pd.DataFrame, dataset: str) -> pd.DataFrame:
    rows = results[results["dataset"] == dataset]
    if rows.empty:
        raise ValueError(
            f"dataset={dataset!r} has no results; there are {sorted(results['dataset'].unique())}"
        )
    return rows


def _draw_curves(ax, summary: pd.DataFrame) -> None:
    shift = offsets()
    for name, curve in summary.groupby("protocol"):
        _draw_curve(
            ax, curve["epsilon"] * shift[name], curve, color=COLOURS[name], marker=MARKERS[name]
        )


def _draw_curve(ax, x, curve: pd.DataFrame, **style) -> None:
    """Means of ``curve`` at ``x`` with their intervals."""
    error = [curve["mean"] - curve["low"], curve["high"] - curve["mean"]]
    ax.errorbar(
        x,
        curve["mean"],
        _finite(error),
        markersize=3.5,
        linewidth=1.1,
        elinewidth=0.8,
        capsize=0,
        **style,
    )


def _finite(error) -> np.ndarray | None:
    error = np.asarray(error, dtype=float)
    return error if np.isfinite(error).all() else None


def _title(dataset: str) -> str:
    """The name of a data set in words; one of the user's own keeps its name."""
    return TASKS[dataset].title if dataset in TASKS else dataset


def _limits(*curves: pd.DataFrame) -> tuple[float, float]:
    """Limits that hold the means and their intervals; where these are longer than the means'
    range they are cut.
    """
    rows = pd.concat([c[["mean", "low", "high"]] for c in curves])
    least, most = rows["mean"].min(), rows["mean"].max()
    room = max(most - least, 0.01)
    low, high = rows["low"].fillna(least).min(), rows["high"].fillna(most).max()
    return max(low, least - room) - 0.06 * room, min(high, most + room) + 0.06 * room


def _draw_baseline(ax, row: pd.Series) -> None:
    ax.axhline(row["mean"], color="#222222", linewidth=1.2, linestyle=(0, (4, 2)))
    if np.isfinite(row["low"]):
        ax.axhspan(row["low"], row["high"], color="#222222", alpha=0.12, linewidth=0)


def metric_curves(
    results: pd.DataFrame, dataset: str, metrics: Sequence[str]
) -> tuple[Figure, str]:
    """Each metric against epsilon, uniform split left, k-based right: mean over runs with 95%
    intervals, NonDP dashed.

    Figs 2-13 of Arcolezi et al., one data set and one family of metrics each.
    """
    rows = _one_dataset(results, dataset)
    fig, axes = plt.subplots(
        len(metrics),
        2,
        figsize=(6.4, 0.7 + 2.0 * len(metrics)),
        sharex=True,
        sharey="row",
        squeeze=False,
    )
    sentences = []
    for metric, pair in zip(metrics, axes, strict=True):
        summary, base = curves(rows, metric), baseline(rows, metric).iloc[0]
        for split, ax in zip(SPLITS, pair, strict=True):
            part = summary[summary["split"] == split]
            _draw_curves(ax, part)
            _draw_baseline(ax, base)
            epsilon_axis(ax, summary["epsilon"], label=ax in axes[-1])
        pair[0].set_ylim(_limits(summary, base.to_frame().T))
        pair[0].set_ylabel(metric)
        low, high = summary.loc[summary["mean"].idxmin()], summary.loc[summary["mean"].idxmax()]
        sentences.append(
            f"{METRIC_NAMES.get(metric, metric)}: NonDP {base['mean']:.3f}, LDP from"
            f" {low['mean']:.3f} ({low['protocol']}, {low['split']}, epsilon {low['epsilon']:g}) to"
            f" {high['mean']:.3f} ({high['protocol']}, {high['split']}, epsilon"
            f" {high['epsilon']:g})"
        )
    for split, ax in zip(SPLITS, axes[0], strict=True):
        ax.set_title(SPLIT_NAMES[split])
    dashed = plt.Line2D([], [], color="#222222", linestyle=(0, (4, 2)), label="NonDP")
    protocol_legend(fig, summary["protocol"], extra=[dashed])
    alt = (
        f"Small multiples for {_title(dataset)}, budget on a log axis, one curve a protocol. "
        + "; ".join(sentences)
        + "."
    )
    return fig, alt


def group_rates(
    results: pd.DataFrame,
    dataset: str,
    rates: Sequence[str],
    split: str,
    names: Sequence[str] = ("group 0, unprivileged", "group 1, privileged"),
) -> tuple[Figure, str]:
    """Rates inside each group against epsilon: a panel each, around its own level and on one
    scale, so that a move of one is as long as the same move of the other.
    """
    rows = _one_dataset(results, dataset)
    rows = rows[rows["split"].isin([split, "none"])]
    fig, axes = plt.subplots(
        len(rates), 2, figsize=(6.4, 0.7 + 2.1 * len(rates)), sharex=True, squeeze=False
    )
    sentences = []
    for rate, pair in zip(rates, axes, strict=True):
        drawn = []
        for group, ax in enumerate(pair):
            column = f"{rate}_{group}"
            summary, base = curves(rows, column), baseline(rows, column).iloc[0]
            _draw_curves(ax, summary)
            _draw_baseline(ax, base)
            epsilon_axis(ax, summary["epsilon"], label=ax in axes[-1])
            drawn.append(_limits(summary, base.to_frame().T))
            first = summary[summary["epsilon"] == summary["epsilon"].min()]["mean"]
            sentences.append(
                f"{METRIC_NAMES.get(rate, rate)} of group {group}: NonDP {base['mean']:.3f}, at the"
                f" smallest budget {first.min():.3f} to {first.max():.3f}"
            )
        span = max(high - low for low, high in drawn)
        for ax, (low, high) in zip(pair, drawn, strict=True):
            bottom = min(
                max((low + high - span) / 2, -0.02), 1.02 - span
            )  # a rate is between 0 and 1
            ax.set_ylim(bottom, bottom + span)
        pair[0].set_ylabel(METRIC_NAMES.get(rate, rate))
    for group, ax in enumerate(axes[0]):
        ax.set_title(names[group])
    dashed = plt.Line2D([], [], color="#222222", linestyle=(0, (4, 2)), label="NonDP")
    protocol_legend(fig, summary["protocol"], extra=[dashed])
    return (
        fig,
        f"Rates inside the two groups of {_title(dataset)} under the {split} split. "
        + "; ".join(sentences)
        + ".",
    )


def difference_map(
    results: pd.DataFrame,
    dataset: str,
    metric: str,
    *,
    fair: float | None = None,
    label: str | None = None,
) -> tuple[Figure, str]:
    """Paired difference to NonDP for every protocol and budget; a dot where the 95% interval
    covers zero.
    """
    summary = paired(_one_dataset(results, dataset), metric, fair=fair)
    label = label or f"{metric} minus NonDP"
    limit = float(summary["mean"].abs().max()) or 1.0
    fig, axes = plt.subplots(2, 1, figsize=(6.4, 5.2), sharex=True)
    for split, ax in zip(SPLITS, axes, strict=True):
        table = summary[summary["split"] == split].set_index(["protocol", "epsilon"])
        means = table["mean"].unstack()
        grid = means.reindex([*PROTOCOLS, *means.index.difference(PROTOCOLS)])
        image = ax.imshow(grid, cmap="PuOr_r", vmin=-limit, vmax=limit, aspect="auto")
        for i, name in enumerate(grid.index):
            for j, epsilon in enumerate(grid.columns):
                if (name, epsilon) in table.index:
                    cell = table.loc[(name, epsilon)]
                    if not (cell["low"] > 0 or cell["high"] < 0):
                        ax.plot(j, i, "o", color="#111111", markersize=3)
        ax.set_yticks(range(len(grid)), [n.rpartition(":")[2] for n in grid.index])
        ax.set_xticks(range(grid.shape[1]), [f"{e:g}" for e in grid.columns])
        ax.set_title(SPLIT_NAMES[split])
        ax.grid(False)
    axes[-1].set_xlabel("budget ε")
    fig.colorbar(image, ax=axes, label=label, shrink=0.7)
    clear = ((summary["low"] > 0) | (summary["high"] < 0)).mean()
    alt = (
        f"Heat map for {_title(dataset)}: {label}, by protocol and budget, for both splits."
        f" Differences run from {summary['mean'].min():+.3f} to {summary['mean'].max():+.3f}; in"
        f" {clear:.0%} of the cells the 95% interval leaves out zero."
    )
    return fig, alt


def budget_of_protected(results: pd.DataFrame, dataset: str, metric: str) -> tuple[Figure, str]:
    """The metric against the budget of the protected attribute itself: what is left of the splits'
    difference?

    One panel a protocol, since fourteen curves with their 95% intervals in one would hide each
    other.
    """
    rows = _one_dataset(results, dataset)
    summary, base = curves(rows, metric), baseline(rows, metric).iloc[0]
    share = rows.groupby(["split", "epsilon"])["epsilon_protected"].mean()
    there = list(dict.fromkeys(summary["protocol"]))
    names = [n for n in PROTOCOLS if n in there] + [n for n in there if n not in PROTOCOLS]
    fig, panels = _panels(len(names), columns=4)
    for name, ax in zip(names, panels, strict=True):
        for split, (line, face) in _SPLIT_STYLES.items():
            curve = summary[(summary["protocol"] == name) & (summary["split"] == split)]
            x = [share[split, e] for e in curve["epsilon"]]
            _draw_curve(
                ax,
                x,
                curve,
                color=COLOURS[name],
                marker=MARKERS[name],
                linestyle=line,
                mfc=face or COLOURS[name],
            )
        _draw_baseline(ax, base)
        ax.set_title(name.rpartition(":")[2], color=COLOURS[name])
    ax.set_xscale("log")  # shared, as are the limits
    ax.xaxis.set_major_locator(LogLocator(numticks=20))  # every decade
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.set_ylim(_limits(summary, base.to_frame().T))
    fig.supxlabel("budget of the protected attribute itself (log scale)", fontsize="medium")
    fig.supylabel(metric, fontsize="medium")
    lines = [
        plt.Line2D(
            [],
            [],
            color="#555555",
            marker="o",
            linestyle=line,
            mfc=face or "#555555",
            label=SPLIT_NAMES[split],
        )
        for split, (line, face) in _SPLIT_STYLES.items()
    ]
    dashed = plt.Line2D([], [], color="#222222", linestyle=(0, (4, 2)), label="NonDP")
    fig.legend(handles=[*lines, dashed], loc="outside upper center", ncols=3)
    uniform, k_based = (share[split].iloc[0] / share[split].index[0] for split in SPLITS)
    alt = (
        f"{METRIC_NAMES.get(metric, metric)} on {_title(dataset)} against the budget that the"
        f" protected attribute gets: {uniform:.1%} of epsilon under the uniform split (solid,"
        f" filled), {k_based:.1%} under the k-based one (dotted, open). One panel a protocol, means"
        f" with 95% intervals: uniform from {_range(summary, 'uniform')}, k-based from"
        f" {_range(summary, 'k-based')}, NonDP {base['mean']:.3f}."
    )
    return fig, alt


def _range(summary: pd.DataFrame, split: str) -> str:
    means = summary.loc[summary["split"] == split, "mean"]
    return f"{means.min():.3f} to {means.max():.3f}"


def _panels(count: int, columns: int) -> tuple[Figure, list]:
    """``count`` panels with common axes, ``columns`` side by side at a page's width; the last
    row may be short.
    """
    rows = -(-count // columns)
    fig, axes = plt.subplots(
        rows, columns, figsize=(6.8, 1.0 + 1.7 * rows), sharex=True, sharey=True, squeeze=False
    )
    panels = list(axes.flat)
    for ax in panels[count:]:
        ax.remove()
    for ax in panels[max(0, count - columns) : count]:  # the lowest of each column
        ax.tick_params(labelbottom=True)
    return fig, panels[:count]
