"""A gradebook has every student's points, the most of each assignment, and nothing unread."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from course.gradebook import write_gradebooks


@pytest.fixture
def books(tmp_path):
    rows = [
        ("s1", "Ada", "a1", 10.0, 15.0, 4.0, 6),
        ("s1", "Ada", "a2", 20.0, 20.0, math.nan, 6),  # the written task has not been read
        ("s2", "Grace, née Murray", "a1", 0.0, 15.0, 0.0, 6),
        ("s2", "Grace, née Murray", "a2", 13.0, 20.0, 6.0, 6),
    ]
    columns = ["id", "name", "assignment", "points", "of", "written", "written of"]
    paths = write_gradebooks(pd.DataFrame(rows, columns=columns), tmp_path)
    return {path.stem: pd.read_csv(path, dtype={"SIS User ID": str}) for path in paths}


def test_in_canvas_each_assignment_weighs_the_same(books):
    table = books["canvas"]
    assert list(table) == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "a1", "a2"]
    assert table["Student"][0].strip() == "Points Possible"
    assert table.loc[0, ["a1", "a2"]].tolist() == [100, 100]
    own = table[1:].set_index("SIS User ID")
    assert own.loc["s1", "a1"] == round(100 * 14 / 21, 2)
    assert math.isnan(own.loc["s1", "a2"])
    assert own.loc["s2", ["Student", "a1", "a2"]].tolist() == [
        "Grace, née Murray",
        0,
        round(100 * 19 / 26, 2),
    ]


def test_in_moodle_each_assignment_weighs_the_same(books):
    table = books["moodle"].set_index("ID number")
    assert table.loc["s1", "a1 (percent)"] == round(100 * 14 / 21, 2)
    assert table.loc["s2", "a2 (percent)"] == round(100 * 19 / 26, 2)
    assert table.drop(columns="Name").max(axis=None) <= 100
