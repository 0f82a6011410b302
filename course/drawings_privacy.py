"""Drawings of the first three sessions: chance, budgets, and who adds the noise."""

from __future__ import annotations

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from scipy.stats import laplace

from course.canvas import BESIDE, arrow, box, canvas, words
from lib.plotting.style import BLUE, GREEN, GREY, ORANGE, RED, REFERENCE


def coin() -> tuple[Figure, str]:
    """What a coin does to a yes or a no."""
    fig, ax = canvas()
    for y, value, other in ((3.2, "yes", "no"), (0.8, "no", "yes")):
        box(ax, (0.2, y, 1.5, 0.9), f"truth:\n{value}", GREY)
        for end, colour, report, chance in (
            (y + 0.55, BLUE, value, "p"),
            (y - 0.55, RED, other, "1 − p"),
        ):
            arrow(ax, (1.7, y + 0.45), (5.2, end + 0.4), colour)
            words(ax, 3.6, (y + end) / 2 + 0.425 + np.sign(end - y) * 0.3, chance, color=colour)
            box(ax, (5.2, end, 1.9, 0.8), f"reports {report}", colour)
    alt = (
        "A tree. From the truth yes, an arrow with chance p leads to the report yes, and one with "
        "chance 1 minus p to the report no. From the truth no, p leads to no and 1 minus p to yes."
    )
    return fig, alt


def bells() -> tuple[Figure, str]:
    """Laws of an answer with and without a person, which part as the budget grows."""
    fig, axes = plt.subplots(1, 2, figsize=BESIDE, sharey=True, sharex=True)
    x = np.linspace(-4, 5, 901)
    for ax, epsilon in zip(axes, (0.5, 2.0), strict=True):
        for place, colour, label in ((0, BLUE, "without you"), (1, RED, "with you")):
            law = laplace.pdf(x, place, 1 / epsilon)
            ax.plot(x, law, color=colour, linewidth=3)
            ax.fill_between(x, law, color=colour, alpha=0.12, label=label)
        ratio = laplace.pdf(-1, 0, 1 / epsilon) / laplace.pdf(-1, 1, 1 / epsilon)
        ax.set_title(f"ε = {epsilon:g}: at most {ratio:.2g} to 1", weight="normal")
        ax.set(yticks=[], xlabel="the answer")
        ax.spines["left"].set_visible(False)
    axes[0].set_ylim(0, None)
    axes[0].legend(loc="upper left", handlelength=1, borderaxespad=0)
    alt = (
        "Laws of an answer with Laplace noise, with and without one person. At epsilon 0.5 the two "
        "bells nearly cover each other; at epsilon 2 they are narrow and part. The ratio of their "
        "heights is nowhere above e to the epsilon."
    )
    return fig, alt


