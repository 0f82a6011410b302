"""Drawings of the last three sessions: what a report votes for, who moves, and how far."""

from __future__ import annotations

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from course.canvas import BESIDE, arrow, box, canvas, words
from lib.coherence.distances import wasserstein1
from lib.plotting.style import BLUE, GREEN, GREY, ORANGE, RED


def votes() -> tuple[Figure, str]:
    """One report, and the values that it votes for."""
    fig, ax = canvas()
    box(ax, (0.3, 3.6, 2.1, 0.9), "true value: 3", GREY)
    box(ax, (4.0, 3.6, 3.0, 0.9), "report: {3, 6}", RED)
    arrow(ax, (2.4, 4.05), (4.0, 4.05))
    words(ax, 3.2, 4.4, "noise", color=RED)
    for value in range(1, 9):
        x, voted = 0.3 + 0.86 * (value - 1), value in (3, 6)
        box(ax, (x, 1.2, 0.7, 0.7), str(value), BLUE if voted else GREY, 0.35 if voted else 0.06)
        if voted:
            arrow(ax, (5.5, 3.6), (x + 0.35, 1.9), BLUE)
            words(ax, x + 0.35, 0.8, "+1", color=BLUE)
    words(ax, 3.7, 0.3, "the server adds up the votes")
    alt = (
        "A person's true value is 3. Noise makes of it the report 3 and 6. The report votes for "
        "two of eight values, 3 and 6, and the server adds up such votes."
    )
    return fig, alt


def training() -> tuple[Figure, str]:
    """A model that learns from noisy people and is tested on true ones."""
    fig, ax = canvas()
    box(ax, (0.1, 3.0, 2.0, 1.3), "80% of\nthe people", GREY)
    box(ax, (2.9, 3.7, 2.0, 0.8), "sex, race: ε", RED)
    box(ax, (2.9, 2.6, 2.0, 0.8), "other columns", BLUE)
    box(ax, (5.7, 3.0, 1.6, 1.3), "model", GREEN)
    for y in (4.1, 3.0):
        arrow(ax, (2.1, 3.65), (2.9, y))
        arrow(ax, (4.9, y), (5.7, 3.65))
    box(ax, (0.1, 0.6, 2.0, 1.3), "the other\n20%", GREY)
    box(ax, (5.7, 0.6, 1.6, 1.3), "gaps", ORANGE)
    arrow(ax, (2.1, 1.25), (5.7, 1.25), BLUE)
    words(ax, 3.9, 1.6, "true rows", color=BLUE)
    arrow(ax, (6.5, 3.0), (6.5, 1.9))
    alt = (
        "Four fifths of the people report sensitive attributes with noise and other columns "
        "without it; a model learns from both. The true rows of the other fifth test it for gaps."
    )
    return fig, alt


def stories() -> tuple[Figure, str]:
    """Two ways to close one gap: the lower rate rises, or the higher rate falls."""
    fig, axes = plt.subplots(1, 2, figsize=BESIDE, sharey=True)
    for ax, title, (low, high) in zip(
        axes, ("one rises", "one falls"), ((0.7, 0.75), (0.25, 0.3)), strict=True
    ):
        ax.plot([0, 1], [0.75, high], "o-", color=ORANGE, linewidth=3, markersize=10)
        ax.plot([0, 1], [0.25, low], "o-", color=BLUE, linewidth=3, markersize=10)
        ax.set_title(title, weight="normal")
        ax.set(xticks=[0, 1], xticklabels=["before", "after"], yticks=[], xlim=(-0.3, 1.3))
    axes[0].set(ylim=(0, 1), ylabel="rate of a group")
    alt = (
        "Two panels, two groups' rates before and after. On the left the lower rate rises to the "
        "higher one; on the right the higher rate falls to the lower. The same gap closes."
    )
    return fig, alt


def area() -> tuple[Figure, str]:
    """Two distribution functions of predictions, and the area between them."""
    fig, ax = plt.subplots(figsize=BESIDE, layout="constrained")
    halves = np.array([[-0.9, -0.7, -0.4, 0.0, 0.3], [-0.6, -0.2, 0.1, 0.5, 0.9]])
    at = np.linspace(-1, 1, 2001)
    laws = [np.searchsorted(half, at, side="right") / half.size for half in halves]
    ax.fill_between(at, *laws, color=RED, alpha=0.18)
    for law, name, colour, x in zip(laws, "FG", (BLUE, ORANGE), (-0.5, 0.62), strict=True):
        ax.plot(at, law, color=colour, linewidth=3)
        words(ax, x, 0.72 if name == "F" else 0.48, name, color=colour, fontsize=18)
    words(ax, 0.35, 0.12, f"area: W₁ = {wasserstein1(*halves):.2g}", color=RED)
    ax.set(xlabel="prediction y", ylabel="share at most y", xlim=(-1, 1), ylim=(0, 1.02))
    ax.set(xticks=[-1, 0, 1], yticks=[0, 0.5, 1])
    alt = (
        "Distribution functions F and G of the predictions on two halves: two staircases. The "
        f"shaded area between them is their Wasserstein distance, {wasserstein1(*halves):.2g}."
    )
    return fig, alt


def parted() -> tuple[Figure, str]:
    """Two people, each in one of two halves: half of the four cases part them."""
    fig, ax = canvas()
    for k, (first, second) in enumerate(((0, 0), (0, 1), (1, 0), (1, 1))):
        x, y = 0.2 + 3.7 * (k % 2), 2.6 - 2.4 * (k // 2)
        colour = GREY if first == second else RED
        for half in (0, 1):
            box(ax, (x + 1.7 * half, y + 0.5, 1.5, 1.4), "", colour)
        for name, half, up in (("Ana", first, 1.5), ("Ben", second, 0.9)):
            words(ax, x + 1.7 * half + 0.75, y + up, name)
        words(ax, x + 1.6, y + 0.2, "together" if first == second else "parted", color=colour)
    alt = (
        "Four ways to put Ana and Ben into two halves. In two of them they are together in a half; "
        "in the other two, drawn in red, they are parted."
    )
    return fig, alt


DRAWINGS = {
    "votes": votes,
    "training": training,
    "two-stories": stories,
    "area": area,
    "parted": parted,
}
