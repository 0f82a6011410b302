"""Lines and points with their intervals, and the ends of a line in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from lib.plotting.style import NULL


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
