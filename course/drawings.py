"""Drawings of the slides, by name, in the style of the book's figures.

``drawings.yml`` has those of boxes and arrows: a lecturer edits them there. The others are
functions of the modules below, which return the figure and its alternative text; they show what
functions of ``lib`` compute, or stored results. A slide takes a drawing with ``{drawing}`name```.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import cache, partial

import matplotlib
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from course import drawings_privacy, drawings_release, drawings_results
from course.canvas import ALONE, BESIDE, arrow, box, canvas, words
from course.sessions import COURSE
from lib import validate
from lib.files import read_yaml
from lib.pages.chapter import STYLE
from lib.plotting import style

Drawing = Callable[[], tuple[Figure, str]]
# letters of 14 points are 19 pixels on a slide, on which a drawing has its own size
LARGE = {"font.size": 14.0, "svg.hashsalt": "slides", "axes.grid": False}
LARGE |= dict.fromkeys(("axes.titlesize", "axes.labelsize", "legend.fontsize"), 14.0)
LARGE |= dict.fromkeys(("xtick.labelsize", "ytick.labelsize"), 13.0)
INK = {name: getattr(style, name.upper()) for name in "blue red green grey orange dark".split()}
INK["ink"] = "#111111"


def described(scheme: dict) -> tuple[Figure, str]:
    """A drawing of ``drawings.yml``, whose beginning explains its fields."""
    fig, ax = canvas(ALONE if scheme.get("alone") else BESIDE)
    for *place, text, colour, more in map(_padded, scheme.get("boxes", ())):
        box(ax, tuple(place), text, INK[colour], **more)
    for x, y, to_x, to_y, colour, more in map(_padded, scheme.get("arrows", ())):
        arrow(ax, (x, y), (to_x, to_y), INK[colour], **more)
    for x, y, text, colour, more in map(_padded, scheme.get("words", ())):
        words(ax, x, y, text, color=INK[colour], **more)
    return fig, scheme["alt"]


def _padded(row: list) -> list:
    return row if isinstance(row[-1], dict) else [*row, {}]


DRAWINGS: dict[str, Drawing] = {
    name: partial(described, scheme)
    for name, scheme in read_yaml(COURSE / "drawings.yml", dict).items()
} | {
    name.replace("_", "-"): make
    for module in (drawings_privacy, drawings_release, drawings_results)
    for name, make in vars(module).items()
    if getattr(make, "__module__", "") == module.__name__ and not name.startswith("_")
}


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
