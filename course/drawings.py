"""Drawings of the slides, by name, in the style of the book's figures.

``drawings.yml`` has those of boxes and arrows: a lecturer edits them there. The others are
functions of the modules below, which return the figure and its alternative text; they show what
functions of ``lib`` compute, or stored results. A slide takes a drawing with ``{drawing}`name```.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from functools import cache, partial

from matplotlib import pyplot as plt

from course import drawings_privacy, drawings_release, drawings_results
from course.canvas import ALONE, Drawn, arrow, box, canvas, words
from course.sessions import COURSE
from lib import validate
from lib.files import read_yaml
from lib.pages.chapter import STYLE
from lib.plotting import style

LARGE = COURSE / "drawings.mplstyle"
INK = {name: getattr(style, name.upper()) for name in "blue red green grey orange dark".split()}
INK["ink"] = "#111111"


def described(scheme: dict) -> Drawn:
    """A drawing of ``drawings.yml``, whose beginning explains its fields."""
    fig, ax = canvas(ALONE if scheme.get("alone") else None)
    for *place, text, colour, more in _rows(scheme, "boxes"):
        box(ax, tuple(place), text, INK[colour], **more)
    for x, y, to_x, to_y, colour, more in _rows(scheme, "arrows"):
        arrow(ax, (x, y), (to_x, to_y), INK[colour], **more)
    for x, y, text, colour, more in _rows(scheme, "words"):
        words(ax, x, y, text, color=INK[colour], **more)
    return fig, scheme["alt"]


def _rows(scheme: dict, kind: str) -> Iterator[list]:
    """Rows of one kind, each with its settings at the end, if only empty ones."""
    for row in scheme.get(kind, ()):
        yield row if isinstance(row[-1], dict) else [*row, {}]


DRAWINGS: dict[str, Callable[[], Drawn]] = {
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
    with plt.style.context([STYLE, LARGE]):
        fig, alt = make()
        packed = io.BytesIO()
        fig.savefig(packed, format="svg", metadata={"Date": None})
        plt.close(fig)
    return packed.getvalue(), "svg", alt
