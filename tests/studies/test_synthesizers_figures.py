"""Figures of the synthesizers draw what they are given, each with an alternative text that has
its numbers.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from lib.plotting.style import BLUE, RED
from studies.cross_paper.tallies import tallies
from studies.synthesizers.figures import results
from studies.synthesizers.figures.who_pays import added_by_size

EPSILONS = (0.01, 1.0, 5.0)
MAIN = ("MST", "AIM", "GEM")
GAINS = ["synthesizer", "epsilon", "people", "gain"]


@pytest.fixture(scope="module")
def cells() -> pd.DataFrame:
    keys = ["synthesizer", "by", "epsilon", "run"]
    fits = pd.DataFrame(product(MAIN, results.COLOURS, EPSILONS, range(3)), columns=keys)
    fits["parity"] = 1 / (1 + fits["epsilon"]) + 0.01 * fits["run"]
    floor = pd.DataFrame(product(["bootstrap"], ["vanilla"], [np.inf], range(3)), columns=keys)
    rows = pd.concat([fits, floor.assign(parity=0.02)], ignore_index=True)
    return rows.assign(dataset="nist", small="keep")


def test_a_tree_names_its_pairs_in_order():
    fig, alt = results.tree([("a", "b"), ("b", "c"), ("b", "d")])
    assert "a with b, b with c, b with d" in alt
    assert {t.get_text() for t in fig.axes[0].texts} >= {"a", "b", "c", "d", "1", "2", "3"}


def test_errors_are_all_drawn_and_labelled_apart():
    fig, alt = results.errors_by_marginal({"x": pd.Series([0.3, 0.1]), "y": pd.Series([0.2, 0.3])})
    assert fig.axes[0].lines[0].get_ydata().tolist() == [0.1, 0.3]
    assert alt.endswith("From x with a mean of 0.2 to y with a mean of 0.2: x, y.")
    first, second = (label.xy[1] for label in fig.axes[0].texts)
    assert second - first > 0.01


def test_a_panel_a_synthesizer_with_baselines_across(cells):
    fig, alt = results.against_epsilon(cells, "parity", "parity error", floors=("bootstrap",))
    drawn = fig.axes[:3]
    assert [ax.get_title(loc="left") or ax.get_title() for ax in drawn] == [*MAIN]
    assert all(len(ax.containers) == len(results.COLOURS) for ax in drawn)
    assert all(any(np.allclose(line.get_ydata(), 0.02) for line in ax.lines) for ax in drawn)
    assert "AIM by sex from 1 to 0.177" in alt


def test_shares_keep_their_range(cells):
    wild = cells.assign(parity=np.where(cells["run"] == 0, 0.0, 0.99))
    fig, _ = results.against_epsilon(wild, "parity", "share", floors=(), share=True)
    bars = [c[2][0].get_segments() for ax in fig.axes for c in ax.containers]
    ends = np.concatenate([np.asarray(bar)[:, 1] for segments in bars for bar in segments])
    assert ends.min() >= 0
    assert ends.max() <= 1 + 1e-12
    assert fig.axes[0].get_ylim() == (0, 1)


def test_a_panel_a_table_for_what_stratifying_changes():
    rows = [{"synthesizer": s, "epsilon": e, "mean": 2 / (1 + e)} for s in MAIN for e in EPSILONS]
    ratio = pd.DataFrame(rows)
    ratio = ratio.assign(low=ratio["mean"] - 0.1, high=ratio["mean"] + 0.1)
    fig, alt = results.relative_to_plain({"Texas": ratio, "here": ratio}, "stratified / plain")
    assert [len(ax.containers) for ax in fig.axes] == [3, 3]
    assert "Texas: MST from 1.98 to 0.333" in alt


def test_every_group_is_a_point_of_its_budget_and_those_that_lose_are_red():
    rows = product(MAIN, (1.0, 5.0), ((10, -0.1), (3000, 0.2)))
    gains = pd.DataFrame([(s, e, *group) for s, e, group in rows], columns=GAINS)
    fig, alt = results.gains_by_size(gains)
    for ax in fig.axes:
        drawn = {line.get_color(): line.get_ydata().tolist() for line in ax.lines[2:4]}
        assert drawn == {BLUE: [0.2], RED: [-0.1]}
    assert "at epsilon 1, 3 of 6 points are above 0, the smallest group among them of 3,000" in alt


def test_tallies():
    fig, alt = tallies({"A": {"reproduced": 3, "not run": 1}, "B": {"not reproduced": 2}})
    assert "A: 3 reproduced, 1 not run; B: 2 not reproduced" in alt
    assert sum(p.get_width() for p in fig.axes[0].patches) == 6


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
