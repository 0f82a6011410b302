"""Drawings of strata: clipping, groups that are put together again, and what their sizes tell."""

from __future__ import annotations

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from scipy.stats import norm

from course.canvas import BESIDE, arrow, box, canvas, words
from lib.plotting.style import BLUE, GREEN, GREY, ORANGE, RED

_HUES = BLUE, ORANGE, RED


def strata() -> tuple[Figure, str]:
    """A table in groups, a noisy mean of each, and the weighted mean of all."""
    fig, ax = canvas()
    tops = ((2.5, 1.75), (1.1, 1.2), (0.3, 0.6))
    for (y, high), colour, k in zip(tops, _HUES, "₁₂₃", strict=True):
        middle = y + high / 2
        box(ax, (0.1, y, 1.5, high), f"G{k}", colour)
        arrow(ax, (1.6, middle), (2.2, middle), colour)
        box(ax, (2.2, middle - 0.25, 2.3, 0.5), "mean + noise", colour)
        arrow(ax, (4.5, middle), (5.4, 2.5 + (middle - 2.2) / 4), colour)
    box(ax, (5.4, 1.9, 1.9, 1.2), "weighted\nby size", GREEN)
    words(ax, 0.85, 4.55, "groups")
    words(ax, 3.35, 4.55, "each at full ε")
    words(ax, 6.35, 3.4, "free", color=GREEN)
    alt = (
        "People are cut into three groups of unequal size. Each group has a mean with noise of its "
        "own, at the full budget. The three means, weighted by size, make the mean of everybody."
    )
    return fig, alt


def cancel() -> tuple[Figure, str]:
    """Noise times weight is the same for a small and a large group."""
    fig, ax = canvas()
    for x, text in ((2.3, "noise of\nits mean"), (4.35, "weight in\nthe whole"), (6.4, "product")):
        words(ax, x, 4.35, text)
    for y, name, colour, noise in (
        (2.9, "small", RED, 1.5),
        (1.2, "large", BLUE, 0.5),
    ):
        words(ax, 0.7, y, f"{name}\ngroup", color=colour)
        for x, high in ((2.3, noise), (4.35, 0.75 / noise), (6.4, 0.75)):
            box(ax, (x - 0.4, y - high / 2, 0.8, high), "", GREEN if x > 6 else colour, 0.3)
        words(ax, 3.3, y, "×", fontsize=20)
        words(ax, 5.35, y, "=", fontsize=20)
    words(ax, 6.0, 0.25, "the same for every group", color=GREEN)
    alt = (
        "Bars for a small and a large group. The small one has much noise and little weight, the "
        "large one little noise and much weight; the products are bars of one height."
    )
    return fig, alt


def clip() -> tuple[Figure, str]:
    """Values that lie outside of an interval are moved to its ends."""
    fig, ax = canvas()
    ax.axvspan(2.0, 5.4, ymin=0.2, ymax=0.85, color=BLUE, alpha=0.1)
    for y in (3.3, 1.6):
        ax.plot((0.2, 7.2), (y, y), color=GREY, linewidth=2)
    for x in (0.6, 2.5, 3.0, 3.6, 3.8, 4.4, 5.0, 6.9):
        inside = min(max(x, 2.0), 5.4)
        colour = BLUE if inside == x else RED
        ax.plot(x, 3.3, "o", color=colour, markersize=13)
        ax.plot(inside, 1.6, "o", color=colour, markersize=13)
        arrow(ax, (x, 3.1), (inside, 1.82), colour)
    words(ax, 3.7, 4.4, "interval, fixed beforehand", color=BLUE)
    words(ax, 0.2, 3.75, "values", ha="left")
    words(ax, 0.2, 1.15, "clipped", ha="left")
    words(ax, 3.7, 0.5, "← width: the most that one person can move →", color=BLUE)
    alt = (
        "Eight values on a line, and an interval that was fixed beforehand. Six lie inside and "
        "stay; two lie outside, and arrows move them to the ends of the interval."
    )
    return fig, alt


def currencies() -> tuple[Figure, str]:
    """Two Gaussian laws and the logarithm of their ratio, which has no bound."""
    fig, axes = plt.subplots(2, 1, figsize=BESIDE, sharex=True, layout="constrained")
    x = np.linspace(-4, 5, 901)
    for place, colour, label in ((0, BLUE, "without you"), (1, RED, "with you")):
        axes[0].plot(x, norm.pdf(x, place), color=colour, linewidth=3)
        axes[0].fill_between(x, norm.pdf(x, place), color=colour, alpha=0.12, label=label)
    axes[0].legend(loc="upper left", handlelength=1, borderaxespad=0)
    axes[1].plot(x, norm.logpdf(x, 1) - norm.logpdf(x, 0), color=GREEN, linewidth=3)
    axes[1].axhspan(-1, 1, color=GREY, alpha=0.2)
    axes[1].text(-3.9, 0, "within ±ε", va="center")
    axes[1].set(xlabel="the answer", ylabel="log ratio", yticks=[])
    axes[0].set(yticks=[], ylim=(0, None))
    alt = (
        "Above, two Gaussian bells, without and with one person. Below, the logarithm of their "
        "ratio: a straight line that leaves the band within plus or minus epsilon in both tails."
    )
    return fig, alt


