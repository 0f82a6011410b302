"""How the protocols look in every figure: colours, markers, places side by side, a legend."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from lib.ldp import PROTOCOLS
from lib.plotting.panels import handle
from lib.plotting.style import BLUE, DARK, GREEN, OLIVE, ORANGE, PINK, RED


class _Styles(dict):
    """Styles by protocol, and one for any protocol of another package."""

    def __init__(self, styles: Iterable[Any], other: Any) -> None:
        super().__init__(zip(PROTOCOLS, styles, strict=True))
        self.other = other

    def __missing__(self, name: str):
        return self.other


COLOURS = _Styles((BLUE, DARK, OLIVE, RED, PINK, GREEN, ORANGE), "#56B4E9")
MARKERS = _Styles("osD^vPX", "*")  # these tell the protocols apart in grey
# factors on epsilon, which set error bars side by side
OFFSETS = _Styles((1.035**place for place in (-4, -3, -2, -1, 1, 2, 3)), 1.0)
SPLIT_NAMES = {"uniform": "uniform split", "k-based": "k-based split"}


def in_order(names: Iterable[str]) -> list[str]:
    """Each of ``names`` once: the package's protocols in their order, then those of others."""
    there = dict.fromkeys(names)
    return [n for n in PROTOCOLS if n in there] + [n for n in there if n not in PROTOCOLS]


def protocol_legend(fig: Figure, names: Iterable[str], *extra: Line2D) -> None:
    """One legend above the panels, in the order of the protocols, those of other packages last and
    without their modules.
    """
    own = [
        handle(name.rpartition(":")[2], color=COLOURS[name], marker=MARKERS[name])
        for name in in_order(names)
    ]
    style = {"ncols": 4, "columnspacing": 1.2, "handlelength": 1.6}
    fig.legend(handles=[*own, *extra], loc="outside upper center", **style)
