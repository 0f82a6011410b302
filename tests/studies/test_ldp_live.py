"""A page's own trainings beside the stored ones: equal to the last bit, and what is not defined is
so both times.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from lib.runner.cell import cell_key
from lib.studies.ldp_fairness.cells import Cell
from lib.studies.ldp_fairness.live import matches_stored

CELL = Cell(dataset="lsac", protocol="GRR", split="uniform", epsilon=1.0, run=0)


@pytest.mark.parametrize(
    ("now", "then", "same"),
    [
        (0.25, 0.25, True),
        (0.25, np.nextafter(0.25, 1), False),
        (math.nan, math.nan, True),
        (math.nan, 0.25, False),
        (0.25, math.nan, False),
        (math.inf, math.inf, True),
    ],
)
def test_a_metric_is_compared_bit_for_bit(now, then, same):
    stored = pd.DataFrame({"cell": [cell_key(CELL), "1"], "DI": [then, 0.1], "acc": [0.5, 0.1]})
    found = pd.DataFrame({"DI": [now], "acc": [0.5]})
    if same:
        assert matches_stored([CELL], found, stored) == 1
    else:
        with pytest.raises(AssertionError, match="does not come out the same"):
            matches_stored([CELL], found, stored)
    for none in (stored.assign(cell="0"), stored.iloc[:0]):
        assert matches_stored([CELL], found, none) == 0
