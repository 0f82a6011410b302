"""Figures of the stratified means draw what they are given, and their alternative text has its
numbers.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

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


def test_a_series_without_an_interval_is_a_line_and_a_bound_is_dashed():
    rows = pd.DataFrame({"k": [1, 2], "mean": [0.4, 0.6], "series": "bound"})
    fig, alt = figures.curves(rows, "k", LABELS, {"bound": "black"}, dashed="bound")
    (line,) = fig.axes[0].lines
    assert line.get_ydata().tolist() == [0.4, 0.6]
    assert line.get_linestyle() == "--"
    assert "bound from 0.4 to 0.6" in alt


def test_a_series_with_an_underscore_is_drawn_and_not_named():
    rows = pd.DataFrame({"k": [1, 2] * 2, "mean": [1, 2, 3, 4], "series": ["_b", "_b", "a", "a"]})
    fig, alt = figures.curves(rows, "k", LABELS, {"_b": "grey", "a": "red"})
    assert [line.get_ydata().tolist() for line in fig.axes[0].lines] == [[1, 2], [3, 4]]
    assert [text.get_text() for text in fig.axes[0].texts] == ["a"]
    assert "b from 1 to 2; a from 3 to 4" in alt


def test_curves_have_a_panel_for_each_facet_two_in_a_row():
    scores = pd.concat([_scores(n=[100, 1000]).assign(k=f"k = {k}") for k in (3, 6, 12)])
    rows = figures.with_names(scores[scores.metric == "error"])
    fig, alt = figures.curves(rows, "n", LABELS, {"stratified": "red"}, facet="k")
    shown = [ax for ax in fig.axes if ax.get_visible()]
    assert [ax.get_title() for ax in shown] == ["k = 3", "k = 6", "k = 12"]
    assert len(fig.axes) == 4
    assert "k = 3 stratified from 2 to 0.5" in alt


def test_names_at_the_ends_do_not_touch():
    rows = pd.DataFrame({"n": 1, "mean": [1.0, 1.01, 1.02, 100.0], "series": [*"abcd"]})
    rows = pd.concat([rows.assign(n=0.5), rows])
    fig, _ = figures.curves(rows, "n", LABELS, dict.fromkeys("abcd", "black"))
    heights = sorted(t.xy[1] for t in fig.axes[0].texts)
    assert min(np.diff(heights)) > 0.05
    assert 0 <= heights[0] < heights[-1] <= 1


def test_census_has_a_row_a_variable_and_a_column_a_metric():
    scores = pd.concat([_scores(strata=[2.0, 9.0, 18.0], variable=v) for v in ("SCHL", "PINCP")])
    metrics = {"error": "error", "parity": "parity"}
    fig, alt = figures.census(scores, {"SCHL": "schooling", "PINCP": "income"}, metrics)
    assert len(fig.axes) == 4
    titles = [ax.get_title(loc="left") or ax.get_title() for ax in fig.axes]
    assert titles[:2] == ["schooling: error", "schooling: parity"]
    assert "schooling error, StratCOINPRESS: median 0.5" in alt


def test_groups_that_lose_are_of_another_colour():
    strata = pd.DataFrame(
        {"people": [2, 50, 900], "plain": [1.0, 1.0, 0.5], "stratified": [90.0, 0.9, 0.1]}
    )
    fig, alt = figures.by_size(strata, 10, "people", "error")
    drawn = {line.get_color(): line.get_xdata().tolist() for line in fig.axes[0].lines[1:3]}
    assert drawn == {BLUE: [50, 900], RED: [2]}
    assert "worse in 1 of 3 groups" in alt
    assert "from 90 to 0.1 with the size" in alt


def test_the_curve_of_theorem_10_carries_its_horizontal_lines():
    table = pd.DataFrame({"alpha": [0.1, 1.0], "theorem": [10.0, 20.0], "people": [12.0, 20.0]})
    table["drawn"] = table["theorem"]
    levels = {"equal groups": 30.0, "New York": 25.0, "best case": 5.0}
    fig, alt = figures.theorem10(table, levels)
    assert {line.get_ydata()[0] for line in fig.axes[0].lines} >= set(levels.values())
    assert {t.get_text() for t in fig.axes[0].texts} == set(levels)
    assert "New York 25.0" in alt


def test_draws_of_three_shares_lie_in_their_triangle():
    draws = {0.1: np.eye(3), 10.0: np.full((2, 3), 1 / 3)}
    fig, alt = figures.triangles(draws)
    corners, middle = (ax.lines[-1].get_xydata() for ax in fig.axes)
    assert corners == pytest.approx(np.array([[0, 0], [1, 0], [0.5, math.sqrt(3) / 2]]))
    assert middle == pytest.approx(np.array([[0.5, math.sqrt(3) / 6]] * 2))
    assert "alpha 0.1: mean largest share 1.00; alpha 10: mean largest share 0.33" in alt
