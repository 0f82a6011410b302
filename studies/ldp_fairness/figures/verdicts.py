"""Figures behind the verdicts: who moves, what the split gains, which protocol ranks where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import pandas as pd

from lib.ldp import PROTOCOLS
from lib.plotting.panels import Picture, band, note, panel, panels, spread, ticks
from lib.plotting.style import BLUE, DARK, LIGHT, METRIC_NAMES, RED, REFERENCE
from lib.stats.summary import ranks, summarise
from studies.ldp_fairness.summary import pooled


def who_moves(
    results: pd.DataFrame, epsilon: float, groups: Mapping[str, Sequence[str]]
) -> Picture:
    """From each group's share of positive predictions without privacy (grey) to the one under LDP
    at one budget, averaged over protocols and splits, with the 95% interval of the paired change.

    ``groups`` gives the names of groups 0 and 1 of each data set, from top to bottom.
    """
    rows = results[results["epsilon"].isin([epsilon, float("nan")])]
    lines = [(d, group, name) for d, names in groups.items() for group, name in enumerate(names)]
    places = [i + 0.6 * (i // 2) for i in range(len(lines))]
    words = METRIC_NAMES["positive_rate"]
    fig, ax = panel((6.8, 0.8 + 0.5 * len(lines)), f"rate of {words}")
    sentences = []
    for y, (dataset, group, name) in zip(places, lines, strict=True):
        part, rate = rows[rows["dataset"] == dataset], f"positive_rate_{group}"
        base = part.loc[part["protocol"] == "NonDP", rate].mean()
        change = pooled(part, rate, ["dataset"])
        after, colour = base + change["mean"].item(), (BLUE, RED)[group]
        ax.plot([base, after], [y, y], color=colour, linewidth=1.2)
        ax.plot(base, y, "o", color=LIGHT, markersize=7)
        ax.errorbar(after, y, xerr=spread(change), fmt="o", color=colour, markersize=5, capsize=0)
        note(ax, f"{base:.0%} → {after:.0%}", (max(base, after), y), (9, 0), va="center")
        sentences.append(f"{name}: {base:.3f}, changes by {after - base:+.3f}".replace("\n", " "))
    ax.set_yticks(places, [name for *_, name in lines])
    ax.set(xlim=(0, 1.25), ylim=(places[-1] + 0.6, -0.6))
    ticks(ax, [0, 0.25, 0.5, 0.75, 1], ".0%")
    ax.grid(visible=False, axis="y")
    return fig, (
        f"{words} of each group without privacy and at epsilon {epsilon:g}. {'; '.join(sentences)}."
    )


def split_gains(
    results: pd.DataFrame, titles: Mapping[str, str], scores: Mapping[str, pd.Series]
) -> Picture:
    """k-based minus uniform against the budget, averaged over protocols, with 95% intervals.

    Parameters
    ----------
    titles : mapping
        Data set to its name at the end of its line; there are colours for three.
    scores : mapping
        Title of a panel to a score of each record, more being better.
    """
    size, shape = (6.8, 0.6 + 2.4 * len(scores)), (len(scores), 1)
    labels = ("budget ε (log scale)", "k-based minus uniform")
    fig, axes = panels(size, shape, *labels, titles=scores, log="x", sharex=True)
    sentences, cells = [], ["dataset", "epsilon", "run", "protocol"]
    for (label, score), ax in zip(scores.items(), axes.flat, strict=True):
        rows = results.assign(score=score)[results["protocol"] != "NonDP"]
        wide = rows.pivot_table(index=cells, columns="split", values="score")
        gain = (wide["k-based"] - wide["uniform"]).dropna().groupby(cells[:3]).mean()
        gains = summarise(gain.reset_index(name="gain"), cells[:2], "gain")
        ax.axhline(0, **REFERENCE)
        for (dataset, title), colour in zip(titles.items(), (RED, BLUE, DARK), strict=False):
            own = gains[gains["dataset"] == dataset]
            band(ax, own, "epsilon", marker="o", color=colour)
            mean, most = own["mean"], own.loc[own["mean"].abs().idxmax()]
            flat = colour == DARK  # named at its end, below the others
            named = own.iloc[-1] if flat else most
            offset = 0, -15 if flat or named["mean"] < 0 else 8
            note(ax, title, (named["epsilon"], named["mean"]), offset, color=colour, ha="center")
            sentences.append(
                f"{label}, {title}: from {mean.min():+.3f} to {mean.max():+.3f}, "
                f"largest in size at epsilon {most['epsilon']:g}"
            )
    ticks(axes[-1, 0], [0.25, 1, 4, 10, 50])
    return fig, (
        "k-based minus uniform against the budget, above zero if k-based is better."
        f" {'; '.join(sentences)}."
    )


def trade_off(
    results: pd.DataFrame, titles: Mapping[str, str], scores: Mapping[str, Mapping[str, pd.Series]]
) -> Picture:
    """Mean ranks of the protocols, 1 being best, with 95% intervals: a row of panels for each data
    set, GRR and SS in colour.

    ``scores`` gives for each column of panels its metrics, each a score of each record, more being
    better; ranks are averaged over the metrics.
    """
    labels = [f"{title}, by {column}" for title in titles.values() for column in scores]
    size, shape = (6.8, 0.6 + 2.1 * len(titles)), (len(titles), len(scores))
    same: dict[str, Any] = {"titles": labels, "sharex": True, "sharey": True}
    fig, axes = panels(size, shape, "mean rank (1 is best)", xlim=(7.5, 0.5), **same)
    sentences, private = [], results[results["protocol"] != "NonDP"]
    cases = product(titles, scores.values())
    for label, (dataset, metrics), ax in zip(labels, cases, axes.flat, strict=True):
        table = ranks_by(private[private["dataset"] == dataset], metrics).loc[[*PROTOCOLS]]
        for y, name in enumerate(table.index):
            own, colour = table.loc[[name]], {"GRR": BLUE, "SS": RED}.get(name, LIGHT)
            ax.errorbar(own["mean"], y, xerr=spread(own), fmt="o", color=colour, capsize=0)
        ax.set_yticks(range(len(table)), table.index)
        ax.set_ylim(len(table) - 0.5, -0.5)
        order = ranks(table["mean"].to_numpy())  # of two that are tied the first is named
        best, worst = table.index[order.argmin()], table.index[order.argmax()]
        sentences.append(f"{label}: best {best}, worst {worst}")
    return fig, f"Mean ranks of the seven protocols. {'; '.join(sentences)}."


def ranks_by(rows: pd.DataFrame, scores: Mapping[str, pd.Series]) -> pd.DataFrame:
    """Rank of each protocol, averaged over the scores, with its interval over runs."""
    means = rows.assign(**scores).groupby(["run", "protocol"])[[*scores]].mean()
    placed = (-means).groupby("run").transform(lambda of_run: ranks(of_run.to_numpy()))
    long = placed.mean(axis=1).reset_index(name="rank")
    return summarise(long, ["protocol"], "rank").set_index("protocol")
