"""A ground for drawings of boxes and arrows, in units of 100 pixels of a slide, and its bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from lib.plotting.style import BLUE, DARK, GREY

ALONE = 11.4, 4.8  # width and height of a drawing that has the slide
Drawn = tuple[Figure, str]  # a drawing and its alternative text


def canvas(size: tuple[float, float] | None = None) -> tuple[Figure, Axes]:
    """An empty figure without axes; its units are 100 pixels, from the lower left."""
    fig = plt.figure(figsize=size, layout="none")
    ax = fig.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, fig.get_figwidth()), ylim=(0, fig.get_figheight()))
    ax.axis("off")
    return fig, ax


def box(
    ax: Axes,
    place: tuple[float, float, float, float],
    text: str = "",
    colour: str = BLUE,
    fill: float = 0.12,
    **style,
) -> None:
    """A box at left, bottom, width and height, with words in its middle."""
    x, y, wide, high = place
    shape = "round,pad=0,rounding_size=0.08"
    look = {"facecolor": (colour, fill), "edgecolor": colour, "linewidth": 2}
    ax.add_patch(FancyBboxPatch((x, y), wide, high, boxstyle=shape, **look))
    words(ax, x + wide / 2, y + high / 2, text, **style)


def words(ax: Axes, x: float, y: float, text: str, **style) -> None:
    """Words with their middle at ``x``, ``y``; a colour is darkened, to be read on white."""
    if "color" in style:
        style["color"] = tuple(0.62 * part for part in to_rgb(style["color"]))
    ax.text(x, y, text, **({"ha": "center", "va": "center", "linespacing": 1.25} | style))


def arrow(
    ax: Axes, start: tuple[float, float], end: tuple[float, float], colour: str = DARK, **style
) -> None:
    """An arrow from ``start`` to ``end``."""
    look = {"arrowstyle": "-|>", "mutation_scale": 20, "linewidth": 2, "color": colour}
    ax.add_patch(FancyArrowPatch(start, end, shrinkA=0, shrinkB=0, **(look | style)))


def cells(
    ax: Axes,
    place: tuple[float, float],
    filled: Iterable[float],
    columns: int,
    colour: str = BLUE,
    side: float = 0.48,
) -> None:
    """Squares in rows of ``columns``, the first at left, bottom; the filled ones in ``colour``."""
    for at, full in enumerate(filled):
        down, right = np.array(divmod(at, columns)) * 1.15 * side
        square = (place[0] + right, place[1] - down, side, side)
        box(ax, square, "", colour if full else GREY, 0.6 if full else 0.04)


def stacked(table: pd.DataFrame, colours: Sequence[str], label: str, form: str = "{:.0f}") -> Drawn:
    """A bar for each row, of the columns beside each other, and its alternative text."""
    fig, ax = plt.subplots()
    start, wide = np.zeros(len(table)), table.sum(axis=1).max()
    for (part, values), colour in zip(table.items(), colours, strict=True):
        look = {"facecolor": (colour, 0.35), "edgecolor": colour, "label": part}
        bars = ax.barh(table.index, values, left=start, **look)
        shown = [form.format(v) if v > 0.08 * wide else "" for v in values]
        ax.bar_label(bars, shown, label_type="center")
        start += values.to_numpy()
    ax.invert_yaxis()
    ax.legend(ncols=2, loc="lower left", bbox_to_anchor=(0, 1))
    ax.set(xlabel=label, xlim=(0, wide))
    said = (
        f"{name}: {', '.join(f'{part} {form.format(v)}' for part, v in row.items())}"
        for name, row in table.iterrows()
    )
    return fig, f"Bars of the {label}, in parts. {'; '.join(said)}.".replace("\n", " ")
