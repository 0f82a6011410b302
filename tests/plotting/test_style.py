"""What all figures share: colours that a dark page shows, ticks of the budgets, labels as they are."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from lib.audit.report import _picture
from lib.pages.chapter import figure_html, setup_style
from lib.plotting.panels import epsilon_axis, legend, panel
from lib.plotting.style import GREY, LIGHT, SERIES


@pytest.fixture(autouse=True)
def style():
    """What a test sets is gone after it."""
    with plt.style.context("default"):
        yield


def luminance(rgb) -> float:
    linear = np.where(rgb <= 0.03928, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("colour", [*SERIES, GREY, LIGHT, "black", "#333333", "#555555"])
def test_what_is_drawn_has_contrast_when_a_dark_page_inverts_it(colour):
    """By the filter of ``companion.css``: invert(.9), and a hue-rotate by 180 degrees."""
    turn = [[-0.574, 1.43, 0.144], [0.426, 0.43, 0.144], [0.426, 1.43, -0.856]]
    seen = np.clip(turn @ (0.9 - 0.8 * np.array(to_rgb(colour))), 0, 1)
    ground = luminance(np.array(to_rgb("#14181e")))  # of the theme
    assert (luminance(seen) + 0.05) / (ground + 0.05) >= (2 if colour == LIGHT else 3)


@pytest.mark.parametrize(
    ("budgets", "shown"),
    [
        ([1.0, 8.0], ["1", "8"]),
        ([8, 10], ["10"]),
        ([4, 20], ["4", "20"]),
        ([0.25, 8, 10, 20, 50], ["0.25", "10", "50"]),
    ],
)
def test_a_tick_is_left_out_only_beside_the_one_that_its_label_would_touch(budgets, shown):
    """8 and 20 were always left out, so that a grid of 1 and 8 had one tick."""
    ax = plt.subplots()[1]
    epsilon_axis(ax, budgets)
    assert [t.get_text() for t in ax.get_xticklabels()] == shown


def test_no_label_is_a_formula_unless_it_says_so():
    """Names from data with two dollar signs stopped the figure, or became mathematics."""
    setup_style()
    fig, ax = panel((4, 3), "$10k_$20k", "$50%-$75%", log="xy", titles=["$x^2$"])
    ax.plot([1e-3, 1e2], [2, 7], label=r"$\frac{")
    legend(fig)
    fig.canvas.draw()
    across, up = (axis.get_ticklabels(which="both") for axis in (ax.xaxis, ax.yaxis))
    assert {"10⁻³", "10²"} <= {label.get_text() for label in across}
    assert {"2 × 10⁰", "6 × 10⁰"} <= {label.get_text() for label in up}
    assert not any("$" in label.get_text() for label in (*across, *up))


def test_no_figure_follows_a_persons_own_settings():
    """A ``matplotlibrc`` may lie in the working folder, too."""

    def page() -> str:
        setup_style()
        fig, ax = panel((2, 2), "x", "y")
        ax.plot([1, 2])
        return figure_html(fig, "Two.", "A line from one to two.")

    def report() -> object:
        return _picture("Two.", lambda: (plt.figure(), plt.plot([1, 2]))[:1] * 2)["png"]

    plain = page(), report()
    own = {"lines.linestyle": ":", "xtick.direction": "in", "axes.xmargin": 0.4, "font.weight": 900}
    for draw, before in zip((page, report), plain, strict=True):
        with plt.rc_context(own):
            assert draw() == before