def composition() -> tuple[Figure, str]:
    """Looks at one table add up; looks at disjoint tables do not."""
    fig, ax = canvas()
    for x, colour in zip((0.3, 1.4, 2.5), _HUES, strict=True):
        box(ax, (x, 3.4, 0.9, 0.7), "ρ", colour)
        arrow(ax, (x + 0.45, 3.4), (1.85 + (x - 1.4) / 3, 2.4), colour)
    box(ax, (0.7, 1.5, 2.3, 0.9), "one table", GREY)
    for x, colour in zip((4.2, 5.3, 6.4), _HUES, strict=True):
        box(ax, (x, 3.4, 0.9, 0.7), "ρ", colour)
        arrow(ax, (x + 0.45, 3.4), (x + 0.45, 2.4), colour)
        box(ax, (x, 1.5, 0.9, 0.9), "part", colour)
    words(ax, 1.85, 4.45, "three looks")
    words(ax, 5.75, 4.45, "three looks")
    words(ax, 1.85, 0.8, "cost: ?", color=RED, fontsize=20)
    words(ax, 5.75, 0.8, "cost: ?", color=BLUE, fontsize=20)
    alt = (
        "On the left, three looks of rho each go to one table. On the right, three looks of rho "
        "each go to three disjoint parts of a table. Below each stands: cost, question mark."
    )
    return fig, alt


def refused() -> tuple[Figure, str]:
    """A budget, what was spent of it, and a look that does not fit."""
    fig, ax = canvas()
    words(ax, 0.3, 4.1, "budget ρ", ha="left", weight="bold")
    box(ax, (0.3, 2.7, 6.4, 1.0), "", GREY, 0.04)
    for x, y, wide, text, colour in (
        (0.3, 2.7, 2.6, "mean", BLUE),
        (2.9, 2.7, 2.2, "counts", ORANGE),
        (5.1, 1.1, 2.2, "refused", RED),
    ):
        box(ax, (x, y, wide, 1.0), text, colour)
    arrow(ax, (6.2, 2.1), (6.2, 2.65), RED)
    words(ax, 5.9, 4.1, "left", color=GREY)
    words(ax, 0.3, 1.6, "each entry: cost, neighbours", ha="left")
    alt = (
        "A bar, the budget rho. A mean and counts have taken most of it. A third look, in red, is "
        "wider than what is left, and is refused. Each entry names its cost and neighbours."
    )
    return fig, alt


def looks() -> tuple[Figure, str]:
    """The intervals of COINPRESS, which shrink from look to look."""
    fig, ax = canvas()
    rows = (
        (3.4, 0.2, 7.2, "declared range", GREY),
        (1.9, 3.6, 5.8, "after a cheap look: ρ/4", ORANGE),
        (0.4, 4.5, 5.0, "after the second: 3ρ/4", BLUE),
    )
    for (y, low, high, text, colour), below in zip(rows, (*rows[1:], None), strict=True):
        box(ax, (low, y, high - low, 0.5), "", colour, 0.3)
        words(ax, 0.2, y + (0.8 if below is rows[1] else 0.25), text, ha="left", color=colour)
        for end, other in zip((low, high), below[1:3], strict=True) if below else ():
            arrow(ax, (end, y), (other, below[0] + 0.5), GREY, linestyle="--", arrowstyle="-")
    ax.plot([4.75] * 3, [3.65, 2.15, 0.65], "o", color=RED, markersize=9)
    words(ax, 5.2, 0.65, "true mean", color=RED, ha="left")
    alt = (
        "Three intervals below each other. The declared range is wide; after a cheap look the next "
        "is narrow; after the second it is tiny. The true mean lies in all of them."
    )
    return fig, alt


def sizes() -> tuple[Figure, str]:
    """Three sources of group sizes, and whether a person is covered."""
    fig, ax = canvas()
    rows = (
        ("declared\nfrom elsewhere", "presence covered", GREEN),
        ("noisy counts,\npaid for first", "presence covered", GREEN),
        ("counted\nin the table", "presence not covered", RED),
    )
    for y, (source, cover, colour) in zip((3.5, 2.0, 0.5), rows, strict=True):
        box(ax, (0.1, y, 2.3, 1.0), source, GREY)
        arrow(ax, (2.4, y + 0.5), (3.9, y + 0.5), colour)
        words(ax, 3.1, y + 0.75, "sizes", fontsize=13)
        box(ax, (3.9, y, 3.3, 1.0), cover, colour)
    alt = (
        "Three sources of the sizes of groups. Declared from elsewhere: a person's presence is "
        "covered. Noisy counts, paid for first: covered. Counted in the table: not covered."
    )
    return fig, alt


DRAWINGS = {
    "strata": strata,
    "cancel": cancel,
    "clip": clip,
    "gaussian-tails": currencies,
    "composition": composition,
    "refused": refused,
    "looks": looks,
    "sizes": sizes,
}
