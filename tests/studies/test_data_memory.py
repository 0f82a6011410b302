"""What is kept in memory is kept for one place that data come from."""

from __future__ import annotations

import numpy as np

from lib.datasets import load
from studies.data.memory import cached_by_data_location
from studies.ldp_fairness.cells import Cell, run_cell


def test_another_folder_is_another_result(monkeypatch):
    asked = []

    @cached_by_data_location()
    def read(name: str) -> str:
        asked.append(name)
        return name.upper()

    for folder in ("/one", "/one", "/two", "/one"):
        monkeypatch.setenv("COMPANION_DATA", folder)
        assert read("adult") == "ADULT"
    assert asked == ["adult", "adult"]


def test_a_cell_on_a_table_of_ones_own_splits_that_table():
    """It used to split the data set's own rows, whatever table it was given."""
    data = load("lsac", "replica")
    shorter = type(data)(
        data.task, data.frame.iloc[:2000].reset_index(drop=True), data.source, data.sha256
    )
    found = run_cell(
        Cell(dataset="lsac", protocol="GRR", split="uniform", epsilon=1.0, run=0), shorter
    )
    assert found["n_0"] + found["n_1"] == 400
    assert np.isfinite(found["acc"])
