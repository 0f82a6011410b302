"""Figures about the protocols themselves: channels, estimation error, where each is best, what a
split buys.
"""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from lib.ldp import PROTOCOLS, make
from lib.plotting.style import COLOURS, MARKERS, protocol_legend

__all__ = [
    "support_channels",
    "report_channel",
    "estimation_error",
    "variance_curves",
    "SS_IS_GRR",
    "least_variance",
    "best_map",
    "split_bars",
    "testing_region",
]

SS_IS_GRR = "SS with ω = 1, which is GRR"


def support_channels(k: int, epsilon: float) -> tuple[Figure, str]:
    """The exact probability that a report of ``v`` supports ``v'``, for all seven protocols on
    one scale.
    """
    fig, axes = plt.subplots(2, 4, figsize=(6.6, 3.9))
    parts = []
    for ax, name in zip(axes.flat, PROTOCOLS, strict=False):
        mechanism = make(name, k=k, epsilon=epsilon)
        image = ax.imshow(mechanism.support_channel(), vmin=0, vmax=1, cmap="cividis")
        ax.set_title(f"{name}\np* {mechanism.p_star:.2f}, q* {mechanism.q_star:.2f}", fontsize=8.5)
        ax.set_xticks([])
        ax.set_yticks([])
        ax.grid(False)
        parts.append(f"{name} {mechanism.p_star:.2f} against {mechanism.q_star:.2f}")
    axes.flat[-1].axis("off")
    bar = axes.flat[-1].inset_axes(
        [0.12, 0, 0.16, 1]
    )  # a colour bar of its own axes would widen the column
    fig.colorbar(image, cax=bar, label="Pr[v' ∈ S(z) | v]")
    fig.supxlabel("v', whose support is checked", fontsize=10)
    fig.supylabel("v, the value held", fontsize=10)
    alt = (
        f"Seven {k} by {k} heat maps at epsilon {epsilon:g}. Each has one value on the diagonal"
        " (the own value is supported) and one off it: " + ", ".join(parts) + "."
    )
    return fig, alt


def report_channel(name: str, k: int, epsilon: float) -> tuple[Figure, str]:
    """The exact channel from values to whole reports, reports sorted by how often value 0 sends
    them.
    """
    logs = make(
        name, k=k, epsilon=epsilon
    ).log_channel()  # at large budgets probabilities round to 0, their logarithms do not
    channel, order = np.exp(logs), np.argsort(-logs[0], kind="stable")
    fig, ax = plt.subplots(figsize=(6.4, 2.2))
    image = ax.imshow(channel[:, order], aspect="auto", cmap="cividis")
    ax.set_xlabel(f"report ({channel.shape[1]} of them)")
    ax.set_ylabel("value")
    ax.grid(False)
    fig.colorbar(image, ax=ax, label="probability")
    ratio = np.ptp(logs, axis=0).max()
    alt = (
        f"Heat map of the exact channel of {name}, {k} values by {channel.shape[1]} reports at"
        f" epsilon {epsilon:g}. The largest log ratio inside a column is {ratio:.4f}."
    )
    return fig, alt


def estimation_error(table: pd.DataFrame) -> tuple[Figure, str]:
    """Simulated root mean square error of frequency estimates (points with 95% intervals) on the
    exact curve.

    ``table`` has columns ``protocol, epsilon, rmse, low, high, theory``.
    """
    fig, ax = plt.subplots(figsize=(6.4, 4.0))
    for name, rows in table.groupby("protocol"):
        rows = rows.sort_values("epsilon")
        ax.plot(rows["epsilon"], rows["theory"], color=COLOURS[name], linewidth=1)
        error = [rows["rmse"] - rows["low"], rows["high"] - rows["rmse"]]
        ax.errorbar(
            rows["epsilon"],
            rows["rmse"],
            error,
            color=COLOURS[name],
            marker=MARKERS[name],
            linestyle="",
            markersize=4,
        )
    ax.set_xscale("log")
    ax.set_yscale("log")
    ticks = sorted(table["epsilon"].unique())
    ax.set_xticks(ticks, [f"{t:g}" for t in ticks])
    ax.set_xticks([], minor=True)
    ax.set_xlabel("budget ε of the attribute (log scale)")
    ax.set_ylabel("error of a frequency (RMSE, log scale)")
    protocol_legend(fig, table["protocol"])
    worst = (table["rmse"] / table["theory"] - 1).abs().max()
    alt = (
        "Root mean square error of estimated frequencies against epsilon on log axes; points of"
        f" the simulation lie on the exact curves, the largest relative distance is {worst:.1%}."
    )
    return fig, alt


def variance_curves(k: int, epsilons: Sequence[float]) -> tuple[Figure, str]:
    """Standard deviation times sqrt(n) of an estimated rare frequency, exact, against epsilon."""
    fig, ax = plt.subplots(figsize=(6.4, 3.8))
    at_end = {}
    for name in PROTOCOLS:
        sd = [np.sqrt(make(name, k=k, epsilon=e).variance(1)) for e in epsilons]
        ax.plot(epsilons, sd, color=COLOURS[name])
        ax.plot(
            epsilons[::6],
            sd[::6],
            color=COLOURS[name],
            marker=MARKERS[name],
            linestyle="",
            markersize=4,
        )
        at_end[name] = sd[-1]
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("budget ε of the attribute (log scale)")
    ax.set_ylabel("√n · standard deviation (log scale)")
    protocol_legend(fig, PROTOCOLS)
    best, worst = (
        [n for n in at_end if at_end[n] <= min(at_end.values()) * (1 + 1e-9)],
        max(at_end, key=at_end.get),
    )
    alt = (
        f"Exact standard deviation of a rare value's estimated frequency for k = {k} on log axes,"
        " falling in epsilon for every protocol; at epsilon"
        f" {epsilons[-1]:g} {' and '.join(best)} {'is' if len(best) == 1 else 'are'} lowest and"
        f" {worst} highest."
    )
    return fig, alt


