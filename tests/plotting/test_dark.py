"""The dark version of a figure: readable on a dark page, heat maps unchanged."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from lib.plotting.dark import dark, darken
from lib.plotting.style import SERIES

GROUND = "#14181e"  # of the theme


def _luminance(colour) -> float:
    parts = np.array(to_rgb(colour))
    linear = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("colour", [*SERIES, "black", "#222222", "#333333", "#555555", "#6B6B6B"])
def test_what_is_drawn_has_contrast_on_a_dark_page(colour):
    assert (_luminance(dark(colour)[:3]) + 0.05) / (_luminance(GROUND) + 0.05) >= 4


def test_every_part_of_a_figure_changes_and_a_second_darkening_of_a_colour_does_not():
    fig, ax = plt.subplots()
    (line,) = ax.plot([1, 2], color=SERIES[0], marker="o")
    band = ax.fill_between([0, 1], [1, 1], [2, 2], color="black", alpha=0.1)
    note = ax.annotate("here", (0, 1), (0.5, 1), arrowprops={"color": "black"})
    fig.canvas.draw()
    darken(fig)
    assert _luminance(line.get_color()) > _luminance(SERIES[0])
    assert line.get_markerfacecolor() == line.get_color()
    assert band.get_facecolor()[0, 3] == pytest.approx(0.1)
    assert band.get_facecolor()[0, 0] > 0.9
    dark_parts = [note, ax.title, ax.xaxis.label, *ax.get_xticklabels()]
    assert all(_luminance(text.get_color()) > 0.5 for text in dark_parts)
    assert _luminance(note.arrow_patch.get_facecolor()[:3]) > 0.5
    assert dark(dark(SERIES[0])) == pytest.approx(dark(SERIES[0]), abs=0.15)


def test_a_heat_map_and_the_numbers_on_it_stay():
    fig, ax = plt.subplots()
    image = ax.imshow([[0, 1]], cmap="cividis")
    text = ax.text(0, 0, "0.5", color="white")
    before = image.to_rgba([0.0, 1.0])
    fig.canvas.draw()
    darken(fig)
    assert (image.to_rgba([0.0, 1.0]) == before).all()
    assert text.get_color() == "white"
    assert _luminance(ax.get_xticklabels()[0].get_color()) > 0.5
