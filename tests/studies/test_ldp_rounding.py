"""The main grid under the authors' rounding: whole runs, replaced cells, paired differences."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from studies.ldp_fairness import cells
from studies.ldp_fairness import rounding as ldp_rounding


@pytest.fixture
def stored(monkeypatch):
    """Three runs of cells, of which the rounding changes OLH at epsilon 1; the third is not whole."""
    cells = product(("OLH", "GRR"), ("uniform", "k-based"), (1.0, 2.0), range(3))
    main = pd.DataFrame(cells, columns=["protocol", "split", "epsilon", "run"])
    main = main.assign(dataset="lsac", DI=0.5, acc=0.8)
    found = main.query("protocol == 'OLH' and epsilon == 1").assign(protocol="OLH-rounded")
    found["DI"] += np.where(found["split"] == "uniform", 0.1, 0.2) + 0.01 * found["run"]
    tables = {"ldp_main": main, "ldp_rounded": found.query("run < 2 or split == 'uniform'")}
    monkeypatch.setattr(ldp_rounding, "results", tables.__getitem__)
    monkeypatch.setattr(ldp_rounding, "rounded_grid", lambda runs: [None, None])
    return tables


def test_cells_that_differ_replace_those_of_the_main_grid(stored):
    frame = ldp_rounding.rounded_frame()
    assert set(frame["protocol"]) == {"OLH", "GRR"}
    assert set(frame["run"]) == {0, 1}
    assert len(frame) == 16
    new = (frame["protocol"] == "OLH") & (frame["epsilon"] == 1.0)
    assert (frame.loc[new, "DI"] >= 0.6).all()
    assert (frame.loc[~new, "DI"] == 0.5).all()
    # differences are paired by run
    found = ldp_rounding.rounding_changes(["DI", "acc"]).set_index(["metric", "split"])
    assert found.loc[("DI", "uniform"), "mean"] == pytest.approx(0.105)
    assert found.loc[("DI", "k-based"), "mean"] == pytest.approx(0.205)
    assert (found["runs"] == 2).all()
    assert (found.loc["acc", "mean"] == 0).all()


def test_the_grid_does_not_hang_on_the_last_digits_of_a_budget(monkeypatch):
    """At a budget of 22.7 one part in 10^12 moves e^epsilon by a sixth."""
    of = {"datasets": ("lsac",), "runs": [0]}
    plain, split = [*cells.rounded_grid(**of)], cells.budgets
    assert len(plain) > 0
    for factor in 1 + 1e-12 * np.linspace(-2, 2, 9):
        moved = {"budgets": lambda cell, f=factor: {c: e * f for c, e in split(cell).items()}}
        monkeypatch.setattr(cells, "budgets", moved["budgets"])
        assert [*cells.rounded_grid(**of)] == plain
