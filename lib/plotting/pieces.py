"""The pieces into which a picture is cut for a phone, where they stand below each other: the
entries of its legend, its label at the side, then its panels, each with the words that it shares
with its neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, combinations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.transforms import Bbox

Box = list[int]  # left, top, width and height, in pixels of the screen
Piece = list[list[Box | None]]  # its rows and columns

SCREEN = 100  # pixels an inch
WIDEST = 540  # of a piece; a phone shows 340 pixels, and letters of .63 of their size can be read
_ROOM = 2


def pieces(fig: Figure) -> list[Piece]:
    """The pieces of ``fig``; none if it has one panel only, if something drawn would be in none or
    in two, or if one were too wide for a phone.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
        Drawn on a canvas of Agg.
    """
    axes = [ax for ax in fig.axes if ax.get_visible() and ax.get_subplotspec()]
    if len(axes) < 2:
        return []
    alone = {ax: ax.get_legend() for ax in axes if ax.get_legend() and not ax.axison}
    words = [box for legend in (*fig.legends, *alone.values()) for box in _entries(legend)]
    words += [text.get_window_extent() for text in fig.texts if text.get_rotation()]
    grids: list[list[list[Bbox | None]]] = [[[box]] for box in words]
    grids += [_panel(ax, axes) for ax in axes if ax not in alone]
    cut = [[[box and _on_screen(box, fig) for box in row] for row in grid] for grid in grids]
    if any(a.padded(-3).overlaps(b.padded(-3)) for a, b in combinations(map(_own, axes), 2)):
        return []  # a word of one panel would be cut off at another
    wide = (sum(max(box[2] for box in c if box) for c in zip(*g, strict=True)) for g in cut)
    return cut if max(wide) <= WIDEST and _is_whole(fig, cut) else []


def _on_screen(box: Bbox, fig: Figure) -> Box:
    """``box`` with some room, from the upper left corner of ``fig``."""
    scale, high = SCREEN / fig.dpi, fig.bbox.height
    left, top = (max(0, int(at * scale) - _ROOM) for at in (box.x0, high - box.y1))
    right, bottom = (int(np.ceil(at * scale)) + _ROOM for at in (box.x1, high - box.y0))
    return [left, top, right - left, bottom - top]


def _is_whole(fig: Figure, cut: Iterable[Piece]) -> bool:
    """Whether whatever is drawn is in one of the boxes."""
    pixels = np.array(fig.canvas.buffer_rgba())
    scale, ground = fig.dpi / SCREEN, pixels[0, 0].copy()
    for left, top, wide, high in (box for grid in cut for row in grid for box in row if box):
        rows, columns = (
            slice(int(a * scale), int((a + b) * scale)) for a, b in ((top, high), (left, wide))
        )
        pixels[rows, columns] = ground
    return bool((pixels == ground).all())


def _entries(legend: Legend) -> Iterable[Bbox]:
    """Each text of ``legend`` with its handle."""
    for text in legend.get_texts():
        box, em = text.get_window_extent(), text.get_size() * text.figure.dpi / 72
        handle = (legend.handlelength + legend.handletextpad) * em
        yield Bbox.from_extents(box.x0 - handle, box.y0, box.x1, box.y1)


def _panel(ax: Axes, axes: list[Axes]) -> Piece:
    """``ax``, with the title, ticks and labels that it shares."""
    above, left, below = None, (None, None), (None, None)
    if ax.axison:
        row, column = (_line(ax, axes, span) for span in ("rowspan", "colspan"))
        above = None if any(map(_is_seen, _titles(ax))) else _place(chain(*map(_titles, column)))
        left, below = _edge(ax, row, "y"), _edge(ax, column, "x")
    grid = [[None, None, above], [*left, ax.get_tightbbox()]]
    grid += [[None, None, box] for box in reversed(below)]
    rows = [row for row in grid if any(row)]
    there = [any(column) for column in zip(*rows, strict=True)]
    return [[box for box, keep in zip(row, there, strict=True) if keep] for row in rows]


def _own(ax: Axes) -> Bbox:
    return ax.get_tightbbox() or ax.bbox


def _titles(ax: Axes) -> tuple[Text, Text, Text]:
    return ax._left_title, ax.title, ax._right_title


def _line(ax: Axes, axes: list[Axes], span: str) -> list[Axes]:
    """Those of ``axes`` in the row or in the column of ``ax``."""
    own = getattr(ax.get_subplotspec(), span)
    return [o for o in axes if o.axison and getattr(o.get_subplotspec(), span) == own]


def _edge(ax: Axes, line: list[Axes], which: str) -> tuple[Bbox | None, Bbox | None]:
    """Label and tick labels of an axis of ``ax`` that others in its ``line`` have for it."""
    label = ticks = None
    if not getattr(ax, f"{which}axis").label.get_text():
        of_figure = [] if which == "y" else [t for t in ax.figure.texts if not t.get_rotation()]
        label = _place([*(getattr(other, f"{which}axis").label for other in line), *of_figure])
    if _ticks(ax, which) is None:
        ticks = next(filter(None, (_ticks(other, which) for other in line)), None)
    return label, ticks


def _ticks(ax: Axes, which: str) -> Bbox | None:
    """Place of the tick labels along an axis of ``ax``."""
    texts = getattr(ax, f"get_{which}ticklabels")(which="both")
    words = [text.get_window_extent() for text in texts if _is_seen(text)]
    low, high = getattr(ax.bbox, f"interval{which}")
    inside = [w for w in words if low - 1 <= sum(getattr(w, f"interval{which}")) / 2 <= high + 1]
    return Bbox.union(inside) if inside else None


def _place(texts: Iterable[Text]) -> Bbox | None:
    """Of the first of ``texts`` that has words."""
    return next((text.get_window_extent() for text in texts if _is_seen(text)), None)


def _is_seen(text: Text) -> bool:
    return text.get_visible() and bool(text.get_text())
