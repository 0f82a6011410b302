"""Figures of the synthesizers draw what they are given, each with an alternative text that has
its numbers.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from studies.cross_paper.tallies import tallies
from studies.synthesizers.figures.results import (
    COLOURS,
    against_epsilon,
    errors_by_marginal,
    gains_by_size,
    relative_to_plain,
    tree,
)

EPSILONS = (0.01, 1.0, 5.0)
MAIN = ("MST", "AIM", "GEM")


@pytest.fixture(scope="module")
def cells() -> pd.DataFrame:
    common = {"dataset": "nist", "small": "keep"}
    rows = [
        {"synthesizer": s, "by": by, "epsilon": e, "run": run, "parity": 1 / (1 + e) + 0.01 * run}
        for s, by, e, run in product(MAIN, COLOURS, EPSILONS, range(3))
    ]
    rows += [
        {"synthesizer": "bootstrap", "by": "vanilla", "epsilon": np.inf, "run": r, "parity": 0.02}
        for r in range(3)
    ]
    return pd.DataFrame(rows).assign(**common)


def test_a_tree_names_its_pairs_in_order():
    fig, alt = tree([("a", "b"), ("b", "c"), ("b", "d")])
    assert "a with b, b with c, b with d" in alt
    assert {t.get_text() for t in fig.axes[0].texts} >= {"a", "b", "c", "d", "1", "2", "3"}


def test_errors_are_all_drawn_and_labelled_apart():
    fig, alt = errors_by_marginal({"x": pd.Series([0.3, 0.1]), "y": pd.Series([0.2, 0.3])})
    assert fig.axes[0].lines[0].get_ydata().tolist() == [0.1, 0.3]
    assert alt.endswith("From x with a mean of 0.2 to y with a mean of 0.2: x, y.")
    first, second = (label.xy[1] for label in fig.axes[0].texts)
    assert second - first > 0.01


def test_a_panel_a_synthesizer_with_baselines_across(cells):
    fig, alt = against_epsilon(cells, "parity", "parity error", floors=("bootstrap",))
    drawn = fig.axes[:3]
    assert [ax.get_title(loc="left") or ax.get_title() for ax in drawn] == [*MAIN]
    assert all(len(ax.containers) == len(COLOURS) for ax in drawn)
    assert all(any(np.allclose(line.get_ydata(), 0.02) for line in ax.lines) for ax in drawn)
    assert "AIM by sex from 1 to 0.177" in alt


def test_shares_keep_their_range(cells):
    wild = cells.assign(parity=np.where(cells["run"] == 0, 0.0, 0.99))
    fig, _ = against_epsilon(wild, "parity", "share", floors=(), share=True)
    bars = [c[2][0].get_segments() for ax in fig.axes for c in ax.containers]
    ends = np.concatenate([np.asarray(bar)[:, 1] for segments in bars for bar in segments])
    assert ends.min() >= 0
    assert ends.max() <= 1 + 1e-12
    assert fig.axes[0].get_ylim() == (0, 1)


def test_a_panel_a_table_for_what_stratifying_changes():
    rows = [{"synthesizer": s, "epsilon": e, "mean": 2 / (1 + e)} for s in MAIN for e in EPSILONS]
    ratio = pd.DataFrame(rows)
    ratio = ratio.assign(low=ratio["mean"] - 0.1, high=ratio["mean"] + 0.1)
    fig, alt = relative_to_plain({"Texas": ratio, "here": ratio}, "stratified / plain")
    assert [len(ax.containers) for ax in fig.axes] == [3, 3]
    assert "Texas: MST from 1.98 to 0.333" in alt


def test_every_group_is_a_point_of_its_budget():
    rows = product(MAIN, (1.0, 5.0), ((10, -0.1), (3000, 0.2)))
    gains = pd.DataFrame(
        [{"synthesizer": s, "epsilon": e, "people": n, "gain": g} for s, e, (n, g) in rows]
    )
    fig, alt = gains_by_size(gains)
    assert [ax.lines[1].get_ydata().tolist() for ax in fig.axes] == [[-0.1, 0.2]] * 2
    assert "at epsilon 1, 3 of 6 points are above 0, the smallest group among them of 3,000" in alt


def test_tallies():
    fig, alt = tallies({"A": {"reproduced": 3, "not run": 1}, "B": {"not reproduced": 2}})
    assert "A: 3 reproduced, 1 not run; B: 2 not reproduced" in alt
    assert sum(p.get_width() for p in fig.axes[0].patches) == 6
