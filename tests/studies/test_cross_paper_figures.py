"""Figures across the papers draw what they are given, and their alternative text has its
numbers.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from studies.cross_paper import figures as across


def _table(**columns) -> pd.DataFrame:
    readers, releases = ["forest", "lookup", "tracer"] * 2, ["a"] * 3 + ["b"] * 3
    rows = pd.DataFrame({"reader": readers, "release": releases, "mean": np.arange(6) / 10})
    return rows.assign(low=rows["mean"] - 0.01, high=rows["mean"] + 0.01, **columns)


def test_against_epsilon_has_a_panel_a_reader():
    table = pd.concat([_table(panel="p", epsilon=e) for e in (0.1, 1.0)])
    fig, alt = across.against_epsilon(table, 0.05, {(r, "p"): 1.0 for r in table["reader"]})
    assert len(fig.axes) == 3
    assert "0.40 for the lookup (b, p) and 0.50 for the tracer (b, p)." in alt


def test_groups_are_sorted_by_size():
    table = _table(people=[10, 10, 10, 900, 900, 900], group=["x"] * 3 + ["y"] * 3)
    table = table[table["reader"] == "forest"]
    fig, alt = across.groups(table, 0.05)
    assert [t.get_text() for t in fig.axes[0].get_yticklabels()] == ["y (900)", "x (10)"]
    assert "b is above the margin of 0.05 on 1 of 1 and highest for y, 0.30" in alt


def test_scatter_gives_the_rank_correlation():
    table = pd.DataFrame({"x": [1.0, 2, 3], "y": [3.0, 2, 1], "epsilon": [0.1, 1, 1]})
    _, alt = across.scatter(table, "x", "y", {"x": "a", "y": "b"})
    assert "up: b, from 1.00 to 3.00. The rank correlation over all points is -1.00" in alt
