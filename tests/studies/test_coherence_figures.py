"""Figures of the coherence pages draw what they are given, and their alternative text has its
numbers.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from studies.coherence import figures

PROMISES = pd.DataFrame(
    {
        "mode": ["theorem7"] * 3 + ["within"] * 3,
        "epsilon": [0.01, 0.1, 1.0] * 2,
        "alpha": [0.2, 1.0, math.nan, 0.1, 0.2, 0.4],
    }
)


def test_measured_means_of_a_release_have_their_intervals_and_exact_counts_are_left_out():
    rows = pd.DataFrame({"epsilon": [0.1, 1.0, math.inf], "mean": [0.1, 0.5, 1.0], "null": 0.01})
    rows = rows.assign(low=[0.08, 0.4, 0.9], high=[0.12, 0.6, 1.1])
    fig, alt = figures.release(rows, PROMISES)
    bars = fig.axes[0].containers[0].lines[2][0].get_segments()
    assert np.array(bars)[:, :, 1] == pytest.approx(np.array([[0.08, 0.12], [0.4, 0.6]]))
    assert "measured: 0.1 to 0.5 from 0.1 to 1" in alt
    assert "by chance: 0.01 to 0.01" in alt
