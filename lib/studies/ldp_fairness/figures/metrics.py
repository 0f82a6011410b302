"""Figures of the LDP grids: metrics against the budget, group rates, paired differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator

from lib import validate
from lib.datasets import TASKS
from lib.ldp import PROTOCOLS, SPLITS
from lib.plotting.lines import curve
from lib.plotting.panels import Picture, epsilon_axis, handle, panels, protocol_legend
from lib.plotting.style import (
    COLOURS,
    GREY,
    MARKERS,
    METRIC_NAMES,
    REFERENCE,
    SPLIT_NAMES,
    in_order,
    offsets,
    short_name,
)
from lib.stats.summary import baseline, curves, paired

_BARS: dict[str, Any] = {"elinewidth": 0.8, "capsize": 0}
_OPEN: dict[str, Any] = {
    "linestyle": ":",
    "mfc": "white",
}  # the k-based split beside the uniform one


def _one_dataset(results: pd.DataFrame, dataset: str) -> pd.DataFrame:
    validate.choice("dataset", dataset, sorted(results["dataset"].unique()))
    return results[results["dataset"] == dataset]


def _title(dataset: str) -> str:
    """The name of a data set in words; one of the user's own keeps its name."""
    return TASKS[dataset].title if dataset in TASKS else dataset


def _limits(*curves: pd.DataFrame) -> tuple[float, float]:
    """Limits that hold the means and their intervals, which are cut where they are longer than
    the means' range.
    """
    rows = pd.concat(curves)
    least, most = rows["mean"].min(), rows["mean"].max()
    room = max(most - least, 0.01)
    low, high = rows["low"].fillna(least).min(), rows["high"].fillna(most).max()
    return max(low, least - room) - 0.06 * room, min(high, most + room) + 0.06 * room


def _draw_baseline(ax: Axes, base: pd.DataFrame) -> None:
    ax.axhline(base["mean"].item(), **REFERENCE)
    ax.axhspan(base["low"].item(), base["high"].item(), color="#222222", alpha=0.12, linewidth=0)


def _draw(ax: Axes, summary: pd.DataFrame, base: pd.DataFrame) -> None:
    """One curve for each protocol, and NonDP."""
    shift = offsets()
    for name, rows in summary.groupby("protocol"):
        style = {"color": COLOURS[name], "marker": MARKERS[name]}
        curve(ax, rows, rows["epsilon"] * shift[name], **style, **_BARS)
    _draw_baseline(ax, base)


def metric_curves(results: pd.DataFrame, dataset: str, metrics: Sequence[str]) -> Picture:
    """Each metric against epsilon under both splits: mean over runs, 95% intervals, NonDP dashed.

    Figs 2-13 of Arcolezi et al., one data set and one family of metrics each.
    """
    rows = _one_dataset(results, dataset)
    fig, axes = panels(
        (6.4, 0.7 + 2.0 * len(metrics)),
        (len(metrics), 2),
        "budget ε (log scale)",
        titles=SPLIT_NAMES.values(),
        sharex=True,
        sharey="row",
    )
    sentences = []
    for metric, pair in zip(metrics, axes, strict=True):
        summary, base = curves(rows, metric), baseline(rows, metric)
        for split, ax in zip(SPLITS, pair, strict=True):
            _draw(ax, summary[summary["split"] == split], base)
        pair[0].set(ylabel=metric, ylim=_limits(summary, base))
        low, high = (summary.loc[at] for at in summary["mean"].agg(["idxmin", "idxmax"]))
        sentences.append(
            f"{METRIC_NAMES.get(metric, metric)}: NonDP {base['mean'].item():.3f}, LDP from"
            f" {low['mean']:.3f} ({low['protocol']}, {low['split']}, epsilon {low['epsilon']:g}) to"
            f" {high['mean']:.3f} ({high['protocol']}, {high['split']}, epsilon"
            f" {high['epsilon']:g})"
        )
    epsilon_axis(axes[0, 0], summary["epsilon"])
    protocol_legend(fig, summary["protocol"], handle("NonDP", **REFERENCE))
    return fig, (
        f"Small multiples for {_title(dataset)}, budget on a log axis, one curve a protocol."
        f" {'; '.join(sentences)}."
    )


def group_rates(
    results: pd.DataFrame,
    dataset: str,
    rates: Sequence[str],
    split: str,
    names: Sequence[str] = ("group 0, unprivileged", "group 1, privileged"),
) -> Picture:
    """Rates inside each group against epsilon, a panel each, around its own level.

    The panels of a rate have one scale, so that a move of one group is as long as the same move
    of the other.
    """
    rows = _one_dataset(results, dataset)
    rows = rows[rows["split"].isin([split, "none"])]
    size, shape = (6.4, 0.7 + 2.1 * len(rates)), (len(rates), 2)
    fig, axes = panels(size, shape, "budget ε (log scale)", titles=names, sharex=True)
    sentences = []
    for rate, pair in zip(rates, axes, strict=True):
        limits, name = [], METRIC_NAMES.get(rate, rate)
        for group, ax in enumerate(pair):
            summary, base = (make(rows, f"{rate}_{group}") for make in (curves, baseline))
            _draw(ax, summary, base)
            limits.append(_limits(summary, base))
            first = summary[summary["epsilon"] == summary["epsilon"].min()]["mean"]
            sentences.append(
                f"{name} of group {group}: NonDP {base['mean'].item():.3f}, at the"
                f" smallest budget {first.min():.3f} to {first.max():.3f}"
            )
        span = max(high - low for low, high in limits)
        for ax, (low, high) in zip(pair, limits, strict=True):
            bottom = max((low + high - span) / 2, -0.02)  # a rate is between 0 and 1
            ax.set_ylim(min(bottom, 1.02 - span), min(bottom, 1.02 - span) + span)
        pair[0].set_ylabel(name)
    epsilon_axis(axes[0, 0], summary["epsilon"])
    protocol_legend(fig, summary["protocol"], handle("NonDP", **REFERENCE))
    return fig, (
        f"Rates inside the two groups of {_title(dataset)} under the {split} split."
        f" {'; '.join(sentences)}."
    )


