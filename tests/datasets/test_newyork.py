"""The stand-in meets what was published, to the unit; it is the same wherever it is drawn;
sources are checked.
"""

from __future__ import annotations

import runpy

import numpy as np
import pandas as pd
import pytest

from lib.rng import stream
from studies.data import newyork_aggregates as printed
from studies.data.newyork import load_newyork


@pytest.fixture(scope="module")
def people():
    return load_newyork("stand-in").frame


def test_sex_by_race_is_table_3_to_the_unit(people):
    assert len(people) == printed.ROWS == sum(printed.GROUPS.values())
    found = people.groupby(["SEX", "RAC1P"]).size()
    assert all(found[key] == count for key, count in printed.GROUPS.items())


def test_published_full_cells_have_their_counts_and_sums(people):
    cells = printed.crossing(printed.published_cells(), *printed.ATTRIBUTES)
    assert len(cells) == 94
    grouped = people.groupby(list(printed.ATTRIBUTES))
    for name in printed.VARIABLES:
        counts, sums = grouped[name].count(), grouped[name].sum()
        assert (counts.reindex(cells.index) == cells[f"n_{name}"]).all()
        assert (sums.reindex(cells.index) == cells[f"sum_{name}"]).all()


@pytest.mark.parametrize("name", printed.VARIABLES)
def test_margins_are_near_table_1(people, name):
    v, x = printed.VARIABLES[name], people[name].dropna()
    assert len(x) == pytest.approx(v.n, rel=0.002)
    assert x.mean() == pytest.approx(v.mean, rel=0.002)
    assert x.std() == pytest.approx(v.std, rel=0.03)
    assert x.between(v.low, v.high).all()
    assert (x == x.round()).all()


def test_the_stand_in_is_what_its_generator_draws(people):
    make = runpy.run_path(str(printed.FILE.with_name("make_newyork.py")))
    cells, draw = make["fitted_cells"](), make["draw_people"]
    again = draw(cells, stream(make["SEED"], "new york stand-in"))
    pd.testing.assert_frame_equal(again, people, check_exact=True)
    other = draw(cells, stream(1, "another"))
    assert not other.equals(people)
    sizes = (frame.groupby(["SEX", "RAC1P"]).size() for frame in (other, people))
    assert np.array_equal(*sizes)


def test_it_says_what_it_is():
    york = load_newyork("stand-in")
    assert (york.is_replica, york.label) == (True, "stand-in from published aggregates")
