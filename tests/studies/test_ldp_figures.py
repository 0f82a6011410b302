"""Figures draw what is in the table, and say so in their alternative text."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest

from lib.ldp import PROTOCOLS, make
from lib.rng import stream
from lib.stats.summary import mean_interval
from studies.ldp_fairness.figures import metrics as ldp
from studies.ldp_fairness.figures import protocols


@pytest.fixture
def table() -> pd.DataFrame:
    cells = [("NonDP", "none", math.nan)]
    cells += product(PROTOCOLS, ("uniform", "k-based"), (0.5, 1.0, 50.0))
    rows = [(*cell, run) for run in range(3) for cell in cells]
    frame = pd.DataFrame(rows, columns=["protocol", "split", "epsilon", "run"])
    frame = frame.assign(dataset="lsac", DI=0.5 + 0.1 * stream(1, "plots").random(len(frame)))
    return frame.assign(epsilon_protected=0.25 * frame["epsilon"])


def test_each_mean_has_its_interval(table):
    fig, _ = ldp.metric_curves(table, "lsac", ["DI"], splits=["uniform"], highlight=["SS"])
    (ax,) = fig.axes
    (curve,) = ax.containers
    line, _, (bars,) = curve.lines
    own = table[(table["protocol"] == "SS") & (table["split"] == "uniform")]
    mean, low, high = mean_interval(own[own["epsilon"] == 1.0]["DI"])
    assert line.get_xdata().tolist() == [0.5, 1.0, 50.0]
    assert line.get_ydata()[1] == pytest.approx(mean)
    assert bars.get_segments()[1][:, 1] == pytest.approx([low, high])


def test_averages_are_over_the_protocols_first_and_stand_at_the_budget_asked_for(table):
    series = {"one": ("DI", "uniform"), "two": ("DI", "k-based")}
    fig, alt = ldp.average_curves(table, "lsac", series, "DI", ["epsilon", "epsilon_protected"])
    above, below = fig.axes
    assert above.lines[0].get_xdata().tolist() == [0.5, 1.0, 50.0]
    assert below.lines[0].get_xdata().tolist() == [0.125, 0.25, 12.5]
    own = table[(table["split"] == "uniform") & (table["epsilon"] == 1.0)]
    mean, low, high = mean_interval(own.groupby("run")["DI"].mean())
    assert above.lines[0].get_ydata()[1] == pytest.approx(mean)
    edges = above.collections[0].get_paths()[0].vertices
    at = edges[np.isclose(edges[:, 0], 1.0), 1]
    assert (at.min(), at.max()) == pytest.approx((low, high))
    base = table.loc[table["protocol"] == "NonDP", "DI"].mean()
    assert alt.count(f"without privacy {base:.3f}") == 2


def test_the_error_of_an_estimate_is_drawn_beside_the_exact_one():
    rows = [
        {"protocol": n, "epsilon": e, "rmse": 1.1 * sd, "low": sd, "high": 1.2 * sd, "theory": sd}
        for n in PROTOCOLS
        for e in (0.5, 1.0)
        if (sd := make(n, k=5, epsilon=e).variance(1) ** 0.5)
    ]
    fig, alt = protocols.estimation_error(pd.DataFrame(rows), ["GRR"])
    assert "the largest relative distance is 10.0%" in alt
    assert len(fig.axes[0].containers) == len(PROTOCOLS)
    assert [t.get_text() for t in fig.legends[0].get_texts()] == ["GRR", "the other protocols"]
