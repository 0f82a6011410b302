"""A slice computed anew beside the stored one: equal to the last bit, and what is not defined is
so both times.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from lib.runner.cell import cell_key
from lib.studies.ldp_fairness import live
from lib.studies.ldp_fairness.cells import Cell

CELL = Cell(dataset="lsac", protocol="GRR", split="uniform", epsilon=1.0, run=0)


@pytest.mark.parametrize(
    ("now", "then", "verdict"),
    [
        (0.25, 0.25, "equal"),
        (0.25, np.nextafter(0.25, 1), "differs"),
        (math.nan, math.nan, "equal"),
        (math.nan, 0.25, "differs"),
        (0.25, math.nan, "differs"),
        (math.inf, math.inf, "equal"),
    ],
)
def test_a_metric_is_compared_bit_for_bit(monkeypatch, now, then, verdict):
    monkeypatch.setattr(live, "run_cell", lambda cell: {"DI": now, "acc": 0.5})
    stored = pd.DataFrame({"cell": [cell_key(CELL)], "DI": [then], "acc": [0.5]})
    row = live.recompute([CELL], stored, ["DI", "acc"]).iloc[0]
    assert row["stored"] == verdict
    assert (row["dataset"], row["protocol"], row["run"], row["acc"]) == ("lsac", "GRR", 0, 0.5)
    for none in (stored.assign(cell="0"), stored.iloc[:0]):
        assert live.recompute([CELL], none, ["DI"])["stored"].tolist() == ["not stored"]
