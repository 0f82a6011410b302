"""Figures of the foundations: the price of local noise, tests of one person's value, the
thresholds that fairness metrics call fair, and what a budget rho is worth in epsilon.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap

from lib.plotting.panels import Picture, ends, epsilon_axis, note, panel, simulated
from lib.plotting.style import BLUE, DARK, GREY, RED, REFERENCE


def survey_error(price: pd.DataFrame, honest: float) -> Picture:
    """Error of an estimated share against the budget, beside that of ``honest`` answers.

    Both are whole errors: of the choice of the people and, above ``honest``, of their coins.
    ``price`` has columns ``epsilon, rmse, low, high, exact``.
    """
    fig, ax = panel((6.0, 3.8), "budget ε (log scale)", "error of the share (log scale)", log="y")
    simulated(ax, price, "epsilon", color=BLUE, marker="o")
    ax.axhline(honest, **REFERENCE)
    first, last = price.iloc[0], price.iloc[-1]
    note(ax, "randomised answers", (first.epsilon, first.exact), (14, 4), color=BLUE)
    note(ax, "honest answers", (first.epsilon, honest), (0, 5))
    epsilon_axis(ax, price["epsilon"])
    return fig, (
        f"Error of the estimated share against epsilon on log axes. It falls from {first.exact:.3f}"
        f" at epsilon {first.epsilon:g} to {last.exact:.4f} at epsilon {last.epsilon:g}; simulated"
        f" points lie near the exact curve. A horizontal line at {honest:.4f} is the error of"
        " honest answers, which the curve approaches from above."
    )


def settling(heard: np.ndarray, estimate: np.ndarray, share: float, error: np.ndarray) -> Picture:
    """An estimated share as one person after another answers; arrays of shape (people,).

    ``error`` is the standard error after so many answers, of the choice of people and of coins.
    """
    from_ten = slice(9, None)  # fewer people say nothing that fits a picture
    x, low, high = heard[from_ten], share - 1.96 * error, share + 1.96 * error
    labels = "people who have answered (log scale)", "estimated share of yes"
    fig, ax = panel((5.6, 3.4), *labels, log="x", ylim=(-0.5, 0.9))
    ax.fill_between(x, low[from_ten], high[from_ten], color=BLUE, alpha=0.15, linewidth=0)
    ax.axhline(share, **REFERENCE)
    ax.plot(x, estimate[from_ten], color=BLUE)
    ax.yaxis.set_major_formatter("{x:.1f}")
    note(ax, "the truth", (x[-1], share), (-2, 6), ha="right")
    return fig, (
        f"The estimate against the number of people, on a logarithmic axis. It wanders from"
        f" {estimate[9]:.2f} after ten people to {estimate[-1]:.2f} after {heard[-1]:,}; the truth"
        f" is {share:g}, and the band of 95% narrows from {1.96 * error[9]:.2f} to"
        f" {1.96 * error[-1]:.2f} on either side."
    )


def every_test(tests: Mapping[str, np.ndarray], epsilon: float) -> Picture:
    """All tests between two values that reports allow, inside the region of epsilon-LDP.

    ``tests`` maps protocols to rows of a false and a true positive rate; GRR is in colour.
    """
    fig, ax = panel((5.6, 5.0), "false positive rate of the test", "true positive rate")
    fpr = np.linspace(0, 1, 600)
    power = np.minimum(np.exp(epsilon) * fpr, 1 - np.exp(-epsilon) * (1 - fpr))
    ax.fill_between(fpr, 1 - power[::-1], power, color=GREY, alpha=0.15, linewidth=0)
    ax.plot(fpr, fpr, color=GREY, linewidth=0.8)
    for (name, rates), marker in zip(tests.items(), "Dsov^", strict=False):
        colour, size, alpha = (RED, 7, 1) if name == "GRR" else (GREY, 4, 0.6)
        places = np.unique(rates.round(6), axis=0).T
        ax.plot(*places, marker, color=colour, markersize=size, alpha=alpha, label=name)
    ax.legend(loc="lower right")
    corner = np.exp(epsilon) / (1 + np.exp(epsilon))
    note(ax, "randomised response", (1 - corner, corner), (0, 12), color=RED, ha="center")
    return fig, (
        "True against false positive rate of every test on one report at epsilon"
        f" {epsilon:g} ({', '.join(f'{len(r):,} tests of {n}' for n, r in tests.items())}). All"
        " points lie in the region around the diagonal that epsilon allows; randomised response"
        f" reaches its corner at ({1 - corner:.2f}, {corner:.2f})."
    )


def metric_thresholds(
    grid: np.ndarray, gaps: Mapping[str, np.ndarray], fair: Mapping[str, float]
) -> Picture:
    """Gap of each metric against the threshold of group 0, and the threshold where it is 0."""
    fig, ax = panel((4.6, 3.4), "threshold for group 0", "group 1 minus group 0", xlim=(0, 2.3))
    ax.axhline(0, color=GREY, linewidth=0.8)
    for (name, values), colour in zip(gaps.items(), (BLUE, RED, GREY), strict=True):
        ax.plot(grid, values, color=colour)
        ax.plot(fair[name], 0, "o", color=colour)
        note(ax, name, (grid[-1], values[-1]), (4, -3), color=colour)
    listed = ", ".join(f"{name} at {at:.2f}" for name, at in fair.items())
    return fig, (
        "SPD, EOD and OAD against the threshold that is used for group 0 while that of group 1 is"
        f" fixed. The curves cross zero at different thresholds: {listed}."
    )


def many_looks(looks: np.ndarray, added: np.ndarray, through: float) -> Picture:
    """Total epsilon of many looks, against their number: added up, and by the route through rho."""
    fig, ax = panel((4.6, 3.2), "number of looks (log scale)", "total ε (log scale)", log="xy")
    ax.plot(looks, added, color=RED)
    ax.axhline(through, color=BLUE)
    note(ax, "added up", (looks[-1], added[-1]), (-18, -4), color=RED, ha="right")
    note(ax, "through ρ", (looks[-1], through), (0, -14), color=BLUE, ha="right")
    return fig, (
        f"Total epsilon against the number of looks, on logarithmic axes. Added up it rises from"
        f" {ends(added, '.3g')}; through rho it is {through:.3g} for any number of looks."
    )


def routes(table: pd.DataFrame, delta: float) -> Picture:
    """Epsilon by each conversion over that of one Gaussian look, against rho.

    ``table`` has columns ``rho, exact for a Gaussian, standard, tight, as printed``.
    """
    exact, rho = table["exact for a Gaussian"], table["rho"]
    fig, ax = panel((4.6, 3.4), "budget ρ (log scale)", "stated ε, times the exact one", log="x")
    words = []  # a name stands at the first or at the last point of its line
    for name, at, beside in (
        ("standard", -1, (4, 12)),
        ("tight", 0, (4, 4)),
        ("as printed", -1, (-22, 0)),
    ):
        ratio, colour = table[name] / exact, RED if name == "as printed" else GREY
        ax.plot(rho, ratio, color=colour)
        side = "right" if at else "left"
        note(ax, name, (rho.iloc[at], ratio.iloc[at]), beside, color=colour, ha=side)
        words.append(f"{name} {ends(ratio)}")
    ax.axhline(1, **REFERENCE)
    low = ax.get_ylim()[0]
    ax.axhspan(low, 1, color=RED, alpha=0.1, linewidth=0)
    ax.set_ylim(bottom=low)
    note(ax, "promises too much", (rho.iloc[0], (1 + low) / 2), (4, -4), color=RED)
    return fig, (
        f"Epsilon of each conversion over that of one Gaussian look at delta {delta:g}, for rho"
        f" from {ends(rho, 'g')}: {'; '.join(words)}. Below 1 a conversion promises too much."
    )


def errors_of_counts(errors: pd.DataFrame, good: float) -> Picture:
    """By how much of itself a published count may be off: a tile for each size of a group (the
    columns) and budget (the rows), blue where that is at most ``good``.
    """
    fig, ax = panel((6.0, 3.2), "people in the group", "budget ε")
    ax.imshow(errors > good, cmap=ListedColormap([BLUE, "#eef2f5"]), aspect="auto", vmin=0, vmax=1)
    for (row, column), error in np.ndenumerate(errors.to_numpy()):
        words = f"{error:.0%}" if error >= 0.0995 else f"{100 * error:.1g}%"
        words = "over 100%" if error > 1 else "under 0.1%" if error < 1e-3 else words
        ink = "white" if error <= good else DARK
        ax.text(column, row, words, ha="center", va="center", color=ink, fontsize=9)
    ax.set_xticks(range(errors.shape[1]), [f"{size:,}" for size in errors.columns])
    ax.set_yticks(range(len(errors)), [f"{epsilon:g}" for epsilon in errors.index])
    ax.tick_params(length=0)
    ax.grid(visible=False)
    least = [
        f"at epsilon {e:g} from {row.index[row <= good].min():,} people"
        for e, row in errors.iterrows()
        if (row <= good).any()
    ]
    return fig, f"A count is within {good:.0%} of itself {', '.join(least)}."
