"""Figures of the LDP grids: metrics against the budget, protocol by protocol or averaged."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes

from lib import validate
from lib.fairness import FAIR
from lib.ldp import SPLITS
from lib.plotting.panels import (
    Picture,
    band,
    curve,
    epsilon_axis,
    handle,
    note,
    panels,
    ticks,
)
from lib.plotting.style import (
    BLUE,
    GREY,
    LIGHT,
    METRIC_NAMES,
    RED,
    REFERENCE,
)
from lib.stats.summary import summarise
from studies.ldp_fairness.figures.style import (
    COLOURS,
    MARKERS,
    OFFSETS,
    SPLIT_NAMES,
    protocol_legend,
)
from studies.ldp_fairness.names import title
from studies.ldp_fairness.summary import baseline, curves

_BEHIND = {"color": LIGHT, "linewidth": 0.9, "zorder": 1}
_X_NAMES = {  # of a budget that may stand on the horizontal axis
    "epsilon": "budget ε of the whole report (log scale)",
    "epsilon_protected": "budget of the protected attribute (log scale)",
}


def _one_dataset(results: pd.DataFrame, dataset: str) -> pd.DataFrame:
    validate.choice("dataset", dataset, sorted(results["dataset"].unique()))
    return results[results["dataset"] == dataset]


def _limits(*curves: pd.DataFrame) -> tuple[float, float]:
    """Limits that hold the means and their intervals, which are cut where they are longer than
    the means' range.
    """
    rows = pd.concat(curves)
    least, most = rows["mean"].min(), rows["mean"].max()
    room = max(most - least, 0.01)
    low, high = rows["low"].fillna(least).min(), rows["high"].fillna(most).max()
    return max(low, least - room) - 0.06 * room, min(high, most + room) + 0.06 * room


def _draw(ax: Axes, summary: pd.DataFrame, base: pd.DataFrame, highlight: Collection[str]) -> None:
    """One curve for each protocol, those that are not highlighted in grey, and NonDP."""
    shift = dict.fromkeys(highlight, 1.0) or OFFSETS
    for name, rows in summary.groupby("protocol"):
        if highlight and name not in highlight:
            ax.plot(rows["epsilon"], rows["mean"], **_BEHIND)
        else:
            style = {"color": COLOURS[name], "marker": MARKERS[name], "elinewidth": 0.8}
            curve(ax, rows, rows["epsilon"] * shift[name], capsize=0, **style)
    ax.axhline(base["mean"].item(), **REFERENCE)
    ax.axhspan(base["low"].item(), base["high"].item(), color="#222222", alpha=0.12, linewidth=0)


def metric_curves(
    results: pd.DataFrame,
    dataset: str,
    metrics: Sequence[str],
    *,
    splits: Sequence[str] = SPLITS,
    highlight: Collection[str] = (),
) -> Picture:
    """Each metric against epsilon, a column for each split: mean over runs, 95% intervals.

    NonDP is dashed. Figs 2-13 of Arcolezi et al. are one data set and one family of metrics each.

    Parameters
    ----------
    highlight : collection of str
        Protocols in their colours; the others are then grey and without intervals. All have their
        colours if none is named.
    """
    rows = _one_dataset(results, dataset)
    shape = (len(metrics), len(splits))
    fig, axes = panels(  # a single panel is as wide as a phone can show it
        (4.6, 3.4) if shape == (1, 1) else (6.4, (2.0 if shape[0] == 1 else 0.7) + 2.0 * shape[0]),
        shape,
        "budget ε (log scale)",
        titles=[SPLIT_NAMES[split] for split in splits],
        sharex=True,
        sharey="row",
    )
    sentences = []
    for metric, line in zip(metrics, axes, strict=True):
        summary, base = curves(rows, metric), baseline(rows, metric)
        summary = summary[summary["split"].isin(splits)]
        for split, ax in zip(splits, line, strict=True):
            _draw(ax, summary[summary["split"] == split], base, highlight)
        name = METRIC_NAMES.get(metric, metric)
        line[0].set(ylabel=metric if metric in FAIR else name, ylim=_limits(summary, base))
        ends = " to ".join(
            f"{end['mean']:.3f} ({end['protocol']}, {end['split']}, epsilon {end['epsilon']:g})"
            for _, end in summary.loc[summary["mean"].agg(["idxmin", "idxmax"])].iterrows()
        )
        sentences.append(f"{name}: NonDP {base['mean'].item():.3f}, LDP from {ends}")
    epsilon_axis(axes[0, 0], summary["epsilon"])
    others = [handle("the other protocols", **_BEHIND)] if highlight else []
    named = [n for n in summary["protocol"] if not highlight or n in highlight]
    protocol_legend(fig, named, *others, handle("without privacy (NonDP)", **REFERENCE))
    return fig, (
        f"Small multiples for {title(dataset)}, budget on a log axis, one curve a protocol."
        f" {'; '.join(sentences)}."
    )


def _name_lines(ax: Axes) -> None:
    """Names beside the ends of the lines, each of which has its dashed baseline behind it."""
    pairs = [*zip(ax.lines[::2], ax.lines[1::2], strict=True)]
    highest = max(line.get_ydata()[-1] for line, _ in pairs)
    for line, dashed in pairs:
        (x, y), style = line.get_xydata()[-1], {"color": line.get_color(), "ha": "right"}
        above, ends = y == highest, line.get_ydata()[-4:]  # as far as a name reaches
        y = max(*line.get_ydata(), *dashed.get_ydata()) if above else min(ends)
        note(ax, line.get_label(), (x, y), (4, 5 if above else -15), **style)
    dashed = pairs[0][1]
    place, colour = (ax.get_xlim()[0], dashed.get_ydata()[0]), dashed.get_color()
    note(ax, "without privacy", place, (4, 3), color=colour, fontsize=9)
    ax.margins(y=0.12)


def average_curves(
    results: pd.DataFrame,
    dataset: str,
    series: Mapping[str, tuple[str, str]],
    ylabel: str,
    x: Sequence[str] = ("epsilon",),
) -> Picture:
    """Metrics averaged over the protocols against a budget: a named line with its 95% band each,
    the higher one named above its end. NonDP is dashed.

    Parameters
    ----------
    series : mapping of str to (str, str)
        The name of a line to its metric and the split; two at most.
    x : sequence of {"epsilon", "epsilon_protected"}
        A panel for each: the budget of the whole report, or that of the protected attribute.
    """
    rows = _one_dataset(results, dataset)
    fig, axes = panels((4.6, 0.5 + 2.5 * len(x)), (len(x), 1), "", ylabel, sharey=True, log="x")
    words, one = [], len({metric for metric, _ in series.values()}) == 1
    for (name, (metric, split)), colour in zip(series.items(), (RED, BLUE), strict=False):
        base = rows.loc[rows["protocol"] == "NonDP", metric].mean()
        own = rows[rows["split"] == split]
        for ax, budget in zip(axes.flat, x, strict=True):
            # budgets of one setting may differ in last bits
            means = own.groupby(["run", own[budget].round(9)])[metric].mean().reset_index()
            line = summarise(means, [budget], metric)
            band(ax, line, budget, marker="o", color=colour, label=name)
            ax.axhline(base, color=GREY if one else colour, linewidth=1, linestyle=(0, (4, 2)))
            ax.set_xlabel(_X_NAMES[budget])
            least, most = rows[budget].min(), rows[budget].max()
            ticks(ax, [b for b in (0.01, 0.1, 0.5, 1, 2, 4, 10, 50) if least <= b <= most])
        first, last = line["mean"].iloc[[0, -1]]
        words.append(f"{name}: {first:.3f} to {last:.3f}, without privacy {base:.3f}")
    for ax in axes.flat:
        _name_lines(ax)
    return fig, (
        f"{ylabel} for {title(dataset)} against the budget, from the smallest to the largest,"
        f" averaged over the protocols. {'; '.join(words)}."
    )