def least_variance(table: pd.DataFrame) -> pd.Series:
    """The protocol of least variance in each row, by name; :data:`SS_IS_GRR` where it is SS with a
    subset of one value.

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


def best_map(table: pd.DataFrame) -> tuple[Figure, str]:
    """Which protocol has the least variance, by k and epsilon.

    ``table`` is that of :func:`least_variance` with ``k`` and ``epsilon``, every pair of them once.
    """
    best = least_variance(table).to_frame("best").assign(k=table["k"], epsilon=table["epsilon"])
    colours = COLOURS | {SS_IS_GRR: COLOURS["GRR"]}
    used = [n for n in (*PROTOCOLS, SS_IS_GRR) if (best["best"] == n).any()]
    cells = best.pivot(index="k", columns="epsilon", values="best").map(used.index)
    ks, epsilons = cells.index.to_numpy(), cells.columns.to_numpy()
    fig, ax = plt.subplots(figsize=(6.4, 3.8))
    ax.pcolormesh(
        epsilons,
        ks,
        cells.to_numpy(),
        cmap=ListedColormap([colours[n] for n in used]),
        vmin=-0.5,
        vmax=len(used) - 0.5,
        shading="nearest",
    )
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_ylim(ks.min(), ks.max())
    ax.grid(False)
    ax.set_xlabel("budget ε of the attribute (log scale)")
    ax.set_ylabel("domain size k (log scale)")
    shares = best["best"].value_counts(normalize=True)
    fig.legend(
        handles=[Patch(color=colours[n], label=n) for n in used],
        loc="outside upper center",
        ncols=4,
    )
    listed = "; ".join(f"{n} at {shares[n]:.0%} of the points" for n in shares.index)
    alt = (
        f"Map of the protocol with the least variance over k from {ks.min()} to {ks.max()} and"
        f" epsilon from {epsilons.min():g} to {epsilons.max():g}: {listed}."
    )
    if SS_IS_GRR in used:
        alt += " The part where SS is GRR has the small domains and the large budgets."
    return fig, alt


def split_bars(shares: pd.DataFrame, title: str) -> tuple[Figure, str]:
    """Share of the budget that each attribute gets under each split; ``shares`` has attributes
    as rows.
    """
    fig, ax = plt.subplots(figsize=(6.2, 0.9 + 0.55 * len(shares)))
    y = np.arange(len(shares))
    for i, (split, hatch) in enumerate((("uniform", ""), ("k-based", "//"))):
        bars = ax.barh(
            y + 0.2 - 0.4 * i,
            shares[split],
            height=0.36,
            color=("#0072B2", "#E69F00")[i],
            hatch=hatch,
            label=split,
        )
        ax.bar_label(bars, [f"{s:.1%}" for s in shares[split]], padding=3, fontsize=8)
    ax.set_yticks(y, [f"{a} (k = {k})" for a, k in zip(shares.index, shares["k"], strict=True)])
    ax.invert_yaxis()
    ax.set_xlim(0, 1)
    ax.set_xlabel("share of ε")
    ax.set_title(title)
    ax.legend(loc="lower right")
    listed = "; ".join(
        f"{a}: {r['uniform']:.1%} and {r['k-based']:.1%}" for a, r in shares.iterrows()
    )
    return (
        fig,
        f"Bars of the share of the budget by attribute for {title}, uniform and k-based: {listed}.",
    )


def testing_region(epsilons: Sequence[float]) -> tuple[Figure, str]:
    """What a test of one person's value can reach: true against false positive rate under
    epsilon-LDP.
    """
    fig, ax = plt.subplots(figsize=(4.6, 4.0))
    for epsilon, style in zip(
        epsilons, ("-", "--", "-.", ":", (0, (1, 1)), (0, (5, 1))), strict=False
    ):
        fpr = np.linspace(0, 1, 400)
        power = np.minimum(np.exp(epsilon) * fpr, 1 - np.exp(-epsilon) * (1 - fpr))
        ax.plot(
            fpr, np.minimum(power, 1), linestyle=style, color="#0072B2", label=f"ε = {epsilon:g}"
        )
    ax.plot([0, 1], [0, 1], color="#555555", linewidth=0.8)
    ax.set_xlabel("false positive rate of the test")
    ax.set_ylabel("largest true positive rate")
    ax.legend(loc="lower right")
    at = {e: min(np.exp(e) * 0.05, 1 - np.exp(-e) * 0.95) for e in epsilons}
    listed = ", ".join(f"{p:.0%} at epsilon {e:g}" for e, p in at.items())
    return (
        fig,
        (
            "Bounds on the power of any test of one person's value, rising with epsilon: at a"
            f" false positive rate of 5% it is {listed}."
        ),
    )
