"""Figures of the primer: tests of one person's value, the price of local noise, repeated
questions, metrics of fairness.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lib.plotting.lines import ends, simulated
from lib.plotting.panels import Picture, epsilon_axis, panel
from lib.plotting.style import BLUE, COLOURS, GREEN, GREY, MARKERS, RED, REFERENCE

_STYLES = ("-", "--", "-.", ":", (0, (1, 1)), (0, (5, 1)))


def _power(fpr: np.ndarray | float, epsilon: float) -> np.ndarray | float:
    """Largest true positive rate of a test at a false positive rate, under epsilon-LDP."""
    return np.minimum(np.exp(epsilon) * fpr, 1 - np.exp(-epsilon) * (1 - fpr))


def _rates(size: tuple[float, float], ylabel: str) -> tuple[Figure, Axes, np.ndarray]:
    """A panel of true against false positive rates with its diagonal, and places across."""
    fig, ax = panel(size, "false positive rate of the test", ylabel)
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8)
    return fig, ax, np.linspace(0, 1, 600)


def testing_region(epsilons: Sequence[float]) -> Picture:
    """Largest true positive rate of a test of one person's value, against its false positive rate.

    One curve for each of ``epsilons``.
    """
    fig, ax, fpr = _rates((4.6, 4.0), "largest true positive rate")
    for epsilon, style in zip(epsilons, _STYLES, strict=False):
        label = f"ε = {epsilon:g}"
        ax.plot(fpr, _power(fpr, epsilon), linestyle=style, color=BLUE, label=label)
    ax.legend(loc="lower right")
    listed = ", ".join(f"{_power(0.05, e):.0%} at epsilon {e:g}" for e in epsilons)
    return fig, (
        "Bounds on the power of any test of one person's value, rising with epsilon: at a"
        f" false positive rate of 5% it is {listed}."
    )


def every_test(points: pd.DataFrame, epsilon: float) -> Picture:
    """All tests between two values that reports allow, inside the region of epsilon-LDP.

    ``points`` has columns ``protocol, fpr, tpr``.
    """
    fig, ax, x = _rates((4.8, 4.4), "true positive rate")
    region = {"color": GREY, "alpha": 0.15, "linewidth": 0, "label": f"allowed by ε = {epsilon:g}"}
    ax.fill_between(x, 1 - _power(1 - x, epsilon), _power(x, epsilon), **region)
    counted = []
    for name, rows in points.groupby("protocol", sort=False):
        style = {"color": COLOURS[name], "markersize": 4 if len(rows) < 1000 else 2, "alpha": 0.7}
        ax.plot(rows["fpr"], rows["tpr"], MARKERS[name], **style, label=name)
        counted.append(f"{len(rows):,} points of {name}")
    ax.legend(loc="lower right")
    corner = np.exp(epsilon) / (1 + np.exp(epsilon))
    return fig, (
        "True against false positive rate of every test on one report at epsilon"
        f" {epsilon:g} ({', '.join(counted)}). All points lie in the lens-shaped region around the"
        " diagonal that epsilon allows; randomised response reaches its corner at"
        f" ({1 - corner:.2f}, {corner:.2f})."
    )


def survey_error(price: pd.DataFrame) -> Picture:
    """Error of an estimated share against the budget, randomised and in a plain survey.

    ``price`` has columns ``epsilon, rmse, low, high, exact, plain``.
    """
    fig, ax = panel((5.0, 3.4), "budget ε (log scale)", "error (RMSE, log scale)", log="y")
    ax.plot("epsilon", "exact", data=price, color=BLUE, label="randomised, exact")
    simulated(ax, price, "epsilon", color=BLUE, marker="o", label="simulated, 95% interval")
    first, last = price.iloc[0], price.iloc[-1]
    ax.axhline(first.plain, **REFERENCE, label="sampling error of a plain survey")
    epsilon_axis(ax, price["epsilon"])
    ax.legend()
    return fig, (
        "Error of the estimated share against epsilon on log axes. It falls from"
        f" {first.exact:.3f} at epsilon {first.epsilon:g} to {last.exact:.5f} at epsilon"
        f" {last.epsilon:g}; simulated points lie on the exact curve. A plain survey's sampling"
        f" error, {first.plain:.4f}, is a horizontal line."
    )


def trust_models(table: pd.DataFrame, epsilon: float) -> Picture:
    """Error of a share against the number of people, local and central.

    ``table`` has columns ``model, n, rmse, low, high, exact``.
    """
    fig, ax = panel((5.0, 3.8), "people n (log scale)", "error (RMSE, log scale)", log="xy")
    words = []
    for (model, rows), colour, marker in zip(
        table.groupby("model", sort=False), (RED, BLUE), "os", strict=False
    ):
        simulated(ax, rows, "n", color=colour, marker=marker, label=model)
        words.append(f"{model} from {ends(rows['exact'], '.2g')}")
    ax.legend()
    return fig, (
        f"Error of an estimated share at epsilon {epsilon:g} against n from {table['n'].min():,} to"
        f" {table['n'].max():,} on log axes, simulated points on exact lines: {'; '.join(words)}."
        " The local line falls half as steeply."
    )


def repeated_questions(table: pd.DataFrame, epsilon: float) -> Picture:
    """Chance to guess a bit after t fresh reports, below the bound from composition.

    ``table`` has columns ``reports, guess, bound``.
    """
    fig, ax = panel(
        (5.0, 3.3),
        "times the same question is asked, t",
        "chance to guess right",
        ylim=(0.5, 1.005),
    )
    bound = REFERENCE | {"label": "bound by composition, budget tε"}
    ax.plot("reports", "bound", data=table, **bound)
    ax.plot("reports", "guess", "o-", data=table, color=RED, label="best guess from t reports")
    ax.legend(loc="lower right")
    first, last = table.iloc[0], table.iloc[-1]
    return fig, (
        "Chance that the best guess of a person's bit is right after t reports at epsilon"
        f" {epsilon:g} each: {first.guess:.2f} after one report, {last.guess:.2f} after"
        f" {last.reports:.0f}; the bound from composition lies above, at {first.bound:.2f} and"
        f" {last.bound:.2f}."
    )


def metric_thresholds(
    table: pd.DataFrame, zeros: dict[str, float], names: Sequence[str]
) -> Picture:
    """SPD, EOD and OAD against the threshold of group 0, each with the place where it is 0.

    ``table`` has a column ``threshold`` and one for each of ``names``.
    """
    fig, ax = panel((5.0, 3.6), "threshold for group 0", "group 1 minus group 0")
    for name, colour, style in zip(names, (BLUE, RED, GREEN), _STYLES, strict=False):
        ax.plot(table["threshold"], table[name], color=colour, linestyle=style, label=name)
        ax.plot(zeros[name], 0, "o", color=colour)
    ax.axhline(0, color=GREY, linewidth=0.8)
    ax.legend()
    listed = ", ".join(f"{name} at {at:.2f}" for name, at in zeros.items())
    return fig, (
        "SPD, EOD and OAD against the threshold that is used for group 0 while that of group 1 is"
        f" fixed. The curves cross zero at different thresholds: {listed}."
    )
