"""Figures: who gains from which model, against the size that the columns and the budget give."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lib.plotting.panels import Picture, legend, note, panel, ticks
from lib.plotting.style import BLUE, RED, REFERENCE
from studies.pooling.cells import least_people
from studies.pooling.statistics import of_groups

_SHOWN = {"stratified": ("a model of its own", RED, "s"), "pooled": ("own or shared", BLUE, "o")}
_LEAST_SHOWN = -2.0  # three times the error


def gains_against_size(rows: pd.DataFrame, mechanism: str, by: str) -> pd.DataFrame:
    """How much smaller a group's error on people held out is than under the plain model:
    ``table, epsilon, group, people, size`` (people over the break-even size), a column a way.
    """
    part = of_groups(rows[rows["mechanism"] == mechanism], by)
    key = ["table", "epsilon", "group"]
    errors = part.pivot_table(index=key, columns="way", values="error_held")
    gains = pd.DataFrame({way: 1 - errors[way] / errors["plain"] for way in _SHOWN})
    gains = gains.join(part.groupby(key)["seen"].mean().rename("people")).reset_index()
    places = zip(gains["table"], gains["epsilon"], strict=True)
    return gains.assign(size=gains["people"] / [least_people(t, by, e) for t, e in places])


def typical(gains: pd.DataFrame) -> pd.DataFrame:
    """Medians of the ways over groups of like ``size``: bins from one to four times it, of
    which one ends at 1.
    """
    bins = np.floor(np.log(gains["size"]) / np.log(4))
    middle = gains.groupby(bins)[["size", *_SHOWN]].median()
    return middle[gains.groupby(bins).size() >= 5]


def gain_by_size(gains: pd.DataFrame) -> Picture:
    """Points of :func:`gains_against_size`, one colour a way, and a line through the medians."""
    labels = ("people in the group ÷ break-even size n* (log scale)", "gain over the plain model")
    fig, ax = panel((4.6, 3.9), *labels)
    middle, words = typical(gains), []
    for way, (name, colour, mark) in _SHOWN.items():
        shown = gains[way].clip(lower=_LEAST_SHOWN)
        ax.plot(gains["size"], shown, mark, color=colour, alpha=0.3, markersize=3, linewidth=0)
        ax.plot(middle["size"], middle[way], color=colour, marker=mark, linewidth=2, label=name)
        below, above = (
            gains.loc[where, way].median() for where in (gains["size"] < 1, gains["size"] >= 1)
        )
        words.append(f"{name}: median {below:+.0%} below n* and {above:+.0%} above")
    ax.axhline(0, **REFERENCE)
    ax.axvline(1, **REFERENCE)
    ax.set_xscale("log")
    ticks(ax, [0.001, 0.01, 0.1, 1, 10, 100])
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:+.0%}")
    note(ax, "n*", (1, 1), (5, -12), xycoords=("data", "axes fraction"), color=REFERENCE["color"])
    legend(fig)
    return fig, f"Gain of each group over the plain model. {'; '.join(words)}."
