"""Figures draw what is in the table, say so in their alternative text, and refuse what they
cannot draw.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from lib.ldp import PROTOCOLS, make, split_budget
from lib.plotting.style import LIGHT
from lib.rng import stream
from lib.stats.summary import mean_interval
from studies.ldp_fairness.figures import metrics as ldp
from studies.ldp_fairness.figures import protocols
from studies.ldp_fairness.figures.style import COLOURS


@pytest.fixture
def table() -> pd.DataFrame:
    cells = [("NonDP", "none", math.nan)]
    cells += product(PROTOCOLS, ("uniform", "k-based"), (0.5, 1.0, 50.0))
    rows = [(*cell, run) for run in range(3) for cell in cells]
    frame = pd.DataFrame(rows, columns=["protocol", "split", "epsilon", "run"])
    frame = frame.assign(dataset="lsac", DI=0.5 + 0.1 * stream(1, "plots").random(len(frame)))
    extreme = frame["protocol"].eq("BLH") & frame["epsilon"].eq(0.5) & frame["split"].eq("k-based")
    frame.loc[extreme, "DI"] = 0.9
    return frame.assign(epsilon_protected=0.25 * frame["epsilon"])


@pytest.mark.parametrize("runs", [1, 3])  # of one run there are no intervals
def test_curves_are_as_many_as_in_the_table_and_the_extreme_is_named(table, runs):
    fig, alt = ldp.metric_curves(table[table["run"] < runs], "lsac", ["DI"])
    assert [len(ax.containers) for ax in fig.axes] == [len(PROTOCOLS)] * 2
    assert "to 0.900 (BLH, k-based, epsilon 0.5)" in alt
    assert "NonDP" in alt
    ldp.average_curves(table[table["run"] < runs], "lsac", {"DI": ("DI", "uniform")}, "DI")


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


def test_protocols_that_are_not_highlighted_are_grey_and_without_intervals(table):
    fig, alt = ldp.metric_curves(table, "lsac", ["DI"], splits=["k-based"], highlight=["SS"])
    (ax,) = fig.axes
    colours = [to_hex(line.get_color()).upper() for line in ax.lines]
    assert colours.count(LIGHT.upper()) == len(PROTOCOLS) - 1
    assert COLOURS["SS"].upper() in colours
    assert len(ax.containers) == 1
    legend = [t.get_text() for t in fig.legends[0].get_texts()]
    assert legend == ["SS", "the other protocols", "without privacy (NonDP)"]
    assert "uniform" not in alt


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


def test_the_frame_holds_intervals_but_not_those_of_two_runs():
    rows = pd.DataFrame({"mean": [0.1, 0.2], "low": [0.05, 0.15], "high": [0.15, 0.25]})
    low, high = ldp._limits(rows)
    assert low < 0.05 < 0.25 < high
    low, high = ldp._limits(rows.assign(low=-9.0, high=9.0))
    assert -0.1 < low < 0.05 < 0.25 < high < 0.4


def test_a_data_set_of_ones_own_keeps_its_name(table):
    own = table[table["protocol"] != "GRR"].assign(dataset="my.module:TASK")
    assert "my.module:TASK" in ldp.metric_curves(own, "my.module:TASK", ["DI"])[1]


@pytest.mark.parametrize("value", [0, 4])
def test_the_diagram_has_a_row_of_bits_for_each_protocol(value):
    fig, alt = protocols.journey(value, k=5, epsilon=1.0, seed=3)
    (ax,) = fig.axes
    assert len(ax.patches) == 5 * len(PROTOCOLS)
    assert sum(patch.get_linewidth() == 2 for patch in ax.patches) == len(PROTOCOLS)
    assert all(name in alt for name in PROTOCOLS)
    assert "SS: 2, ω = 2, sends the values" in protocols.journey(2, k=10, epsilon=1.0, seed=5)[1]


def test_shares_of_a_split_are_drawn_and_told():
    shares = {split: split_budget(1.0, [2, 8], split) for split in ("uniform", "k-based")}
    fig, alt = protocols.split_bars(pd.DataFrame(shares, ["a", "b"]))
    assert [bar.get_width() for bar in fig.axes[0].patches] == pytest.approx([0.5, 0.5, 0.2, 0.8])
    assert "a: 50.0% and 20.0%; b: 50.0% and 80.0%" in alt


def test_lines_are_named_beside_their_ends_and_not_in_a_legend(table):
    series = {"above": ("DI", "k-based"), "below": ("DI", "uniform")}
    (ax,) = ldp.average_curves(table, "lsac", series, "DI")[0].axes
    assert [t.get_text() for t in ax.texts] == ["above", "below", "without privacy"]
    assert [t.get_color() for t in ax.texts[:2]] == [line.get_color() for line in ax.lines[::2]]
    assert ax.get_figure().legends == []


def test_people_needed_are_drawn_least_first_and_told_to_three_digits():
    fig, alt = protocols.people_needed(pd.Series({"SS": 1000.0, "GRR": 11_567.0}))
    (ax,) = fig.axes
    assert [bar.get_width() for bar in ax.patches] == [11_567, 1000]
    assert [t.get_text() for t in ax.texts] == ["11,600", "1,000"]
    assert "SS 1,000" in alt


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
