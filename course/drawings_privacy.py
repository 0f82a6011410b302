"""Drawings of the first two sessions: laws of noisy answers, and what tests of them can reach."""

from __future__ import annotations

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from scipy.stats import laplace, norm

from course.canvas import Drawn, arrow, canvas, words
from lib.plotting.style import BLUE, GREEN, GREY, RED, REFERENCE

X = np.linspace(-4, 5, 901)  # answers
PLACES = [[0], [1]]  # of their laws, without and with one person


def _laws(ax: Axes, laws: np.ndarray) -> None:
    """Two laws of an answer, without and with one person."""
    for law, colour, label in zip(laws, (BLUE, RED), ("without you", "with you"), strict=True):
        ax.plot(X, law, color=colour)
        ax.fill_between(X, law, color=colour, alpha=0.12, label=label)


def bells() -> Drawn:
    """Laws of an answer with and without a person, which part as the budget grows."""
    fig, axes = plt.subplots(1, 2, sharey=True, sharex=True)
    for ax, epsilon in zip(axes, (0.5, 2.0), strict=True):
        _laws(ax, laplace.pdf(X, PLACES, 1 / epsilon))
        most = f"ε = {epsilon:g}: at most {np.exp(epsilon):.2g} to 1"
        ax.set(title=most, yticks=[], xlabel="the answer")
        ax.spines["left"].set_visible(False)
    axes[0].set_ylim(0, None)
    axes[0].legend(loc="upper left", borderaxespad=0)
    return fig, (
        "Laws of an answer with Laplace noise, with and without one person. At epsilon 0.5 the two "
        "bells nearly cover each other; at epsilon 2 they are narrow and part. The ratio of their "
        "heights is nowhere above e to the epsilon."
    )


def region() -> Drawn:
    """What tests of one report can reach at a budget of 1, and the corner of Warner's coin."""
    fig, ax = plt.subplots(figsize=(5.6, 5.3))
    false, grow = np.linspace(0, 1, 501), np.e
    most = np.minimum(grow * false, 1 - (1 - false) / grow)
    least = np.maximum(false / grow, 1 - grow * (1 - false))
    ax.fill_between(false, least, most, color=BLUE, alpha=0.15)
    ax.plot(false, most, color=BLUE)
    ax.plot(false, false, **REFERENCE)
    ax.plot(1 / (1 + grow), grow / (1 + grow), "o", color=RED)
    words(ax, 0.32, 0.69, "randomised\nresponse", color=RED, va="top", ha="left")
    words(ax, 0.7, 0.55, "a guess")
    words(ax, 0.14, 0.88, "out of\nreach", color=GREY)
    ax.set(xlabel="false alarms", ylabel="hits", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    return fig, (
        "Hits against false alarms of tests at epsilon 1. A shaded lens around the diagonal holds "
        "all tests; randomised response is its upper corner, and above it nothing can be reached."
    )


def odds() -> Drawn:
    """What one report can make of even odds, by its budget."""
    fig, ax = plt.subplots()
    budgets = np.array([0.25, 0.5, 1, 2, 4])
    most = 100 / (1 + np.exp(-budgets))
    bars = ax.bar([f"{e:g}" for e in budgets], most, facecolor=(RED, 0.35), edgecolor=RED)
    ax.bar_label(bars, fmt="{:.1f}%", padding=3)
    ax.axhline(50, **REFERENCE)
    ax.set(xlabel="budget ε of the report", ylabel="even odds become at most", yticks=[0, 50, 100])
    said = ", ".join(f"{m:.1f}% at epsilon {e:g}" for e, m in zip(budgets, most, strict=True))
    return fig, f"Bars above a dashed line at 50%: even odds become at most {said}."


def clip() -> Drawn:
    """Values that lie outside of an interval are moved to its ends."""
    fig, ax = canvas()
    ax.axvspan(2.0, 5.4, ymin=0.2, ymax=0.85, color=BLUE, alpha=0.1)
    for y in (3.3, 1.6):
        ax.plot((0.2, 7.2), (y, y), color=GREY, linewidth=2)
    for x in (0.6, 2.5, 3.0, 3.6, 3.8, 4.4, 5.0, 6.9):
        inside = min(max(x, 2.0), 5.4)
        colour = BLUE if inside == x else RED
        ax.plot(x, 3.3, "o", color=colour)
        ax.plot(inside, 1.6, "o", color=colour)
        arrow(ax, (x, 3.1), (inside, 1.82), colour)
    words(ax, 3.7, 4.4, "interval, fixed beforehand", color=BLUE)
    words(ax, 0.2, 3.75, "values", ha="left")
    words(ax, 0.2, 1.15, "clipped", ha="left")
    words(ax, 3.7, 0.5, "← width: the most that one person can move →", color=BLUE)
    return fig, (
        "Eight values on a line, and an interval that was fixed beforehand. Six lie inside and "
        "stay; two lie outside, and arrows move them to the ends of the interval."
    )


def gaussian_tails() -> Drawn:
    """Two Gaussian laws and the logarithm of their ratio, which has no bound."""
    fig, axes = plt.subplots(2, 1, sharex=True)
    _laws(axes[0], norm.pdf(X, PLACES))
    axes[0].legend(loc="upper left", borderaxespad=0)
    axes[1].plot(X, norm.logpdf(X, 1) - norm.logpdf(X, 0), color=GREEN)
    axes[1].axhspan(-1, 1, color=GREY, alpha=0.2)
    axes[1].text(-3.9, 0, "within ±ε", va="center")
    axes[1].set(xlabel="the answer", ylabel="log ratio", yticks=[])
    axes[0].set(yticks=[], ylim=(0, None))
    return fig, (
        "Above, two Gaussian bells, without and with one person. Below, the logarithm of their "
        "ratio: a straight line that leaves the band within plus or minus epsilon in both tails."
    )
