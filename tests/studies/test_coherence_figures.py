"""Figures of the coherence chapters draw what they are given, and their alternative text has its
numbers.
"""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from lib.audit import figures as audit
from lib.rng import stream
from lib.studies.coherence.figures import bounds as coherence_bounds
from lib.studies.coherence.figures import noisy_counts as coherence_dp
from lib.studies.coherence.figures import section5 as coherence


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_sorted_distances_are_sorted_and_their_ends_are_named():
    fig, alt = coherence.sorted_distances(
        {"one": np.array([0.3, 0.1, 0.2])}, null=(0.01, 0.05), reference=0.25
    )
    assert fig.axes[0].lines[0].get_ydata().tolist() == [0.1, 0.2, 0.3]
    assert "one from 0.100 to 0.300" in alt


def test_profiles_show_each_side_sorted():
    fig, alt = coherence.profiles({"hard": (np.array([1.0, -1.0]), np.array([-1.0, -1.0]))})
    assert [line.get_ydata().tolist() for line in fig.axes[0].lines] == [[-1.0, 1.0], [-1.0, -1.0]]
    assert "mean 0.00 in the release, -1.00 left out" in alt


def test_dots_name_the_largest():
    rows = pd.DataFrame(
        {
            "group": ["a", "b"],
            "learner": ["x", "x"],
            "distance": [0.2, 1.5],
            "low": [0.1, 1.4],
            "high": [0.3, 1.6],
            "null": [0.05, 0.05],
        }
    )
    fig, alt = coherence.distance_dots(rows, "group", "learner")
    assert fig.axes[0].get_yticklabels()[0].get_text() == "a"
    assert "largest for b, x (1.50)" in alt
    assert "2 of 2 intervals lie above" in alt


def test_against_n_starts_at_the_smallest():
    rows = pd.DataFrame(
        {
            "kind": "k",
            "people": [1000, 500],
            "distance": [0.1, 0.2],
            "low": 0.0,
            "high": 0.3,
            "null": 0.05,
        }
    )
    assert "k from 0.20 to 0.10" in coherence.against_n(rows, "kind")[1]


def test_promises_end_where_a_bound_is_vacuous():
    table = pd.DataFrame(
        {
            "panel": "p",
            "mode": "theorem7",
            "epsilon": [0.01, 0.1, 1.0],
            "alpha": [0.2, 1.0, math.nan],
        }
    )
    fig, alt = coherence_bounds.promise_against_epsilon(table, {"p": 0.05})
    assert fig.axes[0].lines[0].get_xdata().max() == 0.1
    assert "up to epsilon 0.1" in alt


def test_points_lie_where_the_simulation_put_them():
    found = {"shape": {60: np.full(10, 0.5), 200: np.full(10, 0.25)}}
    bounds = pd.DataFrame({"members": [60, 200], "ours": [1.0, 0.5]})
    fig, _ = coherence_bounds.half_distances(found, bounds)
    assert fig.axes[0].lines[0].get_ydata().tolist() == [0.5, 0.25]
    assert fig.axes[0].lines[1].get_ydata().tolist() == [1.0, 0.5]


@pytest.mark.parametrize(
    "draw", ["count_laws", "binary_universe", "lens_detail", "description_length", "information"]
)
def test_every_bound_figure_has_a_description_with_its_ends(draw):
    frames = {
        "count_laws": {"exact": (np.array([0.0, 1.0]), np.array([1.0, 0.0]))},
        "binary_universe": pd.DataFrame(
            {"n": [20, 200], "unlike": [0.7, 0.9], "mean": [0.3, 0.1], "high": [0.5, 0.2]}
        ),
        "lens_detail": pd.DataFrame(
            {
                "categories": [1, 10] * 2,
                "group": [*"aabb"],
                "mean": [0.1, 0.9] * 2,
                "low": 0.1,
                "high": 0.9,
            }
        ),
        "description_length": pd.DataFrame(
            {"counts": [1, 10], "alpha": 0.2, "size": [100.0, 900.0]}
        ),
        "information": pd.DataFrame({"epsilon": 0.1, "n": [20, 50], "bound": [1.0, 2.0]}),
    }
    words = {
        "count_laws": "total variation 1.00",
        "binary_universe": "0.900",
        "lens_detail": "0.10 to 0.90",
        "description_length": "from 100 to 900",
        "information": "2.00 at n = 50",
    }
    more = {"description_length": (1000,)}.get(draw, ())
    fig, alt = getattr(coherence_bounds, draw)(frames[draw], *more)
    assert words[draw] in alt
    assert fig.axes


def test_an_audit_marks_what_is_flagged():
    summary = pd.DataFrame(
        {
            "group": ["everyone", "g"],
            "n": [100, 50],
            "distance": [0.1, 0.5],
            "low": [0.05, 0.4],
            "high": [0.15, 0.6],
            "null": [0.1, 0.1],
        }
    )
    fig, alt = audit.group_distances(summary, {"g"}, learner="lookup")
    assert fig.axes
    assert "g" in alt
    fig, alt = audit.sorted_predictions(
        stream(1, "audit plot").uniform(-1, 1, 10), np.arange(10) < 5, "g", words=("in", "out")
    )
    assert len(fig.axes[0].lines) >= 2


def test_tails_say_where_the_simulation_is_above_a_bound():
    rows = pd.DataFrame(
        {
            "members": [100, 100, 200, 200],
            "alpha": [0.1, 0.2] * 2,
            "simulated": [0.2, 0.1, 0.5, 0.1],
            "ours": [0.3, 0.2, 0.3, 0.2],
            "paper": 0.9,
        }
    )
    assert "100 members, 100%; 200 members, 50%" in coherence_dp.tails(rows, "T")[1]


def _measured() -> tuple[pd.DataFrame, pd.DataFrame]:
    rows = pd.DataFrame(
        {
            "release": "fine",
            "reader": "informed",
            "epsilon": [0.1, 1.0, math.inf],
            "mean": [0.1, 0.5, 1.0],
            "low": [0.08, 0.4, 0.9],
            "high": [0.12, 0.6, 1.1],
            "q95": [0.2, 0.6, 1.2],
            "null": 0.01,
        }
    )
    bounds = pd.DataFrame(
        {
            "mode": ["theorem7", "theorem7", "tightened", "tightened"],
            "epsilon": [0.1, 1.0] * 2,
            "alpha": [1.0, math.nan, 0.2, 0.4],
        }
    )
    return rows, bounds


def test_measured_means_of_a_release_have_their_intervals():
    fig, _ = coherence_dp.release_against_epsilon(*_measured(), "everyone")
    bars = fig.axes[0].containers[0].lines[2][0].get_segments()
    assert np.array(bars)[:, :, 1] == pytest.approx(
        np.array([[0.08, 0.12], [0.4, 0.6], [0.9, 1.1]])
    )


def test_the_description_of_a_release_counts_the_means_below_each_bound():
    alt = coherence_dp.release_against_epsilon(*_measured(), "everyone")[1]
    assert "Theorem 7 lies above 1 of the 1 means" in alt
    assert "tightened (ours) lies above 1 of the 2 means" in alt
    rows, bounds = _measured()
    assert (
        "Theorem 7 says nothing"
        in coherence_dp.release_against_epsilon(rows, bounds.assign(alpha=math.nan), "everyone")[1]
    )
