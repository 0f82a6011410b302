"""Figures of the synthesizers draw what they are given."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from lib.studies.synthesizers.figures import mechanisms as synth


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_a_tree_names_its_pairs_in_order():
    fig, alt = synth.tree([("a", "b"), ("b", "c"), ("b", "d")])
    assert "a with b, b with c, b with d" in alt
    assert {t.get_text() for t in fig.axes[0].texts} >= {"a", "b", "c", "d", "1", "2", "3"}


def test_rounds_mark_where_the_budget_grew():
    table = pd.DataFrame(
        {
            "round": [1, 2, 3],
            "sigma": [40.0, 40.0, 20.0],
            "change": [9.0, 3.0, 5.0],
            "noise": 4.0,
            "annealed": [False, True, False],
        }
    )
    fig, alt = synth.rounds(table)
    assert fig.axes[0].lines[1].get_xdata().tolist() == [2]
    assert "sigma falls from 40 to 20 in 1 doublings" in alt


def test_losses_and_errors_are_all_drawn():
    fig, alt = synth.losses([np.array([1.0, 0.5]), np.array([0.8, 0.25])])
    assert fig.axes[0].lines[0].get_ydata().tolist() == [1.0, 0.5, 0.8, 0.25]
    assert "from 1 to 0.25" in alt
    fig, alt = synth.errors_by_marginal({"x": pd.Series([0.3, 0.1]), "y": pd.Series([0.2, 0.2])})
    assert fig.axes[0].lines[0].get_ydata().tolist() == [0.1, 0.3]
    assert "x mean 0.200; y mean 0.200" in alt
