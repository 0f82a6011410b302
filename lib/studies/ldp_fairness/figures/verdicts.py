"""Figures of the verdict pages: how many of each, who moves, what the split gains, which
protocol is where.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from lib.ldp import PROTOCOLS
from lib.plotting.style import COLOURS, MARKERS, METRIC_NAMES, epsilon_axis, protocol_legend
from lib.stats.summary import mean_interval, pooled

__all__ = ["tallies", "who_moves", "split_gains", "trade_off", "rounding_moves"]

GROUP_COLOURS = ("#0072B2", "#D55E00")


VERDICT_COLOURS = {
    "reproduced": "#009E73",
    "same direction": "#8FBF9F",
    "not reproduced": "#D55E00",
    "not comparable": "#9A9A9A",
    "not run": "#D0D0D0",
}


def tallies(counts: Mapping[str, Mapping[str, int]]) -> tuple[Figure, str]:
    """One bar per name in ``counts``, cut by verdict; ``counts`` maps the name to how many rows
    have each verdict.

    Narrow enough for a phone, names and legend included.
    """
    fig, ax = plt.subplots(figsize=(3.9, 1.5 + 0.5 * len(counts)))
    for y, tally in enumerate(counts.values()):
        left = 0
        for verdict, colour in VERDICT_COLOURS.items():
            n = tally.get(verdict, 0)
            ax.barh(y, n, left=left, color=colour, height=0.62, label=verdict if y == 0 else None)
            if n:
                dark = verdict in ("reproduced", "not reproduced")
                ax.text(
                    left + n / 2,
                    y,
                    str(n),
                    ha="center",
                    va="center",
                    fontsize=8,
                    color="white" if dark else "black",
                )
            left += n
    ax.set_yticks(range(len(counts)), [fill(paper, 13) for paper in counts])
    ax.invert_yaxis()
    ax.set_xlabel("claims")
    ax.grid(visible=False)
    fig.legend(loc="outside upper center", ncols=2)
    words = "; ".join(
        f"{p}: " + ", ".join(f"{n} {v}" for v, n in tally.items() if n)
        for p, tally in counts.items()
    )
    return fig, f"Verdicts by paper. {words}."


def who_moves(
    results: pd.DataFrame,
    epsilon: float,
    groups: Mapping[str, Sequence[str]],
    rates: Sequence[str] = ("positive_rate", "tpr"),
) -> tuple[Figure, str]:
    """Paired change of each group's rate at one budget, averaged over protocols and splits, with
    95% intervals.

    The rate without privacy and the one under LDP stand beside the point.

    Parameters
    ----------
    results : DataFrame
        Records of a grid.
    epsilon : float
        The budget.
    groups : mapping
        Data set to the names of groups 0 and 1; its order is the order of the rows.
    """
    rows = results[(results["epsilon"] == epsilon) | results["epsilon"].isna()]
    fig, axes = plt.subplots(
        1,
        len(rates),
        figsize=(6.8, 0.9 + 0.85 * len(groups)),
        sharey=True,
        sharex=True,
        squeeze=False,
    )
    sentences = []
    lines = [(d, group, name) for d, names in groups.items() for group, name in enumerate(names)]
    places = [i + 0.5 * (i // 2) for i in range(len(lines))]
    for rate, ax in zip(rates, axes[0], strict=True):
        for y, (dataset, group, name) in zip(places, lines, strict=True):
            column, part = f"{rate}_{group}", rows[rows["dataset"] == dataset]
            base = part[part["protocol"] == "NonDP"][column].mean()
            move = pooled(part, column, ["dataset"]).iloc[0]
            error = [[move["mean"] - move["low"]], [move["high"] - move["mean"]]]
            ax.errorbar(
                move["mean"],
                y,
                xerr=error if np.isfinite(error).all() else None,
                color=GROUP_COLOURS[group],
                marker="os"[group],
                markersize=5,
                capsize=0,
            )
            right = move["mean"] < -0.2
            ax.annotate(
                f"{base:.2f} → {base + move['mean']:.2f}",
                (
                    min(move["mean"], 0),
                    y,
                ),  # left of the zero line also where the point is right of it
                fontsize=8,
                xytext=(10 if right else -10, 5),
                textcoords="offset points",
                ha="left" if right else "right",
            )
            sentences.append(
                f"{METRIC_NAMES[rate]} of {name}: {base:.3f}, changes by {move['mean']:+.3f}"
            )
        ax.axvline(0, color="#222222", linewidth=1, linestyle=(0, (4, 2)))
        ax.set_title(METRIC_NAMES[rate])
        ax.set_xlabel("change")
    axes[0][0].set_yticks(places, [name for *_, name in lines])
    axes[0][0].set_ylim(places[-1] + 0.6, -0.8)
    low, high = axes[0][0].get_xlim()
    axes[0][0].set_xlim(low - 0.15 * (high - low), high)
    alt = (
        f"Change of rates at epsilon {epsilon:g} against no privacy, group by group. "
        + "; ".join(sentences)
        + "."
    )
    return fig, alt


def split_gains(
    results: pd.DataFrame, titles: Mapping[str, str], scores: Mapping[str, pd.Series]
) -> tuple[Figure, str]:
    """k-based minus uniform against the budget, with 95% intervals over runs, averaged over
    protocols inside a run.

    Parameters
    ----------
    titles : mapping
        Data set to the title of its column.
    scores : mapping
        Label of a row of panels to a score of each record, more being better.
    """
    fig, axes = plt.subplots(
        len(scores),
        len(titles),
        figsize=(6.8, 0.6 + 1.9 * len(scores)),
        sharex=True,
        sharey="row",
        squeeze=False,
    )
    sentences = []
    for (label, score), line in zip(scores.items(), axes, strict=True):
        frame = results.assign(score=score)[results["protocol"] != "NonDP"]
        wide = frame.pivot_table(
            index=["dataset", "run", "protocol", "epsilon"], columns="split", values="score"
        )
        gain = (
            (wide["k-based"] - wide["uniform"])
            .dropna()
            .groupby(["dataset", "epsilon", "run"])
            .mean()
        )
        for (dataset, title), ax in zip(titles.items(), line, strict=True):
            bars = [(e, *mean_interval(g)) for e, g in gain[dataset].groupby("epsilon")]
            x, mean, low, high = np.array(bars).T
            ax.axhline(0, color="#222222", linewidth=1, linestyle=(0, (4, 2)))
            if np.isfinite(low).all():
                ax.fill_between(x, low, high, color="#0072B2", alpha=0.2, linewidth=0)
            ax.plot(x, mean, "o-", color="#0072B2", markersize=3.5)
            epsilon_axis(ax, x, label=ax in axes[-1])
            ax.set_xticks([0.25, 1, 4, 50], ["0.25", "1", "4", "50"])
            if ax in axes[0]:
                ax.set_title(title, fontsize=9.5)
            best = int(np.argmax(np.abs(mean)))
            sentences.append(
                f"{label}, {title}: from {mean.min():+.3f} to {mean.max():+.3f}, "
                f"largest in size at epsilon {x[best]:g}"
            )
        line[0].set_ylabel(label)
    alt = (
        "k-based minus uniform against the budget, above zero if k-based is better. "
        + "; ".join(sentences)
        + "."
    )
    return fig, alt


def trade_off(
    results: pd.DataFrame,
    titles: Mapping[str, str],
    utility: Mapping[str, pd.Series],
    fairness: Mapping[str, pd.Series],
) -> tuple[Figure, str]:
    """Mean ranks of the protocols by utility and by fairness, 1 being best, with 95% intervals over
    runs.

    Parameters
    ----------
    utility, fairness : mapping
        Metric to a score of each record, more being better; ranks are averaged over metrics.
    """
    fig, axes = plt.subplots(1, len(titles), figsize=(6.8, 3.3), sharex=True, sharey=True)
    sentences = []
    for (dataset, title), ax in zip(titles.items(), axes, strict=True):
        keep = (results["dataset"] == dataset) & (results["protocol"] != "NonDP")
        ranks = [_ranks(results[keep], scores) for scores in (utility, fairness)]
        for name in PROTOCOLS:
            (x, *ex), (y, *ey) = (mean_interval(r[name]) for r in ranks)
            error = {"xerr": [[x - ex[0]], [ex[1] - x]], "yerr": [[y - ey[0]], [ey[1] - y]]}
            ax.errorbar(
                x,
                y,
                **(error if np.isfinite([*ex, *ey]).all() else {}),
                color=COLOURS[name],
                marker=MARKERS[name],
                markersize=6,
                elinewidth=0.8,
                capsize=0,
            )
        ax.set_title(title, fontsize=9.5)
        ax.set_xlabel("rank by utility")
        first = [r.mean().idxmin() for r in ranks]
        last = [r.mean().idxmax() for r in ranks]
        sentences.append(
            f"{title}: best by utility {first[0]}, worst {last[0]}; by fairness {first[1]},"
            f" {last[1]}"
        )
    axes[0].set_ylabel("rank by fairness")
    axes[0].set_xlim(7.5, 0.5)
    axes[0].set_ylim(7.5, 0.5)
    protocol_legend(fig, PROTOCOLS)
    return (
        fig,
        "Mean ranks of the seven protocols, best at the top right. " + "; ".join(sentences) + ".",
    )


def _ranks(rows: pd.DataFrame, scores: Mapping[str, pd.Series]) -> pd.DataFrame:
    """Mean rank over the scores, one row a run, one column a protocol."""
    each = [
        rows.assign(score=score)
        .groupby(["run", "protocol"])["score"]
        .mean()
        .groupby("run")
        .rank(ascending=False)
        for score in scores.values()
    ]
    return (sum(each) / len(each)).unstack("protocol")


def rounding_moves(changes: pd.DataFrame, titles: Mapping[str, str]) -> tuple[Figure, str]:
    """Changes of fairness metrics, in points, under another rounding: a bar each; the largest that
    is clear has its interval.

    Clear is a change whose interval excludes zero; where none is, the largest of all is named.

    Parameters
    ----------
    changes : DataFrame
        From :func:`lib.studies.ldp_fairness.rounding.rounding_changes`.
    titles : mapping of str to str
        Words for the data sets, from top to bottom.
    """
    fig, ax = plt.subplots(figsize=(4.4, 1.1 + 0.9 * len(titles)))
    spread = changes["mean"].abs().groupby([changes["dataset"], changes["protocol"]]).max()
    rows = [(d, p) for d in titles for p in PROTOCOLS if (d, p) in spread.index]
    for y, (dataset, protocol) in enumerate(rows):
        part = changes[(changes["dataset"] == dataset) & (changes["protocol"] == protocol)]
        ax.plot(100 * part["mean"], np.full(len(part), y), "|", color="#9A9A9A", markersize=9)
    clear = changes[(changes["low"] > 0) | (changes["high"] < 0)]
    pick = clear if len(clear) else changes
    far = pick.loc[pick["mean"].abs().idxmax()]
    y = rows.index((far["dataset"], far["protocol"]))
    ends = [[100 * (far["mean"] - far["low"])], [100 * (far["high"] - far["mean"])]]
    ax.errorbar(
        [100 * far["mean"]], [y], xerr=ends, fmt="o", color=COLOURS[far["protocol"]], capsize=3
    )
    name = METRIC_NAMES.get(far["metric"], far["metric"])
    label = f"{name}, {far['split']},\nε = {far['epsilon']:g}: {100 * far['mean']:+.1f}"
    ax.annotate(
        label,
        (100 * far["mean"], y),
        xytext=(0, 9),
        textcoords="offset points",
        ha="center",
        fontsize=7.5,
    )
    ax.axvline(0, color="black", linewidth=0.8)
    ax.set_yticks(range(len(rows)), [f"{titles[d]}, {p}" for d, p in rows])
    ax.set_ylim(len(rows) - 0.5, -1.1)
    ax.set_xlabel("change in points (rounded − rounded down)")
    reach = 1.3 * max(
        100 * changes["mean"].abs().max(), *np.abs(100 * far[["low", "high"]].astype(float)) / 1.5
    )
    ax.set_xlim(-reach, reach)
    ax.grid(visible=False, axis="y")
    words = "; ".join(f"{titles[d]}, {p}: up to {100 * spread[d, p]:.1f} points" for d, p in rows)
    return (
        fig,
        f"Change of fairness metrics when whole numbers are rounded and not rounded down. {words}.",
    )
