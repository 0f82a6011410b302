"""Figures draw the numbers that they are given: means with their intervals, and who loses in red."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from lib.ldp import PROTOCOLS
from lib.plotting.style import BLUE, GREY, RED
from lib.rng import stream
from lib.stats.summary import mean_interval
from studies.coherence import figures as coherence
from studies.foundations.figures import errors_of_counts
from studies.ldp_fairness.figures import metrics as ldp
from studies.ldp_fairness.figures.verdicts import who_moves
from studies.privacy_audit.figures import prices
from studies.private_means import figures as means
from studies.synthesizers.figures import results
from studies.synthesizers.figures.who_pays import added_by_size


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
    line, _, (bars,) = fig.axes[0].containers[0].lines
    own = table[(table["protocol"] == "SS") & (table["split"] == "uniform")]
    mean, low, high = mean_interval(own[own["epsilon"] == 1.0]["DI"])
    assert line.get_xdata().tolist() == [0.5, 1.0, 50.0]
    assert line.get_ydata()[1] == pytest.approx(mean)
    assert bars.get_segments()[1][:, 1] == pytest.approx([low, high])
    rows = pd.DataFrame({"epsilon": [0.1, 1.0, math.inf], "mean": [0.1, 0.5, 1.0], "null": 0.01})
    rows = rows.assign(low=[0.08, 0.4, 0.9], high=[0.12, 0.6, 1.1])  # exact counts are left out
    promises = pd.DataFrame({"mode": ["theorem7", "within"], "epsilon": 0.1, "alpha": [1.0, 0.2]})
    fig, _ = coherence.release(rows, promises)
    bars = fig.axes[0].containers[0].lines[2][0].get_segments()
    assert np.array(bars)[:, :, 1] == pytest.approx(np.array([[0.08, 0.12], [0.4, 0.6]]))


def test_averages_are_over_the_protocols_first_and_stand_at_the_budget_asked_for(table):
    series = {"one": ("DI", "uniform"), "two": ("DI", "k-based")}
    fig, alt = ldp.average_curves(table, "lsac", series, "DI", ["epsilon", "epsilon_protected"])
    above, below = fig.axes
    assert below.lines[0].get_xdata().tolist() == [0.125, 0.25, 12.5]
    own = table[(table["split"] == "uniform") & (table["epsilon"] == 1.0)]
    mean, low, high = mean_interval(own.groupby("run")["DI"].mean())
    assert above.lines[0].get_ydata()[1] == pytest.approx(mean)
    edges = above.collections[0].get_paths()[0].vertices
    at = edges[np.isclose(edges[:, 0], 1.0), 1]
    assert (at.min(), at.max()) == pytest.approx((low, high))
    base = table.loc[table["protocol"] == "NonDP", "DI"].mean()
    assert alt.count(f"without privacy {base:.3f}") == 2


def test_who_moves_shows_the_change_of_each_group(table):
    """LDP lowers men's rate by 0.3 and not women's."""
    plain = table["protocol"] == "NonDP"
    moved = table.assign(dataset="adult", positive_rate_0=0.4)
    moved["positive_rate_1"] = np.where(plain, 0.8, 0.5)
    fig, alt = who_moves(moved, 0.5, {"adult": ("women", "men")})
    assert "women: 0.400, changes by +0.000" in alt
    assert {"40% → 40%", "80% → 50%"} <= {text.get_text() for text in fig.axes[0].texts}


def test_who_loses_is_red():
    strata = pd.DataFrame(
        {"people": [2, 50, 900], "plain": [1.0, 1.0, 0.5], "stratified": [90.0, 0.9, 0.1]}
    )
    fig, alt = means.by_size(strata, 10, "people", "error")
    drawn = {line.get_color(): line.get_xdata().tolist() for line in fig.axes[0].lines[1:3]}
    assert drawn == {BLUE: [50, 900], RED: [2]}
    assert "worse in 1 of 3 groups" in alt
    fig, alt = prices(pd.Series({"kept": 0.5, "broken": 1.9}), 0.5)
    assert [to_hex(bar.get_facecolor()).upper() for bar in fig.axes[0].patches] == [BLUE, RED]
    assert "broken 1.90; declared 0.5" in alt


def test_a_gain_whose_interval_has_0_is_drawn_as_none():
    """A gain of .011 [-.013, .035] was drawn, and called, a gain."""
    gains = pd.DataFrame({"people": [10, 20, 90], "gain": [-0.3, 0.01, 0.2], "synthesizer": "MST"})
    gains = gains.assign(low=gains.gain - 0.02, high=gains.gain + 0.02)
    fig, alt = results.gains_by_size({"rows seen": gains, "held out": gains})
    for ax in fig.axes:
        points = [line for line in ax.lines if len(line.get_xdata()) == 1]
        drawn = {line.get_color(): list(line.get_xdata()) for line in points}
        assert (drawn[RED], drawn[GREY], drawn[BLUE]) == ([10], [20], [90])
    assert "held out: 1 of 3 points are clearly above 0, the smallest group among them of 90" in alt


def test_a_count_s_tiles_are_blue_where_it_is_good_enough():
    errors = pd.DataFrame({10: [0.3, 0.1], 1000: [0.003, 0.0001], 2: [1.5, 0.5]}, index=[1, 3])
    fig, alt = errors_of_counts(errors, 0.1)
    said = [(text.get_text(), text.get_color()) for text in fig.axes[0].texts]
    assert [words for words, _ in said] == ["30%", "0.3%", "over 100%", "10%", "under 0.1%", "50%"]
    assert [ink == "white" for _, ink in said] == [False, True, False, True, True, False]
    assert alt.endswith("at epsilon 1 from 1,000 people, at epsilon 3 from 10 people.")


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
    assert "rows that the model saw (3 groups) it goes from 1.50" in alt
    assert "On people held out (2 groups) it goes from -0.10" in alt
