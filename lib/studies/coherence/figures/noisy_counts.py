"""Figures of noisy counts: the bounds against simulation and against a real release."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from lib.plotting.lines import curve, ends
from lib.plotting.panels import Picture, legend, panel, panels
from lib.plotting.style import BOUND_NAMES, GREEN, IN, NULL, OUT, PINK, SERIES

_OURS, _PAPER = {"color": GREEN}, {"color": "#222222", "linestyle": "--"}
_BOUNDS = {"theorem7": _PAPER, "tightened": _OURS}
_ATTACKERS = {"informed": (IN, "o"), "counts": (OUT, "s"), "forest": (PINK, "^")}


def tails(rows: pd.DataFrame, title: str) -> Picture:
    """Probability of exceeding alpha, simulated, and the bounds on it; one panel a group size.

    Parameters
    ----------
    rows : DataFrame
        Columns ``members``, ``alpha``, ``simulated``, ``paper``, ``ours``.
    """
    rows = rows.assign(**rows[["paper", "ours"]].clip(upper=1))
    sizes = list(dict.fromkeys(rows["members"]))
    size, shape = (2.4 * len(sizes), 2.9), (1, len(sizes))
    fig, axes = panels(
        size,
        shape,
        "α",
        "Pr[$W_1$ > α]",
        ylim=(1e-5, 2),
        titles=[f"{size:,} members" for size in sizes],
        log="y",
        sharey=True,
    )
    for ax, members in zip(axes.flat, sizes, strict=True):
        own = rows[rows["members"] == members].set_index("alpha")
        seen = own["simulated"][own["simulated"] > 0]
        ax.plot(seen, ".-", color=IN, label="simulated")
        ax.plot(own["paper"], **_PAPER, label="paper")
        ax.plot(own["ours"], **_OURS, label="tightened (ours)")
    legend(fig, ncols=3)
    lower = rows["simulated"] <= rows[["ours", "paper"]].min(axis=1)
    below = lower.groupby(rows["members"]).mean()
    words = "; ".join(f"{size:,} members, {below[size]:.0%}" for size in sizes)
    return fig, (
        f"{title}. Simulated points at or below both bounds: {words}. Ours is at or below the"
        f" paper's at {(rows['ours'] <= rows['paper']).mean():.0%} of the points."
    )


def _above(rows: pd.DataFrame, bounds: pd.DataFrame) -> str:
    """How many measured means each bound lies above, interpolated on logarithmic axes.

    Only means inside the range where the bound says something count.
    """
    words = []
    for mode in _BOUNDS:
        own = bounds[bounds["mode"] == mode].dropna(subset=["alpha"]).sort_values("epsilon")
        if own.empty:
            words.append(f"{BOUND_NAMES[mode]} says nothing")
            continue
        x, y = np.log(own["epsilon"]), np.log(own["alpha"])
        near = rows[np.log(rows["epsilon"]).between(x.min() - 1e-9, x.max() + 1e-9)]
        bound = np.exp(np.interp(np.log(near["epsilon"]), x, y))
        words.append(
            f"{BOUND_NAMES[mode]} lies above {int((near['mean'] < bound).sum())} of the"
            f" {len(near)} means where it says something"
        )
    return "; ".join(words)


def release_against_epsilon(rows: pd.DataFrame, bounds: pd.DataFrame, group: str) -> Picture:
    """Measured distances of a release against epsilon, with the bounds; one panel a release.

    Parameters
    ----------
    rows : DataFrame
        One row a ``release``, ``reader`` and ``epsilon``: ``mean`` with its interval ``low`` to
        ``high``, ``q95``, ``null``.
    bounds : DataFrame
        ``epsilon``, ``mode`` ("theorem7" or "tightened") and ``alpha``, NaN where the bound says
        nothing.
    """
    names = list(dict.fromkeys(rows["release"]))
    epsilons = sorted(rows["epsilon"].unique())
    finite = [e for e in epsilons if math.isfinite(e)]
    rows = rows.assign(place=rows["epsilon"].replace(math.inf, 4 * finite[-1]))
    fig, axes = panels(
        (2.5 * len(names), 3.2),
        (1, len(names)),
        "ε",
        "$W_1$ distance (log scale)",
        ylim=(8e-4, 3),
        titles=names,
        log="xy",
        sharey=True,
    )
    words = []
    for ax, name in zip(axes.flat, names, strict=True):
        own = rows[rows["release"] == name].sort_values("epsilon")
        for attacker, (colour, marker) in _ATTACKERS.items():
            part = own[own["reader"] == attacker]
            if len(part):
                curve(ax, part, "place", color=colour, marker=marker, label=attacker)
        informed = own[own["reader"] == "informed"].set_index("place")
        ax.plot(informed["q95"], ":", color=IN, linewidth=0.8, label="informed, 95% quantile")
        ax.plot(informed["null"], color=NULL, linewidth=1, label="sampling alone")
        words.append(f"{name}: informed from {ends(informed['mean'], '.3f')}")
        for mode, style in _BOUNDS.items():
            bound = bounds[bounds["mode"] == mode].sort_values("epsilon").dropna(subset=["alpha"])
            ax.plot(bound["epsilon"], bound["alpha"], **style, label=BOUND_NAMES[mode])
        places = sorted(rows["place"].unique())
        texts = ["exact" if math.isinf(e) else f"{e:g}" for e in epsilons]
        ax.set_xticks(places[::2], texts[::2], fontsize=7)
        ax.set_xticks([], minor=True)
    legend(fig, ncols=3)
    return fig, (
        f"W1 of the group {group} against epsilon. {'; '.join(words)}. {_above(rows, bounds)}."
    )


def bound_against_n(rows: pd.DataFrame) -> Picture:
    """The alpha that is guaranteed against n, one colour an epsilon; dashed the paper's."""
    fig, ax = panel(
        (6.2, 3.4), "people in the data set (log scale)", "guaranteed α", log="x", ylim=(0, 2.05)
    )
    words = []
    for (epsilon, part), colour in zip(rows.groupby("epsilon"), SERIES, strict=False):
        curves = part.pivot(index="n", columns="mode", values="alpha")
        curves = curves.reindex(columns=[*_BOUNDS])
        ax.plot(curves["theorem7"], "--", color=colour)
        ax.plot(curves["tightened"], color=colour, label=f"ε = {epsilon:g}")
        last = curves.ffill().iloc[-1]
        words.append(
            f"epsilon {epsilon:g}: {last['tightened']:.2f} (ours), {last['theorem7']:.2f} (paper)"
            " at the largest n"
        )
    legend(fig, ncols=4)
    return fig, f"Guaranteed alpha against n. {'; '.join(words)}."
