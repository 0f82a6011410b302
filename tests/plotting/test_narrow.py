"""Figures that are drawn again for a phone: their words stay in sight and apart."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest

from lib.pages.chapter import STYLE
from lib.plotting.narrow import WIDTHS, faults, narrowed


def figure(words: str, title: str = "", wide: float = 6.4):
    with plt.style.context(STYLE):
        fig, ax = plt.subplots(figsize=(wide, 3))
        for number in range(4):
            ax.plot([1, 2 + number], label=f"line {number}")
        ax.annotate(words, (1, 2))
        ax.set_title(title)
        fig.legend(ncols=4, loc="outside upper left")
        fig.canvas.draw()
    return fig


@pytest.mark.parametrize(("wide", "expected"), [(6.4, 4.0), (3.6, 3.6)])
def test_a_figure_takes_the_least_width_at_which_its_words_fit(wide, expected):
    fig = figure("here", "a title that takes two thirds of the width", wide)
    with narrowed(fig) as fits:
        assert fits == (expected != wide)
        assert fig.get_figwidth() == expected
        assert fig.legends[0]._ncols == (2 if fits else 4)
        assert not fits or faults(fig) == 0
    assert (fig.get_figwidth(), fig.legends[0]._ncols) == (wide, 4)


def test_a_figure_that_fits_at_no_width_stays_as_it_is():
    fig = figure("here", "a title of very many words that fills the whole of the figure's width")
    with narrowed(fig, WIDTHS[:2]) as fits:
        assert not fits
        assert fig.get_figwidth() == 6.4


@pytest.mark.filterwarnings("error")
def test_a_width_without_room_is_passed_over_in_silence():
    fig = figure("here", "a title that takes two thirds of the width")
    fig.axes[0].set_yticks([1, 2], ["a name of a group that is as long as this", "and another"])
    fig.canvas.draw()
    with narrowed(fig, (2.0, 6.0)) as fits:
        assert fits == (fig.get_figwidth() == 6.0)


def test_words_beyond_the_edge_and_on_each_other_are_counted():
    fig = plt.figure(figsize=(6.4, 3))
    for place, words in ((0.2, "here"), (0.5, "apart")):
        fig.text(place, 0.5, words)
    fig.canvas.draw()
    assert faults(fig) == 0
    fig.text(0.2, 0.5, "there")
    fig.text(0.9, 0.5, "a text that leaves the figure at its right")
    assert faults(fig) == 2
