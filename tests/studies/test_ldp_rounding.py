"""The main grid under the authors' rounding: whole runs, replaced cells, paired differences."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lib.runner import NoResults
from studies.ldp_fairness import cells
from studies.ldp_fairness import evidence as ldp
from studies.ldp_fairness import rounding as ldp_rounding


@pytest.fixture
def stored(monkeypatch):
    """Three runs of four cells, of which the rounding changes OLH at epsilon 1; its third run is
    not whole.
    """
    main = pd.DataFrame(
        [
            {
                "dataset": "lsac",
                "protocol": p,
                "split": s,
                "epsilon": e,
                "run": r,
                "DI": 0.5,
                "acc": 0.8,
            }
            for p in ("OLH", "GRR")
            for s in ("uniform", "k-based")
            for e in (1.0, 2.0)
            for r in range(3)
        ]
    )
    found = main[(main["protocol"] == "OLH") & (main["epsilon"] == 1.0)].assign(
        protocol="OLH-rounded"
    )
    found["DI"] += np.where(found["split"] == "uniform", 0.1, 0.2) + 0.01 * found["run"]
    tables = {
        "ldp_main": main,
        "ldp_rounded": found[(found["run"] < 2) | (found["split"] == "uniform")],
    }
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


def test_differences_are_paired_by_run(stored):
    found = ldp_rounding.rounding_changes(["DI", "acc"]).set_index(["metric", "split"])
    assert found.loc[("DI", "uniform"), "mean"] == pytest.approx(0.105)
    assert found.loc[("DI", "k-based"), "mean"] == pytest.approx(0.205)
    assert (found["runs"] == 2).all()
    assert (found.loc["acc", "mean"] == 0).all()


def test_a_grid_without_a_whole_run_has_no_results(stored):
    stored["ldp_rounded"] = stored["ldp_rounded"].query("run == 2")
    with pytest.raises(NoResults, match="no run of ldp_rounded is whole"):
        ldp_rounding.rounded_frame()


def test_the_ledger_reads_it_as_a_grid(stored):
    ldp._grid.cache_clear()
    try:
        assert (
            len(ldp.cells_of("lsac", grid="ldp_rounded"))
            == len(ldp.cells_of("lsac", grid="ldp_printed"))
            == 16
        )
        assert (ldp.cells_of("lsac", grid="ldp_printed")["DI"] == 0.5).all()
        stored["ldp_rounded"] = stored["ldp_rounded"].iloc[:0]
        ldp._grid.cache_clear()
        with pytest.raises(NoResults):
            ldp.cells_of("lsac", grid="ldp_rounded")
    finally:
        ldp._grid.cache_clear()


def test_the_grid_does_not_hang_on_the_last_digits_of_a_budget(monkeypatch):
    """At a budget of 22.7 one part in 10^12 moves e^epsilon by a sixth."""
    of = {"datasets": ("lsac",), "runs": [0]}
    plain, split = [*cells.rounded_grid(**of)], cells.budgets
    assert len(plain) > 0
    for factor in 1 + 1e-12 * np.linspace(-2, 2, 9):
        moved = {"budgets": lambda cell, f=factor: {c: e * f for c, e in split(cell).items()}}
        monkeypatch.setattr(cells, "budgets", moved["budgets"])
        assert [*cells.rounded_grid(**of)] == plain
