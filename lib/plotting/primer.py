"""Figures of the primer: tests of one person's value, the price of local noise, repeated
questions, four metrics.
"""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from lib.plotting.style import COLOURS, MARKERS

__all__ = ["every_test", "survey_error", "trust_models", "repeated_questions", "metric_thresholds"]

_BLUE, _ORANGE, _GREEN, _GREY = "#0072B2", "#D55E00", "#009E73", "#555555"


def every_test(points: pd.DataFrame, epsilon: float) -> tuple[Figure, str]:
    """All tests between two values that reports of small channels allow, under the bound of
    epsilon-LDP.

    ``points`` has columns ``protocol, fpr, tpr``.
    """
    fig, ax = plt.subplots(figsize=(4.8, 4.4))
    x = np.linspace(0, 1, 600)
    ax.fill_between(
        x,
        np.minimum(np.exp(epsilon) * x, 1 - np.exp(-epsilon) * (1 - x)),
        np.maximum(np.exp(-epsilon) * x, 1 - np.exp(epsilon) * (1 - x)),
        color=_GREY,
        alpha=0.15,
        linewidth=0,
        label=f"allowed by ε = {epsilon:g}",
    )
    ax.plot([0, 1], [0, 1], color=_GREY, linewidth=0.8)
    counted = []
    for name, rows in points.groupby("protocol", sort=False):
        size = 4 if len(rows) < 1000 else 2
        ax.plot(
            rows["fpr"],
            rows["tpr"],
            MARKERS[name],
            color=COLOURS[name],
            markersize=size,
            alpha=0.7,
            label=name,
        )
        counted.append(f"{len(rows):,} points of {name}")
    ax.set_xlabel("false positive rate of the test")
    ax.set_ylabel("true positive rate")
    ax.legend(loc="lower right")
    corner = np.exp(epsilon) / (1 + np.exp(epsilon))
    alt = (
        "True against false positive rate of every test on one report at epsilon"
        f" {epsilon:g} ({', '.join(counted)}). All points lie in the lens-shaped region around the"
        " diagonal that epsilon allows; randomised response reaches its corner at"
        f" ({1 - corner:.2f}, {corner:.2f})."
    )
    return fig, alt


def survey_error(price: pd.DataFrame) -> tuple[Figure, str]:
    """Error of an estimated share against the budget; ``price`` has ``epsilon, rmse, low, high,
    exact, plain``.
    """
    fig, ax = plt.subplots(figsize=(5.0, 3.4))
    ax.plot(price["epsilon"], price["exact"], color=_BLUE, label="randomised, exact")
    ax.errorbar(
        price["epsilon"],
        price["rmse"],
        [price["rmse"] - price["low"], price["high"] - price["rmse"]],
        color=_BLUE,
        fmt="o",
        label="simulated, 95% interval",
    )
    ax.axhline(
        price["plain"].iloc[0],
        color=_GREY,
        linestyle="--",
        label="sampling error of a plain survey",
    )
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xticks(price["epsilon"], [f"{e:g}" for e in price["epsilon"]])
    ax.set_xticks([], minor=True)
    ax.set_xlabel("budget ε (log scale)")
    ax.set_ylabel("error (RMSE, log scale)")
    ax.legend()
    first, last = price.iloc[0], price.iloc[-1]
    alt = (
        "Error of the estimated share against epsilon on log axes. It falls from"
        f" {first.exact:.3f} at epsilon {first.epsilon:g} to {last.exact:.5f} at epsilon"
        f" {last.epsilon:g}; simulated points lie on the exact curve. A plain survey's sampling"
        f" error, {first.plain:.4f}, is a horizontal line."
    )
    return fig, alt


def trust_models(table: pd.DataFrame, epsilon: float) -> tuple[Figure, str]:
    """Error of a share against the number of people, local and central.

    ``table`` has columns ``model, n, rmse, low, high, exact``.
    """
    fig, ax = plt.subplots(figsize=(5.0, 3.8))
    words = []
    for (model, rows), colour, marker in zip(
        table.groupby("model", sort=False), (_ORANGE, _BLUE), "os", strict=False
    ):
        ax.plot(rows["n"], rows["exact"], color=colour, linewidth=1)
        ax.errorbar(
            rows["n"],
            rows["rmse"],
            [rows["rmse"] - rows["low"], rows["high"] - rows["rmse"]],
            color=colour,
            fmt=marker,
            label=model,
        )
        words.append(f"{model} from {rows['exact'].iloc[0]:.2g} to {rows['exact'].iloc[-1]:.2g}")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("people n (log scale)")
    ax.set_ylabel("error (RMSE, log scale)")
    ax.legend()
    alt = (
        f"Error of an estimated share at epsilon {epsilon:g} against n from {table['n'].min():,} to"
        f" {table['n'].max():,} on log axes, simulated points on exact lines: {'; '.join(words)}."
        " The local line falls half as steeply."
    )
    return fig, alt


def repeated_questions(table: pd.DataFrame, epsilon: float) -> tuple[Figure, str]:
    """Chance to guess a bit after t fresh reports, beside the bound; ``table`` has ``reports,
    guess, bound``.
    """
    fig, ax = plt.subplots(figsize=(5.0, 3.3))
    ax.plot(
        table["reports"],
        table["bound"],
        color=_GREY,
        linestyle="--",
        label="bound by composition, budget tε",
    )
    ax.plot(
        table["reports"],
        table["guess"],
        color=_ORANGE,
        marker="o",
        label="best guess from t reports",
    )
    ax.set_ylim(0.5, 1.005)
    ax.set_xlabel("times the same question is asked, t")
    ax.set_ylabel("chance to guess right")
    ax.legend(loc="lower right")
    first, last = table.iloc[0], table.iloc[-1]
    alt = (
        "Chance that the best guess of a person's bit is right after t reports at epsilon"
        f" {epsilon:g} each: {first.guess:.2f} after one report, {last.guess:.2f} after"
        f" {last.reports:.0f}; the bound from composition lies above, at {first.bound:.2f} and"
        f" {last.bound:.2f}."
    )
    return fig, alt


def metric_thresholds(
    table: pd.DataFrame, zeros: dict[str, float], names: Sequence[str]
) -> tuple[Figure, str]:
    """SPD, EOD and OAD against the threshold of group 0, with the place where each is fair.

    ``table`` has a column ``threshold`` and one for each of ``names``.
    """
    fig, ax = plt.subplots(figsize=(5.0, 3.6))
    for name, colour, style in zip(names, (_BLUE, _ORANGE, _GREEN), ("-", "--", "-."), strict=True):
        ax.plot(table["threshold"], table[name], color=colour, linestyle=style, label=name)
        ax.plot(zeros[name], 0, "o", color=colour)
    ax.axhline(0, color=_GREY, linewidth=0.8)
    ax.set_xlabel("threshold for group 0")
    ax.set_ylabel("group 1 minus group 0")
    ax.legend()
    listed = ", ".join(f"{name} at {at:.2f}" for name, at in zeros.items())
    alt = (
        "SPD, EOD and OAD against the threshold that is used for group 0 while that of group 1 is"
        f" fixed. The curves cross zero at different thresholds: {listed}."
    )
    return fig, alt