def region() -> tuple[Figure, str]:
    """What tests of one report can reach at a budget of 1, and the corner of Warner's coin."""
    fig, ax = plt.subplots(figsize=(5.6, 5.3), layout="constrained")
    false, grow = np.linspace(0, 1, 501), np.e
    most = np.minimum(grow * false, 1 - (1 - false) / grow)
    least = np.maximum(false / grow, 1 - grow * (1 - false))
    ax.fill_between(false, least, most, color=BLUE, alpha=0.15)
    ax.plot(false, most, color=BLUE, linewidth=3)
    ax.plot(false, false, **REFERENCE)
    ax.plot(1 / (1 + grow), grow / (1 + grow), "o", color=RED, markersize=13)
    words(ax, 0.32, 0.69, "randomised\nresponse", color=RED, va="top", ha="left")
    words(ax, 0.7, 0.55, "a guess")
    words(ax, 0.14, 0.88, "out of\nreach", color=GREY)
    ax.set(xlabel="false alarms", ylabel="hits", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    alt = (
        "Hits against false alarms of tests at epsilon 1. A shaded lens around the diagonal holds "
        "all tests; randomised response is its upper corner, and above it nothing can be reached."
    )
    return fig, alt


def local_central() -> tuple[Figure, str]:
    """Noise that each person adds, and noise that a curator adds once."""
    fig, ax = canvas()
    for y, name, colour in ((3.5, "Local", BLUE), (1.0, "Central", ORANGE)):
        local = name == "Local"
        words(ax, 0.1, y + 1.1, name, color=colour, weight="bold", ha="left")
        for k in (-0.65, 0.0, 0.65):
            box(ax, (0.1, y + k - 0.25, 1.2, 0.5), "person", GREY)
            if local:
                box(ax, (1.9, y + k - 0.25, 1.1, 0.5), "+ noise", RED)
                arrow(ax, (1.3, y + k), (1.9, y + k))
            arrow(ax, (3.0 if local else 1.3, y + k), (4.1 if local else 2.2, y + k / 3))
        if local:
            box(ax, (4.1, y - 0.5, 1.5, 1.0), "server", GREY)
        else:
            box(ax, (2.2, y - 0.5, 1.4, 1.0), "curator", GREY)
            box(ax, (4.3, y - 0.3, 1.3, 0.6), "+ noise", RED)
            arrow(ax, (3.6, y), (4.3, y))
        arrow(ax, (5.6, y), (6.2, y))
        box(ax, (6.2, y - 0.4, 1.1, 0.8), "share", GREEN)
    alt = (
        "Two rows. Local: each of three people adds noise before a server sees anything, and a "
        "share comes out. Central: a curator sees the people's values and adds noise once."
    )
    return fig, alt


def budget() -> tuple[Figure, str]:
    """One budget, split over three questions, and what is free."""
    fig, ax = canvas()
    box(ax, (0.2, 3.6, 7.0, 0.8), "the whole budget: ε", BLUE)
    for x, wide, number in ((0.2, 3.4, "₁"), (3.75, 2.0, "₂"), (5.9, 1.3, "₃")):
        middle = x + wide / 2
        arrow(ax, (middle, 3.6), (middle, 3.05), BLUE)
        box(ax, (x, 2.25, wide, 0.8), f"ε{number}", BLUE)
        arrow(ax, (middle, 2.25), (middle, 1.7))
        box(ax, (x, 0.9, wide, 0.8), "report", RED, 0.12)
    words(ax, 3.7, 0.4, "whatever is computed from reports: free", color=GREEN)
    alt = (
        "A bar, the whole budget, is cut into three unequal parts: epsilon 1, 2 and 3. Each part "
        "pays for one report. What is computed from the reports costs nothing."
    )
    return fig, alt


def odds() -> tuple[Figure, str]:
    """What one report can make of even odds, by its budget."""
    fig, ax = plt.subplots(figsize=BESIDE, layout="constrained")
    budgets = np.array([0.25, 0.5, 1, 2, 4])
    most = 100 / (1 + np.exp(-budgets))
    bars = ax.bar([f"{e:g}" for e in budgets], most, facecolor=(RED, 0.35), edgecolor=RED)
    ax.bar_label(bars, fmt="{:.1f}%", padding=3)
    ax.axhline(50, **REFERENCE)
    ax.set(xlabel="budget ε of the report", ylabel="even odds become at most", yticks=[0, 50, 100])
    said = ", ".join(f"{m:.1f}% at epsilon {e:g}" for e, m in zip(budgets, most, strict=True))
    return fig, f"Bars above a dashed line at 50%: even odds become at most {said}."


def columns() -> tuple[Figure, str]:
    """A record of which one column is noisy, and others that tell of it."""
    fig, ax = canvas()
    words(ax, 3.7, 4.4, "one person's record", color=GREY)
    for x, name, colour, sent in (
        (0.2, "sex", RED, "with ε"),
        (2.05, "job title", BLUE, "in the clear"),
        (3.9, "marital\nstatus", BLUE, "in the clear"),
        (5.75, "outcome", BLUE, "in the clear"),
    ):
        box(ax, (x, 2.7, 1.5, 1.2), name, colour)
        words(ax, x + 0.75, 2.35, sent, color=colour, fontsize=13)
    for x in (2.8, 4.65):
        look = {"connectionstyle": "arc3,rad=-0.3", "linestyle": "--"}
        arrow(ax, (x, 2.1), (0.95, 2.1), BLUE, **look)
    words(ax, 2.8, 0.75, "may show what ε was spent on", color=BLUE)
    alt = (
        "A record of four columns. Sex is sent with noise. Job title, marital status and outcome "
        "are sent in the clear; arrows from job title and marital status lead back to sex."
    )
    return fig, alt


DRAWINGS = {
    "coin": coin,
    "bells": bells,
    "region": region,
    "local-central": local_central,
    "budget": budget,
    "odds": odds,
    "columns": columns,
}
