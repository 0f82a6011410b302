"""Tables of the chapter across the papers: paired differences, on rows seen and held out."""

from __future__ import annotations

import pandas as pd
import pytest

from studies.cross_paper import summary
from studies.cross_paper.statistics import SMALL_NAME
from tests.studies.test_cross_paper_hypotheses import _rows


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    made = _rows(6)
    return made.assign(error_out=made["error_in"] + 0.1)


def test_errors_on_the_half_left_out_stand_beside_those_on_the_half_that_was_seen(rows):
    """The sign of one turns at epsilon 5, and the pages said only the other."""
    moved = rows.copy()
    strata = (moved["kind"] == "MST") & (moved["by"] == "SEX")
    base = moved[(moved["kind"] == "MST") & (moved["by"] == "vanilla")]
    keys = ["epsilon", "run", "group", "reader"]
    for column, apart in (("error_in", -0.25), ("error_out", 0.125)):
        same = moved.loc[strata, keys].merge(base[[*keys, column]], on=keys)[column].to_numpy()
        moved.loc[strata, column] = same + apart
    found = summary.strata_differences(moved).set_index(["release", "panel", "what"])["mean"]
    assert found["MST by sex", SMALL_NAME, "error"] == pytest.approx(-0.25)
    assert found["MST by sex", SMALL_NAME, "error, left out"] == pytest.approx(0.125)
