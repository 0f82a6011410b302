"""Figures of the stratified means draw what they are given, and their alternative text has its
numbers.
"""

from __future__ import annotations

import pandas as pd

from lib.plotting.style import BLUE, RED
from studies.private_means import figures


def test_groups_that_lose_are_of_another_colour():
    strata = pd.DataFrame(
        {"people": [2, 50, 900], "plain": [1.0, 1.0, 0.5], "stratified": [90.0, 0.9, 0.1]}
    )
    fig, alt = figures.by_size(strata, 10, "people", "error")
    drawn = {line.get_color(): line.get_xdata().tolist() for line in fig.axes[0].lines[1:3]}
    assert drawn == {BLUE: [50, 900], RED: [2]}
    assert "worse in 1 of 3 groups" in alt
    assert "from 90 to 0.1 with the size" in alt
