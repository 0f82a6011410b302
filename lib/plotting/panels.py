"""Panels of a figure: one or a grid of them, their scales, ticks and the legend above."""

from __future__ import annotations

from collections.abc import Iterable

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogFormatterSciNotation, LogLocator, NullFormatter

from lib.typeset import SUPERSCRIPTS

Picture = tuple[Figure, str]  # a figure and its alternative text
_NEIGHBOUR = {8.0: 10.0, 20.0: 50.0}  # a tick whose label would touch that of another one


def panels(
    size: tuple[float, float],
    shape: tuple[int, int],
    xlabel: str = "",
    ylabel: str = "",
    *,
    titles: Iterable[str] = (),
    log: str = "",
    sharex: bool | str = False,
    sharey: bool | str = False,
    **settings,
) -> tuple[Figure, np.ndarray]:
    """Figure and its panels, shape (rows, columns), labelled at the lower and at the left edge.

    Parameters
    ----------
    size : (float, float)
        Width and height of the figure in inches.
    shape : (int, int)
        Rows and columns.
    titles : iterable of str
        Titles of the panels, row by row.
    log : str
        The logarithmic axes: "x", "y" or "xy".
    settings
        Properties of every panel, as of :meth:`matplotlib.axes.Axes.set`.
    """
    fig, grid = plt.subplots(
        *shape,
        figsize=size,
        squeeze=False,
        sharex=sharex,
        sharey=sharey,
        subplot_kw=settings | {f"{axis}scale": "log" for axis in log},
    )
    for axis in log:
        for ax in grid.flat:
            powers(getattr(ax, f"{axis}axis"))
    for ax, title in zip(grid.flat, titles, strict=False):
        ax.set_title(title, fontsize=9.5)
    for ax in grid[-1]:
        ax.set_xlabel(xlabel)
    for ax in grid[:, 0]:
        ax.set_ylabel(ylabel)
    return fig, grid


class _Powers(LogFormatterSciNotation):
    """Powers of ten without formulas, which the book's style does not read."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        formula = super().__call__(x, pos).replace("\\times", " × ").strip("$}")
        base, _, power = formula.removeprefix("\\mathdefault{").partition("^{")
        return base + power.translate(SUPERSCRIPTS)


def powers(axis: Axis) -> None:
    """Label a logarithmic axis with powers of ten in letters: 10⁻³."""
    axis.set_major_formatter(_Powers())
    axis.set_minor_formatter(_Powers())


def panel(size: tuple[float, float], *labels: str, **settings) -> tuple[Figure, Axes]:
    """Figure of a single panel and the panel; arguments as of :func:`panels`."""
    fig, grid = panels(size, (1, 1), *labels, **settings)
    return fig, grid[0, 0]


def legend(fig: Figure, ncols: int = 2, **style) -> None:
    """One legend above the panels with each label once."""
    found: dict = {}
    for ax in fig.axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    fig.legend(found.values(), found, loc="outside upper center", ncols=ncols, **style)


def handle(label: str, **style) -> Line2D:
    """Entry of a legend that no line of the figure makes."""
    return Line2D([], [], label=label, **style)


def ticks(ax: Axes, places: Iterable[float], spec: str = "g", **style) -> None:
    """Ticks of the horizontal axis at ``places`` and nowhere else, in plain numbers."""
    places = sorted(set(places))
    ax.set_xticks(places, [format(p, spec) for p in places], **style)
    ax.set_xticks([], minor=True)


def epsilon_axis(ax: Axes, values: Iterable[float], **style) -> None:
    """A logarithmic axis of budgets with a tick at each, but at 8 beside 10 and at 20 beside 50."""
    budgets = set(map(float, values))
    ax.set_xscale("log")
    ticks(ax, [b for b in budgets if _NEIGHBOUR.get(b) not in budgets], **style)


def log_if_wide(ax: Axes, values) -> None:
    """A logarithmic axis where ``values`` span most of a decade, else a linear one."""
    values = np.asarray(values, dtype=float)
    values = values[values > 0]
    if values.size and values.max() > 6 * values.min():
        ax.set_yscale("log")
        powers(ax.yaxis)
        ax.yaxis.set_minor_formatter(NullFormatter())
        if values.max() < 100 * values.min():  # powers of ten may be one or none
            ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            ax.yaxis.set_major_formatter("{x:g}")
