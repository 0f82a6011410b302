"""Figures of the stratified means draw what they are given, and their alternative text has its
numbers.
"""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from lib.plotting import budgets
from lib.studies.private_means.figures import census as means_census
from lib.studies.private_means.figures import theory as means_theory
from lib.studies.private_means.scores import METHODS


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def _scores(**columns) -> pd.DataFrame:
    cells, parts = pd.DataFrame(columns), []
    for metric in ("error", "parity", "exact"):
        for i, method in enumerate(METHODS):
            mean = (i + 1) / np.arange(1, len(cells) + 1) ** 2 if metric != "exact" else 0.5
            rows = cells.assign(cell=cells.index, metric=metric, method=method, mean=mean)
            parts.append(rows.assign(low=0.9 * rows["mean"], high=1.1 * rows["mean"]))
    return pd.concat(parts)


def test_error_grid_has_a_panel_for_each_k_and_alpha():
    scores = pd.concat([_scores(n=[100, 1000], k=k, alpha=a) for k in (3, 6) for a in (0.3, 1.0)])
    fig, alt = means_census.error_grid(scores, (3, 6), (0.3, 1.0))
    assert len(fig.axes) == 4
    assert fig.axes[0].lines[1].get_ydata().tolist() == [2.0, 0.5]  # StratCOINPRESS
    assert "k 3, alpha 0.3: stratified 0.5000" in alt


def test_census_has_a_row_a_variable_and_a_column_a_metric():
    scores = pd.concat([_scores(strata=[2.0, 9.0, 18.0], variable=v) for v in ("SCHL", "PINCP")])
    fig, alt = means_census.census(
        scores, ["SCHL", "PINCP"], {"error": "error", "parity": "parity"}
    )
    assert len(fig.axes) == 4
    assert [ax.get_title(loc="left") or ax.get_title() for ax in fig.axes][:2] == [
        "SCHL: error",
        "SCHL: parity",
    ]
    assert "SCHL error, StratCOINPRESS: median 0.5" in alt


def test_sweep_and_slices_name_their_ends():
    scores = _scores(budget=[0.1, 1.0], n=[100, 1000], variable="SCHL")
    assert (
        "SCHL, stratified: from 2 to 0.5"
        in means_census.sweep(scores, ["SCHL"], "parity", "rho", "parity error")[1]
    )
    assert "StratCOINPRESS from 2 to 0.5" in means_census.against(scores, "n", "n")[1]


def test_lines_are_one_a_series():
    frame = pd.DataFrame(
        {
            "x": [1, 2, 1, 2],
            "y": [1.0, 2.0, 3.0, 4.0],
            "low": 0.5,
            "high": 5.0,
            "s": ["a", "a", "b", "b"],
        }
    )
    fig, alt = means_census.lines(frame, "x", "y", "s", "x", "y")
    assert len(fig.axes[0].lines) == 2
    assert "b from 3 to 4" in alt


def test_shares_are_sorted_beside_the_draws():
    fig, alt = means_census.shares([10, 70, 20], {"law": np.full((50, 3), 1 / 3)})
    assert fig.axes[0].lines[-1].get_ydata().tolist() == [0.7, 0.2, 0.1]
    assert "from 0.700 to 0.100" in alt


def test_coverage_draws_quantiles_below_their_bound():
    table = pd.DataFrame(
        {
            "groups": ["a", "a", "b", "b"],
            "k": [1, 2, 1, 2],
            "q": [0.1, 0.2, 0.1, 0.3],
            "bound": [0.4, 0.5, 0.4, 0.6],
        }
    )
    fig, alt = means_theory.coverage(table, 0.9)
    assert fig.axes[0].lines[-1].get_ydata().tolist() == [0.4, 0.6]
    assert "bound 0.4 to 0.6" in alt


def test_the_curve_of_theorem_10_carries_its_horizontal_lines():
    table = pd.DataFrame(
        {
            "alpha": [0.1, 1.0],
            "theorem": [10.0, 20.0],
            "drawn": [10.0, 20.0],
            "with people": [12.0, 20.0],
        }
    )
    ends = {"worst": 30.0, "observed": 25.0, "best": 5.0, "best as printed": 9.0}
    fig, alt = means_theory.dirichlet_curve(table, ends)
    assert {line.get_ydata()[0] for line in fig.axes[0].lines} >= set(ends.values())
    assert "New York 25.0" in alt


def test_draws_of_three_shares_lie_in_their_triangle():
    draws = {0.1: np.eye(3), 10.0: np.full((2, 3), 1 / 3)}
    fig, alt = means_census.dirichlet_triangles(draws)
    corners, middle = (ax.lines[-1].get_xydata() for ax in fig.axes)
    assert corners == pytest.approx(np.array([[0, 0], [1, 0], [0.5, math.sqrt(3) / 2]]))
    assert middle == pytest.approx(np.array([[0.5, math.sqrt(3) / 6]] * 2))
    assert "alpha 0.1: mean largest share 1.00; alpha 10: mean largest share 0.33" in alt


def test_intervals_are_drawn_step_by_step():
    fig, alt = means_theory.intervals(
        {"2 steps": np.array([[-5.0, 9.0], [1.0, 2.0]])}, 1.5, ["after step 1", "after step 2"]
    )
    assert list(fig.axes[0].lines[0].get_xdata()) == [-5.0, 9.0]
    assert "2 steps, after step 2: 1.00 to 2.00" in alt


def test_routes_are_ratios_to_the_standard_one():
    table = pd.DataFrame(
        {
            "rho": [0.1, 1.0],
            "standard": [2.0, 4.0],
            "tight": [1.0, 3.0],
            "Gaussian, exact": [1.0, 2.0],
            "printed": [2.0, 1.0],
        }
    )
    fig, alt = budgets.routes(table, 1e-9)
    assert fig.axes[0].lines[1].get_ydata().tolist() == [0.5, 0.75]
    assert "printed 1.00 to 0.25" in alt
