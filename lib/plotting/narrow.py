"""A figure drawn again for the width of a phone, with its letters as large as before."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import combinations

from matplotlib.figure import Figure
from matplotlib.text import Text

WIDTHS = (3.5, 4.0, 4.5, 5.2)  # inches of 100 pixels; a phone shows 340 of them


@contextmanager
def narrowed(fig: Figure, widths: Iterable[float] = WIDTHS) -> Iterator[bool]:
    """Within it, ``fig`` has the first of ``widths`` (inches) at which no more of its words are cut
    off, or written over each other, than before; False if it has its own.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
        Drawn on a canvas of Agg.
    widths : iterable of float
    """
    (wide, high), engine, allowed = fig.get_size_inches(), fig.get_layout_engine(), faults(fig)
    inside = (legend for ax in fig.axes if (legend := ax.get_legend()))
    columns = {legend: legend._ncols for legend in (*fig.legends, *inside)}
    fits = False
    for width in (w for w in widths if w < 0.95 * wide and not fits):
        fig.set_size_inches(width, high)
        for legend, count in columns.items():
            legend.set_ncols(max(1, int(count * width / wide)))
        with warnings.catch_warnings(action="ignore"):  # that a width leaves no room for the axes
            fig.draw_without_rendering()
        fits = faults(fig) <= allowed
    if not fits:
        fig.set_size_inches(wide, high)
    yield fits
    fig.set_size_inches(wide, high)
    fig.set_layout_engine(engine)
    for legend, count in columns.items():
        legend.set_ncols(count)


def faults(fig: Figure) -> int:
    """How many words of ``fig`` reach beyond it, and how many pairs are written over each other."""
    boxes = [text.get_window_extent() for text in _words(fig)]
    inside = fig.bbox.padded(1)
    cut = sum(not (inside.x0 <= b.x0 and b.x1 <= inside.x1) for b in boxes)
    return cut + sum(a.padded(-1).overlaps(b.padded(-1)) for a, b in combinations(boxes, 2))


def _words(fig: Figure) -> Iterator[Text]:
    """The texts that are seen; of tick labels, those inside the limits of their axis."""
    ticks = {}
    for ax in fig.axes:
        for which in "xy":
            for text in getattr(ax, f"get_{which}ticklabels")(which="both"):
                ticks[text] = (which, getattr(ax.bbox, f"interval{which}"), ax.axison)
    for text in fig.findobj(Text):
        if not (text.get_visible() and text.get_text().strip() and text.axes is not False):
            continue
        which, (low, high), on = ticks.get(text, ("x", (-1e9, 1e9), True))
        middle = sum(getattr(text.get_window_extent(), f"interval{which}")) / 2
        if on and low - 1 <= middle <= high + 1:
            yield text