def difference_map(
    results: pd.DataFrame, dataset: str, metric: str, *, fair: float | None = None, label: str
) -> Picture:
    """Paired difference to NonDP by protocol and budget; a dot where 0 is in its interval."""
    summary = paired(_one_dataset(results, dataset), metric, fair=fair)
    clear = (summary["low"] > 0) | (summary["high"] < 0)
    limit = float(summary["mean"].abs().max()) or 1.0
    fig, axes = panels((6.4, 5.2), (2, 1), "budget ε", titles=SPLIT_NAMES.values(), sharex=True)
    for split, ax in zip(SPLITS, axes.flat, strict=True):
        own = summary["split"] == split
        means = summary[own].pivot(index="protocol", columns="epsilon", values="mean")
        means = means.reindex(in_order([*PROTOCOLS, *means.index]))
        image = ax.imshow(means, cmap="PuOr_r", vmin=-limit, vmax=limit, aspect="auto")
        dots = summary[own & ~clear]
        across, down = (axis.get_indexer(dots[axis.name]) for axis in (means.columns, means.index))
        ax.plot(across, down, "o", color="#111111", markersize=3)
        ax.set_yticks(range(len(means)), map(short_name, means.index))
        ax.set_xticks(range(means.shape[1]), [f"{e:g}" for e in means])
        ax.grid(False)
    fig.colorbar(image, ax=axes, label=label, shrink=0.7)
    return fig, (
        f"Heat map for {_title(dataset)}: {label}, by protocol and budget, for both splits."
        f" Differences run from {summary['mean'].min():+.3f} to {summary['mean'].max():+.3f}; in"
        f" {clear.mean():.0%} of the cells the 95% interval leaves out zero."
    )


def budget_of_protected(results: pd.DataFrame, dataset: str, metric: str) -> Picture:
    """The metric against the budget of the protected attribute itself, a panel for each protocol.

    It shows what is left of the splits' difference. Fourteen curves with their 95% intervals in
    one panel would hide each other.
    """
    rows = _one_dataset(results, dataset)
    summary, base = curves(rows, metric), baseline(rows, metric)
    share = rows.groupby(["split", "epsilon"])["epsilon_protected"].mean().rename("x")
    summary = summary.join(share, on=["split", "epsilon"])
    names = in_order(summary["protocol"])
    down = -(-len(names) // 4)
    fig, axes = panels((6.8, 1.0 + 1.7 * down), (down, 4), log="x", sharex=True, sharey=True)
    for ax in axes.flat[len(names) :]:
        ax.remove()
    for ax in axes.flat[max(0, len(names) - 4) : len(names)]:  # the lowest of each column
        ax.tick_params(labelbottom=True)
    for name, ax in zip(names, axes.flat, strict=False):
        style = {"color": COLOURS[name], "marker": MARKERS[name]} | _BARS
        for split, more in (("uniform", {}), ("k-based", _OPEN)):
            own = summary[(summary["protocol"] == name) & (summary["split"] == split)]
            curve(ax, own, "x", **style, **more)
        _draw_baseline(ax, base)
        ax.set_title(short_name(name), color=COLOURS[name])
    ax.set_ylim(_limits(summary, base))  # shared, as is the horizontal axis
    ax.xaxis.set_major_locator(LogLocator(numticks=20))  # every decade
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    fig.supxlabel("budget of the protected attribute itself (log scale)", fontsize="medium")
    fig.supylabel(metric, fontsize="medium")
    styles = {"uniform split": {}, "k-based split": _OPEN}
    marks = [handle(split, color=GREY, marker="o", **s) for split, s in styles.items()]
    marks.append(handle("NonDP", **REFERENCE))
    fig.legend(handles=marks, loc="outside upper center", ncols=3)
    uniform, k_based = (share[split].iloc[0] / share[split].index[0] for split in SPLITS)
    least, most = (summary.groupby("split")["mean"].agg(end) for end in ("min", "max"))
    between = {split: f"{least[split]:.3f} to {most[split]:.3f}" for split in SPLITS}
    return fig, (
        f"{METRIC_NAMES.get(metric, metric)} on {_title(dataset)} against the budget that the"
        f" protected attribute gets: {uniform:.1%} of epsilon under the uniform split (solid,"
        f" filled), {k_based:.1%} under the k-based one (dotted, open). One panel a protocol, means"
        f" with 95% intervals: uniform from {between['uniform']}, k-based from"
        f" {between['k-based']}, NonDP {base['mean'].item():.3f}."
    )
