"""What the figures share: a colour and a marker for each protocol, the epsilon axis, words for
numbers.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from lib.ldp import PROTOCOLS

__all__ = [
    "COLOURS",
    "MARKERS",
    "METRIC_NAMES",
    "SPLIT_NAMES",
    "epsilon_axis",
    "log_if_wide",
    "offsets",
    "plain_ticks",
    "protocol_legend",
]


class _Styles(dict):
    """Styles by protocol, and one for any protocol of another package."""

    def __init__(self, styles, other) -> None:
        super().__init__(styles)
        self.other = other

    def __missing__(self, name: str):
        return self.other


# Okabe-Ito without its yellow; the markers tell the protocols apart in grey
COLOURS = _Styles(
    zip(
        PROTOCOLS,
        ("#0072B2", "#4B4B4B", "#8A8A2B", "#D55E00", "#CC79A7", "#009E73", "#E69F00"),
        strict=True,
    ),
    "#56B4E9",
)
MARKERS = _Styles(zip(PROTOCOLS, "osD^vPX", strict=True), "*")

METRIC_NAMES = {
    "DI": "disparate impact",
    "SPD": "statistical parity difference",
    "EOD": "equal opportunity difference",
    "OAD": "overall accuracy difference",
    "acc": "accuracy",
    "f1": "f1",
    "auc": "AUC (of scores)",
    "recall": "recall",
    "balanced_accuracy": "balanced accuracy",
    "positive_rate": "positive predictions",
    "tpr": "true positive rate",
    "fpr": "false positive rate",
}
_NEIGHBOUR = {8.0: 10.0, 20.0: 50.0}  # a tick whose label would touch that of another one
SPLIT_NAMES = {"uniform": "uniform split", "k-based": "k-based split"}


def epsilon_axis(ax: Axes, values, *, label: bool = True) -> None:
    """A logarithmic axis whose ticks are the budgets of the grid, but 8 beside 10 and 20 beside
    50.
    """
    ticks = sorted(set(map(float, values)))
    ax.set_xscale("log")
    shown = [t for t in ticks if _NEIGHBOUR.get(t) not in ticks]
    ax.set_xticks(shown, [f"{t:g}" for t in shown])
    ax.set_xticks([], minor=True)
    if label:
        ax.set_xlabel("budget ε (log scale)")


def log_if_wide(ax: Axes, values) -> None:
    """A logarithmic axis where ``values`` span most of a decade; a short range reads better on a
    linear one.
    """
    values = np.asarray(values, dtype=float)
    values = values[values > 0]
    if values.size and values.max() > 6 * values.min():
        ax.set_yscale("log")
        ax.yaxis.set_minor_formatter(NullFormatter())
        if values.max() < 100 * values.min():
            plain_ticks(ax.yaxis)


def plain_ticks(axis: Axis) -> None:
    """Plain numbers at 1, 2 and 5 of each decade of a logarithmic axis, whose powers of ten
    alone may be one or none.
    """
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def offsets() -> dict[str, float]:
    """A factor on epsilon for each protocol, so that error bars stand side by side; a guest is
    in the middle, on its tick.
    """
    places = [place for place in range(-4, 5) if place]
    return _Styles(
        {name: 1.035**place for name, place in zip(PROTOCOLS, places, strict=False)}, 1.0
    )


def protocol_legend(fig: Figure, names, *, extra=()) -> None:
    """One legend above all panels, in the order of the protocols, those of other packages last."""
    there = dict.fromkeys(names)
    order = [n for n in PROTOCOLS if n in there] + [n for n in there if n not in PROTOCOLS]
    handles = [
        plt.Line2D([], [], color=COLOURS[n], marker=MARKERS[n], label=n.rpartition(":")[2])
        for n in order
    ]
    fig.legend(
        handles=[*handles, *extra],
        loc="outside upper center",
        ncols=4,
        columnspacing=1.2,
        handlelength=1.6,
    )
