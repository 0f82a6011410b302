"""Figures of the protocols themselves: channels, estimation error, where each is best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from lib.ldp import PROTOCOLS, make
from lib.plotting.lines import simulated
from lib.plotting.panels import Picture, panel, panels, protocol_legend, ticks
from lib.plotting.style import COLOURS, MARKERS

SS_IS_GRR = "SS with ω = 1, which is GRR"
_BUDGET = "budget ε of the attribute (log scale)"


def support_channels(k: int, epsilon: float) -> Picture:
    """Exact probabilities that a report of ``v`` supports ``v'``: a heat map for each protocol."""
    fig, axes = panels((6.6, 3.9), (2, 4), xticks=[], yticks=[])
    parts = []
    for ax, name in zip(axes.flat, PROTOCOLS, strict=False):
        mechanism = make(name, k=k, epsilon=epsilon)
        p, q = mechanism.p_star, mechanism.q_star
        image = ax.imshow(mechanism.support_channel(), vmin=0, vmax=1, cmap="cividis")
        ax.set_title(f"{name}\np* {p:.2f}, q* {q:.2f}", fontsize=8.5)
        ax.grid(False)
        parts.append(f"{name} {p:.2f} against {q:.2f}")
    last = axes.flat[-1]
    last.axis("off")
    bar = last.inset_axes([0.12, 0, 0.16, 1])  # axes of its own would widen the column
    fig.colorbar(image, cax=bar, label="Pr[v' ∈ S(z) | v]")
    fig.supxlabel("v', whose support is checked", fontsize=10)
    fig.supylabel("v, the value held", fontsize=10)
    return fig, (
        f"Seven {k} by {k} heat maps at epsilon {epsilon:g}. Each has one value on the diagonal"
        f" (the own value is supported) and one off it: {', '.join(parts)}."
    )


def report_channel(name: str, k: int, epsilon: float) -> Picture:
    """The exact channel from values to whole reports, sorted by how often value 0 sends them."""
    # at large budgets probabilities round to 0, their logarithms do not
    logs = make(name, k=k, epsilon=epsilon).log_channel()
    logs = logs[:, np.argsort(-logs[0], kind="stable")]
    reports = logs.shape[1]
    fig, ax = panel((6.4, 2.2), f"report ({reports} of them)", "value")
    image = ax.imshow(np.exp(logs), aspect="auto", cmap="cividis")
    ax.grid(False)
    fig.colorbar(image, ax=ax, label="probability")
    return fig, (
        f"Heat map of the exact channel of {name}, {k} values by {reports} reports at"
        f" epsilon {epsilon:g}. The largest log ratio inside a column is"
        f" {np.ptp(logs, axis=0).max():.4f}."
    )


def estimation_error(table: pd.DataFrame) -> Picture:
    """Simulated error of frequency estimates, points with 95% intervals on the exact curve.

    ``table`` has columns ``protocol, epsilon, rmse, low, high, theory``.
    """
    fig, ax = panel((6.4, 4.0), _BUDGET, "error of a frequency (RMSE, log scale)", log="xy")
    for name, rows in table.groupby("protocol"):
        style = {"color": COLOURS[name], "marker": MARKERS[name]}
        simulated(ax, rows.sort_values("epsilon"), "epsilon", "theory", **style)
    ticks(ax, table["epsilon"])
    protocol_legend(fig, table["protocol"])
    worst = (table["rmse"] / table["theory"] - 1).abs().max()
    return fig, (
        "Root mean square error of estimated frequencies against epsilon on log axes; points of"
        f" the simulation lie on the exact curves, the largest relative distance is {worst:.1%}."
    )


def variance_curves(k: int, epsilons: Sequence[float]) -> Picture:
    """Standard deviation times sqrt(n) of an estimated rare frequency, exact, against epsilon."""
    fig, ax = panel((6.4, 3.8), _BUDGET, "√n · standard deviation (log scale)", log="xy")
    at_end = {}
    for name in PROTOCOLS:
        sd = [np.sqrt(make(name, k=k, epsilon=e).variance(1)) for e in epsilons]
        ax.plot(epsilons, sd, color=COLOURS[name], marker=MARKERS[name], markevery=6, markersize=4)
        at_end[name] = sd[-1]
    protocol_legend(fig, PROTOCOLS)
    best = [n for n in at_end if at_end[n] <= min(at_end.values()) * (1 + 1e-9)]
    return fig, (
        f"Exact standard deviation of a rare value's estimated frequency for k = {k} on log axes,"
        " falling in epsilon for every protocol; at epsilon"
        f" {epsilons[-1]:g} {' and '.join(best)} {'is' if len(best) == 1 else 'are'} lowest and"
        f" {max(at_end, key=at_end.__getitem__)} highest."
    )


def least_variance(table: pd.DataFrame) -> pd.Series:
    """The protocol of least variance in each row, by name.

    It is :data:`SS_IS_GRR` where SS has a subset of one value.

    Parameters
    ----------
    table : DataFrame
        A column of variances for each protocol, and ``omega``, the size of the subset that SS
        reports.
    """
    variance = table[list(PROTOCOLS)]
    near = variance.le(variance.min(axis=1) * (1 + 1e-9), axis=0)  # a tie is no matter of rounding
    best = near.idxmax(axis=1).mask(near["SS"], "SS")
    return best.mask(near["SS"] & near["GRR"] & (table["omega"] == 1), SS_IS_GRR)


def best_map(table: pd.DataFrame) -> Picture:
    """Which protocol has the least variance, by k and epsilon.

    ``table`` is that of :func:`least_variance` with ``k`` and ``epsilon``, every pair of them once.
    """
    best = least_variance(table)
    colours = COLOURS | {SS_IS_GRR: COLOURS["GRR"]}
    used = [name for name in colours if (best == name).any()]
    cells = table.assign(best=best.map(used.index)).pivot(
        index="k", columns="epsilon", values="best"
    )
    ks, epsilons = cells.index, cells.columns
    limits: dict[str, Any] = {"ylim": (ks.min(), ks.max()), "log": "xy"}
    fig, ax = panel((6.4, 3.8), _BUDGET, "domain size k (log scale)", **limits)
    colour = {"cmap": ListedColormap([colours[n] for n in used]), "vmin": -0.5}
    ax.pcolormesh(epsilons, ks, cells, **colour, vmax=len(used) - 0.5, shading="nearest")
    ax.grid(False)
    patches = [Patch(color=colours[n], label=n) for n in used]
    fig.legend(handles=patches, loc="outside upper center", ncols=4)
    shares = best.value_counts(normalize=True)
    listed = "; ".join(f"{n} at {share:.0%} of the points" for n, share in shares.items())
    alt = (
        f"Map of the protocol with the least variance over k from {ks.min()} to {ks.max()} and"
        f" epsilon from {epsilons.min():g} to {epsilons.max():g}: {listed}."
    )
    if SS_IS_GRR in used:
        alt += " The part where SS is GRR has the small domains and the large budgets."
    return fig, alt
