"""Panels of a figure, one or a grid of them: their scales, ticks and the legend above; and what is
drawn in them, lines and points with their intervals.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogFormatterSciNotation, LogLocator, NullFormatter

from lib.plotting.style import NULL
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


def ends(values: Sequence[float] | pd.Series, spec: str = ".2f") -> str:
    """First and last of ``values`` in words.

    Examples
    --------
    >>> ends([0.5, 0.7, 0.25])
    '0.50 to 0.25'
    """
    first, *_, last = [*values] * 2
    return f"{first:{spec}} to {last:{spec}}"


def note(
    ax: Axes, text: str, at: tuple[float, float], offset: tuple[float, float], **style
) -> None:
    """Write ``text`` beside the point ``at``, ``offset`` points (1/72 inch) to the right and up."""
    ax.annotate(text, at, offset, textcoords="offset points", **style)


def spread(rows: pd.DataFrame, value: str = "mean", most: float | None = None) -> np.ndarray:
    """Lengths of the interval below and above ``value``, shape (2, n); 0 where there is none.

    Parameters
    ----------
    rows : DataFrame
        With columns ``low`` and ``high`` besides.
    most : float, optional
        Cut the intervals of a quantity that lies between 0 and this: a logarithmic axis has no 0.
    """
    middle = rows[value]
    lengths = np.nan_to_num([middle - rows["low"], rows["high"] - middle]).clip(min=0)
    return lengths if most is None else np.minimum(lengths, [0.98 * middle, most - middle])


def curve(
    ax: Axes,
    rows: pd.DataFrame,
    x: str | Sequence[float] | np.ndarray | pd.Series,
    value: str = "mean",
    *,
    most: float | None = None,
    **style,
) -> None:
    """A line through ``value`` against ``x`` (a column or places) and an interval at each point."""
    style = {"markersize": 3.5, "linewidth": 1.1} | style
    places = rows[x] if isinstance(x, str) else x
    ax.errorbar(places, rows[value], spread(rows, value, most), **style)


def band(ax: Axes, rows: pd.DataFrame, x: str, *, most: float | None = None, **style) -> None:
    """A line through the means against ``x``, their intervals as a shaded band around it."""
    rows = rows.sort_values(x, kind="stable")
    (line,) = ax.plot(rows[x], rows["mean"], **{"markersize": 3.5, "linewidth": 1.2} | style)
    below, above = spread(rows, most=most)
    ends = rows["mean"] - below, rows["mean"] + above
    ax.fill_between(rows[x], *ends, color=line.get_color(), alpha=0.15, linewidth=0)


def simulated(ax: Axes, rows: pd.DataFrame, x: str, exact: str = "exact", **style) -> None:
    """The exact error as a line, and on it the simulated ``rmse`` as points with intervals."""
    ax.plot(rows[x], rows[exact], color=style["color"], linewidth=1)
    curve(ax, rows, x, "rmse", linestyle="", **style)


def dots(
    ax: Axes,
    rows: pd.DataFrame,
    names: Sequence[str],
    by: Sequence[str],
    colours: Mapping[str, str],
) -> None:
    """Means with intervals along a line for each of ``names``, the series side by side.

    Parameters
    ----------
    names : sequence of str
        What stands on the vertical axis, from the top.
    by : (str, str)
        The columns of ``rows`` that hold the names and the series.
    colours : mapping of str to str
        Colour of each series. Where ``rows`` has a column ``null``, its values are grey ticks.
    """
    line, series = by
    for i, (name, colour) in enumerate(colours.items()):
        own = rows[rows[series] == name].set_index(line).reindex(names)
        y = np.arange(len(names)) + 0.2 * (i - (len(colours) - 1) / 2)
        style = {"fmt": "os^DvPX"[i], "color": colour, "markersize": 3.5, "label": name}
        ax.errorbar(own["mean"], y, xerr=spread(own), linewidth=1, capsize=1.5, **style)
        if "null" in own:
            ax.plot(own["null"], y, "|", color=NULL, markersize=7, label="sampling alone")
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
