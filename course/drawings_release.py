"""Drawings of the last three sessions that ``lib`` computes: reports, distances, flipped bits."""

from __future__ import annotations

import numpy as np
from matplotlib import pyplot as plt

from course.canvas import Drawn, arrow, box, canvas, cells, words
from lib.coherence.distances import wasserstein1
from lib.ldp import make
from lib.ldp.subset_selection import SS
from lib.plotting.style import BLUE, GREEN, ORANGE, RED
from lib.rng import stream


def reports() -> Drawn:
    """The values that a report of four protocols votes for."""
    fig, ax = canvas()
    words(ax, 5.0, 4.4, "votes of one report, by value")
    said = []
    for y, name, sent in (
        (3.4, "GRR", "a value"),
        (2.4, "OUE", "a bit for each value"),
        (1.4, "OLH", "a hash"),
        (0.4, "SS", "a set"),
    ):
        protocol = make(name, k=8, epsilon=1.0)
        votes = protocol.support(protocol.privatise(np.array([2]), stream(5, "deck")))[0]
        words(ax, 0.1, y + 0.24, name, ha="left", weight="bold")
        words(ax, 0.8, y + 0.24, sent, ha="left")
        cells(ax, (2.9, y), votes, 8)
        said.append(f"{name}, {sent}: {', '.join(map(str, 1 + np.flatnonzero(votes)))}")
    box(ax, (3.93, 0.25, 0.62, 3.8), "", RED, 0)
    words(ax, 4.24, 0.1, "true value", color=RED, fontsize=13)
    alt = "Reports of a person whose value is 3 of 8, and what they vote for."
    return fig, f"{alt} {'; '.join(said)}."


def sizes_sent() -> Drawn:
    """How many of eight values a report of subset selection has, by its budget."""
    fig, ax = plt.subplots()
    budgets = np.linspace(0.05, 3, 600)
    sent = [SS(k=8, epsilon=e).omega for e in budgets]
    ax.step(budgets, sent, color=GREEN)
    for e, colour in ((1.0, BLUE), (2.0, RED)):
        ax.plot(e, SS(k=8, epsilon=e).omega, "o", color=colour)
    ax.set(xlabel="budget ε", ylabel="values in a report", yticks=[1, 2, 3], ylim=(0, 4))
    words(ax, 2.4, 1.35, "one value: GRR", color=GREEN)
    return fig, (
        "A staircase: of eight values, a report holds three, then two, then one as epsilon grows. "
        "At epsilon 1 it is two, at epsilon 2 one."
    )


def ages() -> Drawn:
    """A record of one age of 74, and a report that holds many."""
    fig, ax = canvas()
    protocol = make("SS", k=74, epsilon=1.0)
    report = protocol.support(protocol.privatise(np.array([33]), stream(1, "deck")))[0]
    for x, title, held in ((0.1, "a true record", np.arange(74) == 33), (3.9, "a report", report)):
        words(ax, x + 1.7, 4.2, f"{title}: {sum(held)} of 74", weight="bold")
        cells(ax, (x, 3.3), held, 10, side=0.3)
    return fig, (
        "Two fields of 74 squares, one for each age. In a true record one is filled; in a report "
        f"of subset selection at epsilon 1, {sum(report)} of them are."
    )


def two_stories() -> Drawn:
    """Two ways to close one gap: the lower rate rises, or the higher rate falls."""
    fig, axes = plt.subplots(1, 2, sharey=True)
    for ax, title, (low, high) in zip(
        axes, ("one rises", "one falls"), ((0.7, 0.75), (0.25, 0.3)), strict=True
    ):
        for ends, colour in (([0.75, high], ORANGE), ([0.25, low], BLUE)):
            ax.plot([0, 1], ends, "o-", color=colour, markersize=10)
        ax.set(title=title, yticks=[], xlim=(-0.3, 1.3))
        ax.set_xticks([0, 1], ["before", "after"])
    axes[0].set(ylim=(0, 1), ylabel="rate of a group")
    return fig, (
        "Two panels, two groups' rates before and after. On the left the lower rate rises to the "
        "higher one; on the right the higher rate falls to the lower. The same gap closes."
    )


def area() -> Drawn:
    """Two distribution functions of predictions, and the area between them."""
    fig, ax = plt.subplots()
    halves = np.array([[-0.9, -0.7, -0.4, 0.0, 0.3], [-0.6, -0.2, 0.1, 0.5, 0.9]])
    at = np.linspace(-1, 1, 2001)
    laws = [np.searchsorted(half, at, side="right") / half.size for half in halves]
    ax.fill_between(at, *laws, color=RED, alpha=0.18)
    for law, name, colour, x in zip(laws, "FG", (BLUE, ORANGE), (-0.5, 0.62), strict=True):
        ax.plot(at, law, color=colour)
        words(ax, x, 0.72 if name == "F" else 0.48, name, color=colour, fontsize=18)
    words(ax, 0.35, 0.12, f"area: W₁ = {wasserstein1(*halves):.2g}", color=RED)
    ax.set(xlabel="prediction y", ylabel="share at most y", xlim=(-1, 1), ylim=(0, 1.02))
    ax.set(xticks=[-1, 0, 1], yticks=[0, 0.5, 1])
    return fig, (
        "Distribution functions F and G of the predictions on two halves: two staircases. The "
        f"shaded area between them is their Wasserstein distance, {wasserstein1(*halves):.2g}."
    )


def flipped() -> Drawn:
    """Who is in a half, and the same bits after some were flipped."""
    fig, ax = canvas()
    rng = stream(7, "deck")
    inside = rng.permutation(np.arange(12) < 6)
    turned = rng.random(12) < 1 / (1 + np.exp(1.0))  # epsilon of 2
    for y, text, bits in ((3.0, "in the half", inside), (1.0, "published", inside ^ turned)):
        words(ax, 0.1, y + 0.75, text, ha="left", weight="bold")
        cells(ax, (0.1, y), bits, 12)
    for at in np.flatnonzero(turned):
        x = 0.34 + 0.552 * at
        arrow(ax, (x, 2.95), (x, 1.55), RED)
    words(ax, 0.1, 0.4, f"{sum(turned)} of 12 flipped, at ε = 2", ha="left", color=RED)
    return fig, (
        "Twelve squares, filled for the six people in the half. Below stand the published squares: "
        f"red arrows mark {sum(turned)} that were flipped at epsilon 2."
    )
