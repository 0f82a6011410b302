"""Figures of the synthesizers draw what they are given, each with an alternative text that has
its numbers.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from studies.synthesizers.figures import results
from studies.synthesizers.figures.who_pays import added_by_size

MAIN = ("MST", "AIM", "GEM")
GAINS = ["synthesizer", "epsilon", "people", "gain"]


def test_tiles_count_the_groups_of_each_size_and_budget_that_gain():
    rows = product(MAIN, (1, 5), (10, 20, 90))
    gains = pd.DataFrame([(*row, row[2]) for row in rows], columns=GAINS)
    gains["gain"] = (gains["people"] > 50) * (gains["epsilon"] == 1) - 0.1
    fig, alt = results.gains_by_size_and_budget(gains, {"small": 50, "large": 100})
    shown = [[text.get_text() for text in ax.texts] for ax in fig.axes]
    assert shown == [["0/2", "1/1", "0/2", "0/1"]] * 3  # at epsilon 1, then at 5
    assert "MST: 0 of 2 (small), 1 of 1 (large)" in alt


def test_what_privacy_adds_is_drawn_on_rows_seen_and_on_people_held_out():
    """It was drawn on the rows that the model saw alone, and no word said so."""
    people = {"people": [1, 3, 900]}
    seen = pd.DataFrame(people | {"private": [1.9, 1.5, 0.4], "resampled": [0.4, 0.6, 0.2]})
    held = pd.DataFrame(people | {"private": [np.nan, 1.6, 0.5], "resampled": [np.nan, 1.7, 0.4]})
    seen, held = (frame.set_axis(list("abc")) for frame in (seen, held))
    fig, alt = added_by_size(seen, held.dropna(), "b", "three people")
    shown, _, others, *_ = fig.axes[0].lines
    assert shown.get_ydata().tolist() == pytest.approx([1.5, 0.9, 0.2])
    assert others.get_ydata().tolist() == pytest.approx([-0.1, 0.1])
    assert fig.axes[0].get_ylim()[0] < -0.1
    named = [shown.get_label(), others.get_label()]
    assert named == ["on the rows that the model saw", "on people held out"]
    assert "rows that the model saw (3 groups) it goes from 1.50" in alt
    assert "On people held out (2 groups) it goes from -0.10" in alt
