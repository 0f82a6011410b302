"""Drawings of made-up data: how it is made, and what happens to small groups."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from matplotlib.figure import Figure

from course.canvas import ALONE, arrow, box, canvas, words
from lib.plotting.style import BLUE, GREEN, GREY, ORANGE, RED

_MECHANISMS = {
    "MST": ("one tree\nof pairs", "each pair\nonce", "a model\nalong the tree"),
    "AIM": ("where the model\nis most wrong", "one more\nmarginal", "fit the model\nagain"),
    "GEM": ("where the network\nis most wrong", "one more\nmarginal", "train the network\nagain"),
}


def mechanism(name: str) -> tuple[Figure, str]:
    """Select, measure and generate of one mechanism, with the rounds that it may make."""
    fig, ax = canvas()
    steps = zip(("Select", "Measure", "Generate"), _MECHANISMS[name], strict=True)
    for k, (step, does) in enumerate(steps):
        colour = GREEN if k == 2 else RED
        words(ax, 1.2 + 2.5 * k, 4.2, step, weight="bold", color=colour)
        box(ax, (0.1 + 2.5 * k, 2.3, 2.2, 1.4), does, colour, fontsize=12.5)
        words(ax, 1.2 + 2.5 * k, 1.9, "free" if k == 2 else "costs ρ", color=colour)
        if k:
            arrow(ax, (2.5 * k - 0.2, 3.0), (0.1 + 2.5 * k, 3.0))
    rounds = "once" if name == "MST" else "again, until ρ is spent"
    if name != "MST":
        arrow(ax, (6.2, 1.6), (1.2, 1.6), BLUE, connectionstyle="arc3,rad=-0.2")
    words(ax, 3.7, 0.5, rounds, color=BLUE)
    does = "; ".join(text.replace("\n", " ") for text in _MECHANISMS[name])
    alt = f"Three boxes of {name}, select, measure and generate: {does}. This is done {rounds}."
    return fig, f"{alt} The first two steps cost rho, the last is free."


def pipeline() -> tuple[Figure, str]:
    """The three steps of every mechanism here, and which of them read the data."""
    fig, ax = canvas(ALONE)
    box(ax, (0.1, 3.5, 4.9, 0.9), "private table", GREY)
    for x, step, does, colour in (
        (0.1, "Select", "which tables\nof counts?", RED),
        (3.0, "Measure", "counts +\nGaussian noise", RED),
        (5.9, "Generate", "a model that\nagrees", GREEN),
    ):
        box(ax, (x, 0.9, 2.0, 1.6), f"{step}:\n{does}", colour)
        words(ax, x + 1.0, 0.45, "free" if x > 5 else "costs ρ", color=colour)
        arrow(ax, (x + 2.0, 1.7), (x + 2.9, 1.7))
        if x < 5:
            arrow(ax, (x + 1.0, 3.5), (x + 1.0, 2.5), RED)
    box(ax, (8.8, 0.9, 2.4, 1.6), "made-up rows", BLUE)
    alt = (
        "The private table leads to two steps, select and measure, which cost rho. Then a model "
        "that agrees is generated, which is free and does not read the table; it makes up rows."
    )
    return fig, alt


def added() -> tuple[Figure, str]:
    """A fit of everybody, and fits of two groups, measure different pairs of bits."""
    fig, ax = canvas()
    for x, who, pair, colour in (
        (0.1, "group 1", "q, q′", BLUE),
        (2.6, "everybody", "p, p′", GREEN),
        (5.1, "group 2", "r, r′", ORANGE),
    ):
        box(ax, (x, 3.4, 2.2, 0.9), who, colour)
        arrow(ax, (x + 1.1, 3.4), (x + 1.1, 2.5), colour)
        words(ax, x + 1.75, 2.95, "select")
        box(ax, (x, 1.6, 2.2, 0.9), pair, colour)
    arrow(ax, (1.2, 1.6), (3.3, 0.75), BLUE)
    arrow(ax, (6.2, 1.6), (4.1, 0.75), ORANGE)
    words(ax, 3.7, 0.45, "added up: p is never measured", color=RED)
    alt = (
        "Three fits with one measurement each. Group 1 selects the pair q, group 2 the pair r, and "
        "everybody together the pair p. The two groups' fits added up never measured p."
    )
    return fig, alt


def scoring() -> tuple[Figure, str]:
    """Rows that were seen and rows that were held out, and which of them score."""
    fig, ax = canvas()
    box(ax, (0.1, 2.1, 1.6, 2.4), "rows seen", RED)
    box(ax, (0.1, 0.3, 1.6, 1.2), "held out", BLUE)
    box(ax, (2.9, 2.6, 1.7, 1.4), "release", GREY)
    arrow(ax, (1.7, 3.3), (2.9, 3.3))
    box(ax, (5.4, 2.6, 1.9, 1.4), "score:\nflatters", RED)
    box(ax, (5.4, 0.3, 1.9, 1.2), "score:\nhonest", BLUE)
    arrow(ax, (4.6, 3.3), (5.4, 3.3), RED)
    arrow(ax, (4.4, 2.6), (5.4, 1.2), BLUE)
    arrow(ax, (1.7, 0.9), (5.4, 0.9), BLUE)
    arrow(ax, (1.7, 4.2), (5.9, 4.0), RED, connectionstyle="arc3,rad=-0.08")
    alt = (
        "Seen rows make the release. Scored against the same rows it is flattered; scored against "
        "rows that were held out, an arrow from below, it is not."
    )
    return fig, alt


def small_groups() -> tuple[Figure, str]:
    """Three rules for a small group: drop, keep or merge it."""
    fig, ax = canvas()
    for y, rule in ((3.5, "drop"), (2.0, "keep"), (0.5, "merge")):
        words(ax, 0.7, y + 0.4, rule, weight="bold")
        box(ax, (1.5, y, 2.3, 0.8), "large group", BLUE)
        arrow(ax, (3.8, y + 0.4), (4.7, y + 0.4))
        box(ax, (4.7, y, 2.6, 0.8), "model" if rule != "merge" else "one model of both", BLUE)
    for y, text in ((2.95, "nobody's"), (1.45, "a model of its own, mostly noise")):
        box(ax, (1.5, y, 0.4, 0.35), "", RED, 0.5)
        words(ax, 2.1, y + 0.17, text, ha="left", color=RED)
    box(ax, (1.5, 0.05, 0.4, 0.35), "", RED, 0.5)
    arrow(ax, (1.9, 0.22), (4.7, 0.6), RED)
    alt = (
        "Three rules for a small group beside a large one. Drop: it has no model. Keep: it has a "
        "model of its own, mostly noise. Merge: one model of both."
    )
    return fig, alt


DRAWINGS: dict[str, Callable[[], tuple[Figure, str]]] = {
    "select-measure-generate": pipeline,
    **{name.lower(): partial(mechanism, name) for name in _MECHANISMS},
    "added-fits": added,
    "scoring": scoring,
    "small-groups": small_groups,
}
