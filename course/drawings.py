"""Drawings of the slides, by name, in the style of the book's figures.

A drawing shows an argument, without numbers, or what a function of ``lib`` computes. Each is a
function that returns the figure and its alternative text; a slide takes it with
``{drawing}`name```.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import cache

import matplotlib
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from course import (
    drawings_privacy,
    drawings_release,
    drawings_results,
    drawings_strata,
    drawings_synth,
)
from lib import validate
from lib.pages.chapter import STYLE

Drawing = Callable[[], tuple[Figure, str]]
DRAWINGS: dict[str, Drawing] = {
    **drawings_privacy.DRAWINGS,
    **drawings_release.DRAWINGS,
    **drawings_results.DRAWINGS,
    **drawings_strata.DRAWINGS,
    **drawings_synth.DRAWINGS,
}
# letters of 14 points are 19 pixels on a slide, on which a drawing has its own size
LARGE = {"font.size": 14.0, "svg.hashsalt": "slides", "axes.grid": False}
LARGE |= dict.fromkeys(("axes.titlesize", "axes.labelsize", "legend.fontsize"), 14.0)
LARGE |= dict.fromkeys(("xtick.labelsize", "ytick.labelsize"), 13.0)


@cache
def draw(name: str) -> tuple[bytes, str, str]:
    """The drawing as SVG, the name of that kind, and the alternative text.

    Raises
    ------
    ValueError
        If there is no drawing of that name.

    Examples
    --------
    >>> draw("bells")[0].startswith(b"<?xml")
    True
    """
    make = DRAWINGS[validate.choice("drawing", name, DRAWINGS)]
    with matplotlib.rc_context({}), plt.style.context([STYLE, LARGE]):
        fig, alt = make()
        packed = io.BytesIO()
        fig.savefig(packed, format="svg", metadata={"Date": None})
        plt.close(fig)
    return packed.getvalue(), "svg", alt
