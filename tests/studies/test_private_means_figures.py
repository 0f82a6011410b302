"""Figures of the stratified means draw what they are given, and their alternative text has its
numbers.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from lib.plotting.style import BLUE, RED
from studies.private_means import figures
from studies.private_means.scores import METHODS


def _scores(**columns) -> pd.DataFrame:
    cells, parts = pd.DataFrame(columns), []
    for metric in ("error", "parity", "exact"):
        for i, method in enumerate(METHODS):
            mean = (i + 1) / np.arange(1, len(cells) + 1) ** 2 if metric != "exact" else 0.5
            rows = cells.assign(cell=cells.index, metric=metric, method=method, mean=mean)
            parts.append(rows.assign(low=0.9 * rows["mean"], high=1.1 * rows["mean"]))
    return pd.concat(parts)


LABELS = ("n", "error")


def test_curves_are_one_a_series_named_at_their_ends():
    scores = _scores(n=[100, 1000])
    rows = figures.with_names(scores[scores.metric == "error"])
    fig, alt = figures.curves(rows, "n", LABELS, {"stratified": "red", "plain": "grey"})
    (ax,) = fig.axes
    assert ax.lines[0].get_ydata().tolist() == [2.0, 0.5]
    assert [t.get_text() for t in ax.texts] == ["plain", "stratified"]
    assert "error against n: stratified from 2 to 0.5; plain from 1 to 0.25" in alt


def test_groups_that_lose_are_of_another_colour():
    strata = pd.DataFrame(
        {"people": [2, 50, 900], "plain": [1.0, 1.0, 0.5], "stratified": [90.0, 0.9, 0.1]}
    )
    fig, alt = figures.by_size(strata, 10, "people", "error")
    drawn = {line.get_color(): line.get_xdata().tolist() for line in fig.axes[0].lines[1:3]}
    assert drawn == {BLUE: [50, 900], RED: [2]}
    assert "worse in 1 of 3 groups" in alt
    assert "from 90 to 0.1 with the size" in alt
