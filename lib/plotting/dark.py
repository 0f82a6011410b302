"""The dark version of a figure that was drawn for a light page."""

from __future__ import annotations

from collections.abc import Iterator
from colorsys import hls_to_rgb, rgb_to_hls

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import Collection
from matplotlib.colors import to_rgba, to_rgba_array
from matplotlib.figure import Figure
from matplotlib.text import Text

_PROPERTIES = ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor")
_GREY, _TINT = 0.2, 0.8  # a saturation below is grey; a lightness above is a tint, as of a band


def dark(colour) -> tuple[float, float, float, float]:
    """The colour (RGBA) that plays the part of ``colour`` on a dark ground.

    Greys change places with their opposites; a hue stays and becomes light enough to be read.

    Examples
    --------
    >>> [round(part, 2) for part in dark("black")]
    [0.94, 0.94, 0.94, 1.0]
    """
    *rgb, alpha = to_rgba(colour)
    hue, light, saturation = rgb_to_hls(*rgb)
    if saturation < _GREY or light in (0, 1):
        light = 0.94 - 0.82 * light
    else:
        light = 0.28 if light > _TINT else max(light, 0.62)
        saturation *= 0.8
    return (*hls_to_rgb(hue, light, saturation), alpha)


def darken(fig: Figure) -> None:
    """Change the colours of ``fig`` to those of a dark page; heat maps and what is drawn on them
    stay.

    Parameters
    ----------
    fig : matplotlib.figure.Figure
        A figure that has been drawn or saved, so that its ticks exist.
    """
    kept = {
        artist
        for ax in fig.axes
        if has_heat_map(ax)
        for artist in (*ax.texts, *ax.lines, *ax.collections, *ax.patches)
    }
    changes = [
        (artist, name, value)
        for artist in _artists(fig)
        if artist not in kept
        for name, value in _colours(artist)
    ]
    for artist, name, value in changes:  # all read first: some colours follow others
        getattr(artist, f"set_{name}")(value)


def has_heat_map(ax: Axes) -> bool:
    """Whether the colours of the panel ``ax`` stand for numbers."""
    return bool(ax.images) or any(c.get_array() is not None for c in ax.collections)


def _artists(fig: Figure) -> Iterator[Artist]:
    for artist in fig.findobj():
        yield artist
        if isinstance(artist, Text):  # its box and its arrow are not among a figure's children
            yield from filter(None, (artist.get_bbox_patch(), getattr(artist, "arrow_patch", None)))


def _colours(artist: Artist) -> Iterator[tuple[str, object]]:
    mapped = isinstance(artist, Collection) and artist.get_array() is not None
    for name in () if mapped else _PROPERTIES:
        if name == "color" and not isinstance(artist, Text) and hasattr(artist, "get_facecolor"):
            continue  # of a patch or a collection it would set both of the others
        if not (hasattr(artist, f"get_{name}") and hasattr(artist, f"set_{name}")):
            continue
        value = getattr(artist, f"get_{name}")()
        if isinstance(value, np.ndarray) and value.ndim == 2:
            yield name, [dark(row) for row in to_rgba_array(value)]
        elif not (isinstance(value, str) and value == "none"):
            yield name, dark(value)
