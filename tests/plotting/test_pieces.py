"""The pieces of a picture that a phone stacks: nothing drawn is lost, and each panel has its words."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.lines import Line2D

from lib.pages.chapter import STYLE
from lib.plotting.panels import legend, panels
from lib.plotting.pieces import pieces

TITLES = ("one", "two", "three", "four")


@pytest.fixture(autouse=True)
def style():
    with plt.style.context(STYLE):
        yield


def _drawn(fig):
    fig.set_dpi(200)
    FigureCanvasAgg(fig).draw()
    return fig


def _grid(shape=(2, 2), **options):
    fig, grid = panels((7.0, 5.0), shape, "budget", "value", titles=TITLES, **options)
    for place, ax in enumerate(grid.flat, 1):
        ax.plot([1, 10], [1, place], label="a line")
    return fig, grid


def _holds(box, artist, fig) -> bool:
    """Whether ``box`` encloses what ``artist`` draws."""
    left, top, wide, high = box
    x0, y0, x1, y1 = artist.get_window_extent().extents * 100 / fig.dpi
    whole = fig.get_figheight() * 100
    return (
        left <= x0 and x1 <= left + wide and top <= whole - y1 + 1 and whole - y0 <= top + high + 1
    )


@pytest.mark.parametrize("share", [{}, {"sharex": True, "sharey": True}, {"sharey": "row"}])
def test_each_panel_has_title_ticks_and_labels(share):
    fig, grid = _grid(**share)
    cut = pieces(_drawn(fig))
    assert len(cut) == 4
    for piece, ax, title in zip(cut, grid.flat, TITLES, strict=True):
        boxes = [box for row in piece for box in row if box]
        column, row = grid[:, list(grid.flat).index(ax) % 2], list(grid)[TITLES.index(title) // 2]
        names = [t for t in (ax.title, ax._left_title) if t.get_text()]
        names += [column[1].xaxis.label, row[0].yaxis.label]
        names += [
            t for o in (column if "sharex" in share else [ax]) for t in o.get_xticklabels()[2:3]
        ]
        for name in (n for n in names if n.get_text() and n.get_visible()):
            assert any(_holds(box, name, fig) for box in boxes), (title, name)


def test_a_title_above_a_column_goes_with_each_of_its_panels():
    fig, grid = panels((7.0, 5.0), (2, 2), "x", "y", titles=("left", "right"))
    title = next(t for t in (grid[0, 1].title, grid[0, 1]._left_title) if t.get_text())
    assert _holds(pieces(_drawn(fig))[3][0][-1], title, fig)


def test_entries_of_the_legend_and_a_label_at_the_side_come_first():
    fig, _ = _grid((1, 2))
    legend(fig)
    fig.supylabel("distance")
    cut = pieces(_drawn(fig))
    assert [len(piece) * len(piece[0]) for piece in cut[:2]] == [1, 1]
    assert cut[1][0][0][3] > cut[1][0][0][2]
    assert len(cut) == 4


def test_a_legend_in_place_of_a_panel_is_cut_into_its_entries():
    fig, grid = _grid()
    grid[1, 1].clear()
    grid[1, 1].axis("off")
    grid[1, 1].legend(*grid[0, 0].get_legend_handles_labels(), loc="center")
    cut = pieces(_drawn(fig))
    assert len(cut) == 4
    assert _holds(cut[0][0][0], grid[1, 1].get_legend().get_texts()[0], fig)


def test_panels_without_axes_are_pieces():
    fig, grid = plt.subplots(1, 3)
    for ax in grid:
        ax.pie([1, 2])
        ax.axis("off")
    assert [len(piece) for piece in pieces(_drawn(fig))] == [1, 1, 1]


def test_one_panel_has_no_pieces():
    assert pieces(_drawn(_grid((1, 1))[0])) == []


def test_a_picture_of_which_a_part_would_be_lost_is_left_whole():
    fig, _ = _grid()
    fig.add_artist(Line2D([0, 1], [0.5, 0.5]))
    assert pieces(_drawn(fig)) == []
