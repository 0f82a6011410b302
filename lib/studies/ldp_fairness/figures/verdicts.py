"""Figures of the verdict pages: who moves, what the split gains, which protocol is where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from lib.ldp import PROTOCOLS
from lib.plotting.lines import band, spread
from lib.plotting.panels import Picture, panels, protocol_legend, ticks
from lib.plotting.style import BLUE, COLOURS, MARKERS, METRIC_NAMES, RED, REFERENCE
from lib.stats.summary import pooled, summarise


def who_moves(
    results: pd.DataFrame,
    epsilon: float,
    groups: Mapping[str, Sequence[str]],
    rates: Sequence[str] = ("positive_rate", "tpr"),
) -> Picture:
    """Paired change of each group's rate at one budget, averaged over protocols and splits.

    The rate without privacy and the one under LDP stand beside the point with its 95% interval.

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
    size, titles = (6.8, 0.9 + 0.85 * len(groups)), [METRIC_NAMES[rate] for rate in rates]
    shape = (1, len(rates))
    fig, axes = panels(size, shape, titles=titles, sharex=True, sharey=True)
    lines = [(d, group, name) for d, names in groups.items() for group, name in enumerate(names)]
    places = [i + 0.5 * (i // 2) for i in range(len(lines))]
    sentences = []
    for rate, title, ax in zip(rates, titles, axes.flat, strict=True):
        for y, (dataset, group, name) in zip(places, lines, strict=True):
            column, part = f"{rate}_{group}", rows[rows["dataset"] == dataset]
            base = part[part["protocol"] == "NonDP"][column].mean()
            change = pooled(part, column, ["dataset"])
            style = {"color": (BLUE, RED)[group], "marker": "os"[group], "markersize": 5}
            ax.errorbar(change["mean"], y, xerr=spread(change), **style, capsize=0)
            move = change["mean"].item()
            _annotate(ax, f"{base:.2f} → {base + move:.2f}", move, y)
            sentences.append(f"{title} of {name}: {base:.3f}, changes by {move:+.3f}")
        ax.axvline(0, **REFERENCE)
        ax.set_xlabel("change")
    ax.set_yticks(places, [name for *_, name in lines])
    ax.set_ylim(places[-1] + 0.6, -0.8)
    low, high = ax.get_xlim()
    ax.set_xlim(low - 0.15 * (high - low), high)
    return fig, (
        f"Change of rates at epsilon {epsilon:g} against no privacy, group by group."
        f" {'; '.join(sentences)}."
    )


def _annotate(ax, text: str, x: float, y: float) -> None:
    """Text left of the point and of the zero line, or right of a point that is far left."""
    side = 1 if x < -0.2 else -1
    place = {"xytext": (10 * side, 5), "textcoords": "offset points"}
    ax.annotate(text, (min(x, 0), y), **place, fontsize=8, ha="left" if side > 0 else "right")


def split_gains(
    results: pd.DataFrame, titles: Mapping[str, str], scores: Mapping[str, pd.Series]
) -> Picture:
    """k-based minus uniform against the budget, averaged over protocols, with 95% intervals.

    Parameters
    ----------
    titles : mapping
        Data set to the title of its column.
    scores : mapping
        Label of a row of panels to a score of each record, more being better.
    """
    size, shape = (6.8, 0.6 + 1.9 * len(scores)), (len(scores), len(titles))
    fig, axes = panels(
        size,
        shape,
        "budget ε (log scale)",
        titles=titles.values(),
        log="x",
        sharex=True,
        sharey="row",
    )
    sentences = []
    for (label, score), line in zip(scores.items(), axes, strict=True):
        gains = _gains(results.assign(score=score)[results["protocol"] != "NonDP"])
        for (dataset, title), ax in zip(titles.items(), line, strict=True):
            own = gains[gains["dataset"] == dataset].reset_index()
            ax.axhline(0, **REFERENCE)
            band(ax, own, "epsilon", marker="o", color=BLUE)
            mean, best = own["mean"], own["mean"].abs().idxmax()
            sentences.append(
                f"{label}, {title}: from {mean.min():+.3f} to {mean.max():+.3f}, "
                f"largest in size at epsilon {own['epsilon'][best]:g}"
            )
        line[0].set_ylabel(label)
    ticks(ax, [0.25, 1, 4, 50])
    return fig, (
        "k-based minus uniform against the budget, above zero if k-based is better."
        f" {'; '.join(sentences)}."
    )


def _gains(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean over runs of k-based minus uniform, after the mean over the protocols of a run."""
    cells = ["dataset", "epsilon", "run", "protocol"]
    wide = rows.pivot_table(index=cells, columns="split", values="score")
    gain = (wide["k-based"] - wide["uniform"]).dropna().groupby(cells[:3]).mean()
    return summarise(gain.reset_index(name="gain"), cells[:2], "gain")


def trade_off(
    results: pd.DataFrame,
    titles: Mapping[str, str],
    utility: Mapping[str, pd.Series],
    fairness: Mapping[str, pd.Series],
) -> Picture:
    """Mean ranks of the protocols by utility and by fairness, 1 being best, with 95% intervals.

    Parameters
    ----------
    utility, fairness : mapping
        Metric to a score of each record, more being better; ranks are averaged over metrics.
    """
    labels = ("rank by utility", "rank by fairness")
    limits: dict[str, Any] = {
        "xlim": (7.5, 0.5),
        "ylim": (7.5, 0.5),
        "sharex": True,
        "sharey": True,
    }
    fig, axes = panels((6.8, 3.3), (1, len(titles)), *labels, titles=titles.values(), **limits)
    sentences = []
    for (dataset, title), ax in zip(titles.items(), axes.flat, strict=True):
        rows = results[(results["dataset"] == dataset) & (results["protocol"] != "NonDP")]
        x, y = _ranks(rows, utility), _ranks(rows, fairness)
        for name in PROTOCOLS:
            across, up = x.loc[[name]], y.loc[[name]]
            style = {"color": COLOURS[name], "marker": MARKERS[name], "markersize": 6}
            error = {"xerr": spread(across), "yerr": spread(up), "elinewidth": 0.8, "capsize": 0}
            ax.errorbar(across["mean"], up["mean"], **error, **style)
        first, last = ([ranks["mean"].agg(end) for ranks in (x, y)] for end in ("idxmin", "idxmax"))
        sentences.append(
            f"{title}: best by utility {first[0]}, worst {last[0]}; by fairness {first[1]},"
            f" {last[1]}"
        )
    protocol_legend(fig, PROTOCOLS)
    return fig, (
        f"Mean ranks of the seven protocols, best at the top right. {'; '.join(sentences)}."
    )


def _ranks(rows: pd.DataFrame, scores: Mapping[str, pd.Series]) -> pd.DataFrame:
    """Rank of each protocol, averaged over the scores, with its interval over runs."""
    means = rows.assign(**scores).groupby(["run", "protocol"])[[*scores]].mean()
    ranks = means.groupby("run").rank(ascending=False).mean(axis=1)
    return summarise(ranks.reset_index(name="rank"), ["protocol"], "rank").set_index("protocol")
