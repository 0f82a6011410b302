"""Figures of the bounds: what each promises, exact information, where they say nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from lib.plotting.lines import curve, ends
from lib.plotting.panels import Picture, legend, panel, panels, ticks
from lib.plotting.style import BLUE, BOUND_COLOURS, BOUND_NAMES, DARK, GREEN, OLIVE, RED

_MARKERS = dict(zip(BOUND_NAMES, "vos^X", strict=True))


def _styles(modes, **more) -> Iterator[tuple[str, dict]]:
    """Each of the bounds that is among ``modes``, and the style of its line."""
    for mode, name in BOUND_NAMES.items():
        if mode in set(modes):
            line = "--" if mode == "insufficient" else "-"
            yield mode, {"color": BOUND_COLOURS[mode], "linestyle": line, "label": name} | more


def table1_bars(rows: pd.DataFrame) -> Picture:
    """Largest epsilon against alpha, one line a bound, and the printed values.

    ``rows`` has columns ``alpha``, ``printed`` and one for each of the bounds.
    """
    fig, ax = panel((6.0, 4.2), "distance α that is allowed", "largest ε (log scale)", log="y")
    printed = {"markersize": 9, "zorder": 5, "label": "Table 1, as printed"}
    ax.plot(rows["alpha"], rows["printed"], "k*", **printed)
    words = []
    for mode, style in _styles(rows):
        ax.plot(rows["alpha"], rows[mode], marker=_MARKERS[mode], **style)
        words.append(f"{BOUND_NAMES[mode]} {ends(rows[mode], '.2g')}")
    legend(fig)
    return fig, (
        f"Largest epsilon against alpha from {ends(rows['alpha'], 'g')}, one rising line a bound:"
        f" {'; '.join(words)}."
    )


def promise_against_epsilon(table: pd.DataFrame, shares: Mapping[str, float]) -> Picture:
    """Smallest alpha that each bound promises against epsilon, a panel a share of the data set.

    Parameters
    ----------
    table : DataFrame
        Columns ``panel, mode, epsilon, alpha`` (NaN where the bound is vacuous).
    shares : mapping panel title -> share of the group
    """
    fig, axes = panels(
        (5.2, 2.6 * len(shares) + 0.8),
        (len(shares), 1),
        "ε (log scale)",
        "least α promised",
        titles=shares,
        log="xy",
        sharex=True,
        sharey=True,
    )
    words = []
    for ax, title in zip(axes.flat, shares, strict=True):
        part = table[table["panel"] == title]
        for mode, style in _styles(part["mode"]):
            own = part[part["mode"] == mode].dropna()
            ax.plot(own["epsilon"], own["alpha"], **style)
            if len(own):
                name, most = BOUND_NAMES[mode], own["epsilon"].max()
                words.append(f"{title}, {name}: up to epsilon {most:.2g}")
        ax.axhline(2, color="#777777", linewidth=0.8)
    legend(fig)
    return fig, (
        "Least alpha that each bound promises against epsilon, on logarithmic axes; a line"
        f" ends where the bound says nothing (alpha above 2). {'; '.join(words)}. A dashed line"
        " is what membership bits reach."
    )


def promise_against_n(table: pd.DataFrame, title: str) -> Picture:
    """Largest epsilon that each bound allows against the size of the data set.

    ``table`` has columns ``mode, n, epsilon``, NaN where no epsilon will do.
    """
    fig, ax = panel(
        (5.6, 3.8), "people in the data set, n (log scale)", "largest ε (log scale)", log="xy"
    )
    table, words = table.dropna(), []
    for mode, style in _styles(table["mode"], markevery=4):
        own = table[table["mode"] == mode]
        ax.plot(own["n"], own["epsilon"], marker=_MARKERS[mode], **style)
        start, last = own["n"].min(), own["epsilon"].iloc[-1]
        words.append(f"{BOUND_NAMES[mode]} from n = {start:,.0f}, reaching {last:.2g}")
    legend(fig)
    return fig, f"{title}: largest epsilon against n, logarithmic axes. {'; '.join(words)}."


def half_distances(
    distances: Mapping[str, Mapping[int, np.ndarray]], bounds: pd.DataFrame
) -> Picture:
    """Simulated W1 of two halves (95% quantile) against members of the group, under the bounds.

    Parameters
    ----------
    distances : mapping predictor -> {members: distances of shape (draws,)}
    bounds : DataFrame
        ``members`` and one column a bound, at p = 0.05.
    """
    fig, ax = panel(
        (5.6, 4.2), "members of the group (log scale)", "$W_1$ of the two halves", log="xy"
    )
    words = []
    for (name, by), marker in zip(distances.items(), "os^D", strict=False):
        level = pd.Series(by).sort_index().map(lambda draws: np.quantile(draws, 0.95))
        ax.plot(level, marker, color=DARK, label=f"simulated 95%: {name}")
        words.append(f"{name} {level.iloc[0]:.2f} to {level.iloc[-1]:.3f}")
    lines = bounds.set_index("members")
    for column, colour in zip(lines, (RED, BLUE, GREEN), strict=False):
        bound = lines[column][lines[column] <= 2]
        ax.plot(bound, color=colour, label=column)
        words.append(f"{column} {bound.iloc[0]:.2f} to {bound.iloc[-1]:.3f}")
    legend(fig)
    return fig, (
        f"W1 of two random halves against members of the group: {'; '.join(words)}. The points"
        " lie below the lines."
    )


def information(table: pd.DataFrame) -> Picture:
    """Max-information in nats against n, a panel an epsilon.

    ``table`` has columns ``epsilon, n`` and one for each curve.
    """
    levels = list(dict.fromkeys(table["epsilon"]))
    size, titles = (5.2, 2.5 * len(levels) + 0.9), [f"ε = {e:g}" for e in levels]
    fig, axes = panels(
        size,
        (len(levels), 1),
        "people in the data set, n (log scale)",
        "nats",
        titles=titles,
        log="xy",
        sharex=True,
    )
    styles: dict[str, Any] = {"color": (RED, BLUE, DARK, OLIVE), "linestyle": ("-", "-", "--", ":")}
    words = []
    for ax, epsilon in zip(axes.flat, levels, strict=True):
        curves = table[table["epsilon"] == epsilon].set_index("n").drop(columns="epsilon")
        for name, colour, style in zip(curves, *styles.values(), strict=False):
            ax.plot(curves[name], style, color=colour, label=name)
            last, n = curves[name].iloc[-1], curves.index[-1]
            words.append(f"epsilon {epsilon:g}, {name}: {last:.2f} at n = {n:,}")
        ax.minorticks_off()
    ticks(ax, table["n"], ",")
    legend(fig)
    return fig, (
        "Max-information against n on logarithmic axes, bounds above exact values."
        f" {'; '.join(words)}."
    )


def description_length(table: pd.DataFrame, n: int) -> Picture:
    """Smallest group that a bound on description length protects, against the exact counts.

    ``table`` has columns ``counts, alpha, size``.
    """
    fig, ax = panel(
        (5.6, 3.8), "exact counts published, k (log scale)", "smallest group protected", log="xy"
    )
    words = []
    for (alpha, own), colour in zip(table.groupby("alpha"), (RED, BLUE, GREEN), strict=False):
        ax.plot(own["counts"], own["size"], "o-", color=colour, label=f"α = {alpha:g}")
        words.append(f"alpha {alpha:g} from {ends(own['size'], ',.0f')}")
    ax.axhline(n, color="#777777", linestyle="--", linewidth=1, label="everyone")
    legend(fig)
    return fig, (
        f"Smallest group that is protected against the number of counts, n = {n:,}:"
        f" {'; '.join(words)}."
    )


def count_laws(reports: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> Picture:
    """Laws of the report from a half and from its complement, a panel a curator.

    ``reports`` maps the title of a panel to both laws.
    """
    fig, axes = panels(
        (5.2, 1.9 * len(reports) + 0.7),
        (len(reports), 1),
        "report",
        "probability",
        titles=reports,
        sharex=True,
    )
    words = []
    for ax, (title, (a, b)) in zip(axes.flat, reports.items(), strict=True):
        for law, colour, shift, name in (
            (a, RED, -0.2, "from the half"),
            (b, BLUE, 0.2, "from the rest"),
        ):
            (shown,) = np.nonzero(law > 1e-4)
            ax.bar(shown + shift, law[shown], width=0.4, color=colour, label=name)
        words.append(f"{title}: total variation {np.abs(a - b).sum() / 2:.2f}")
    legend(fig)
    return fig, (
        "Bars of the probability of each report, from the half and from the rest."
        f" {'; '.join(words)}."
    )


def binary_universe(table: pd.DataFrame) -> Picture:
    """Perfect generalisation against coherence for bits in the clear.

    ``table`` has columns ``n, unlike, mean, high``.
    """
    titles = ("reports of the two halves differ", "distance of the worst predictor")
    fig, axes = panels(
        (5.2, 5.2), (2, 1), "people, n (log scale)", titles=titles, log="x", sharex=True
    )
    above, below = axes.flat
    above.plot("n", "unlike", "o-", data=table, color=RED)
    above.set(ylabel="probability", ylim=(0, 1.05))
    below.plot("n", "high", "s--", data=table, color="#56B4E9", label="95% quantile over halves")
    below.plot("n", "mean", "o-", data=table, color=BLUE, label="mean")
    below.set(ylabel="$W_1$", yscale="log")
    below.legend()
    first, last = table.iloc[0], table.iloc[-1]
    return fig, (
        f"Two panels against n from {table['n'].min():,} to {table['n'].max():,}. Above: the"
        f" chance that the two halves' reports differ, rising to {last['unlike']:.3f}. Below:"
        f" mean W1 of the worst predictor, falling from {first['mean']:.2f} to"
        f" {last['mean']:.4f}."
    )


def lens_detail(table: pd.DataFrame) -> Picture:
    """Distance against the number of categories that the lens tells apart, a line a group.

    ``table`` has columns ``categories, group, mean, low, high``.
    """
    fig, ax = panel(
        (5.2, 3.4), "categories that the lens tells apart (log scale)", "$W_1$", log="x"
    )
    words = []
    for (group, own), colour, marker in zip(
        table.groupby("group", sort=False), (RED, BLUE), "os", strict=True
    ):
        curve(ax, own, "categories", color=colour, marker=marker, label=group)
        words.append(f"{group} from {ends(own['mean'])}")
    ax.set_ylim(bottom=0)
    legend(fig)
    return fig, (
        f"W1 distance against the number of categories, a rising line a group: {'; '.join(words)}."
    )
