"""Cells of the stratified means: stored records rerun bit for bit, runs against a plain loop,
rules about small strata.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lib.means import Interval
from lib.rng import stream
from lib.runner import results, scores
from lib.runner.cell import cell_key
from studies.private_means.census import (
    CROSSINGS,
    SEED,
    SETTINGS,
    CensusCell,
    budgets,
    census_runs,
    run_census,
    run_ledger,
    strata,
)
from studies.private_means.grids import budget_grid, census_grid
from studies.private_means.mixtures import MixtureCell, mixture_grid, mixture_runs, run_mixture
from studies.private_means.scores import METHODS, SCORE
from tests.means.plain import uvm_rec


@pytest.mark.parametrize(
    ("grid", "cell", "run"),
    [
        ("means_mixtures", MixtureCell(n=2000, k=6, alpha=0.5), run_mixture),
        ("means_mixtures", MixtureCell(n=1000, k=3, alpha=1.0, spreads="uniform"), run_mixture),
        (
            "means_newyork",
            CensusCell(
                dataset="newyork", variable="JWMNP", crossing="SEX_RAC1P", setting="all strata"
            ),
            run_census,
        ),
        (
            "means_newyork",
            CensusCell(
                dataset="newyork",
                variable="SCHL",
                crossing="SEX_RAC1P",
                mechanism="laplace",
                budget=1.0,
            ),
            run_census,
        ),
        (
            "means_census",
            CensusCell(dataset="acs_coverage", variable="SCHL", crossing="RAC1P"),
            run_census,
        ),
    ],
)
def test_stored_cells_rerun_bit_for_bit(grid, cell, run):
    stored = results(grid).set_index("cell").loc[cell_key(cell)]
    rows = scores(grid).set_index("cell").loc[cell_key(cell)]
    found = run(cell)
    if stored["data_source"] not in ("generated", "stand-in") and found["data_source"] == "replica":
        pytest.skip("the stored cell is on real data; set COMPANION_DATA")
    now = pd.DataFrame(found.pop("scores"))
    pd.testing.assert_frame_equal(rows[[*SCORE]].reset_index(drop=True), now, check_exact=True)
    for name, value in found.items():
        assert name == "data_source" or stored[name] == value, name


def test_the_grids_are_complete_in_the_store():
    for grid, cells in (
        ("means_mixtures", list(mixture_grid())),
        ("means_newyork", [*census_grid(("newyork",)), *budget_grid(("newyork",))]),
        (
            "means_census",
            [*census_grid(("acs_coverage", "nist")), *budget_grid(("acs_coverage", "nist"))],
        ),
    ):
        assert {cell_key(c) for c in cells} == set(results(grid)["cell"]), grid


def test_a_census_run_against_a_loop_over_strata():
    """Population and strata by the plain algorithm, with the draws in the order in which they
    are made.
    """
    cell = CensusCell(dataset="newyork", variable="WKHP", crossing="SEX_RAC1P", runs=2)
    values, sizes = strata("newyork", "WKHP", "SEX_RAC1P")
    rng = stream(SEED, "census means", "newyork", "WKHP", "SEX_RAC1P", 0)
    private = rng.random(values.size) >= 0.5
    groups = np.repeat(np.arange(sizes.size), sizes)
    kept = [g for g in range(sizes.size) if sizes[g] > 0.001 * values.size]
    told, population = Interval(low=-40.0, high=120.0), values[private].mean()
    whole = uvm_rec(
        values[private].tolist(), told, budgets(0.5), rng.standard_normal((2, 1))[:, 0].tolist()
    )
    draws = rng.standard_normal((2, len(kept)))
    parts = [values[private & (groups == g)] for g in kept]
    found = np.array(
        [uvm_rec(p.tolist(), told, budgets(0.5), draws[:, i].tolist()) for i, p in enumerate(parts)]
    )
    own = np.array([p.size for p in parts])
    numbers, runs = census_runs(cell)
    assert runs["error", "COINPRESS"][0] == pytest.approx(
        abs(whole - population) / population, rel=1e-9
    )
    assert runs["error", "StratCOINPRESS"][0] == pytest.approx(
        abs(found @ own / own.sum() - population) / population, rel=1e-9
    )
    truth = np.array([p.mean() for p in parts])
    assert runs["worst", "StratCOINPRESS"][0] == pytest.approx(
        (np.abs(found - truth) / truth).max(), rel=1e-9
    )
    assert runs["worst", "COINPRESS"][0] == pytest.approx(
        (np.abs(whole - truth) / truth).max(), rel=1e-9
    )
    assert numbers[0] == len(kept)


def test_settings_change_what_they_say_and_nothing_else():
    base = {"dataset": "newyork", "variable": "SCHL", "crossing": "SEX_RAC1P", "runs": 2}
    runs = {name: census_runs(CensusCell(**base, setting=name)) for name in SETTINGS}
    numbers = {name: number for name, (number, _) in runs.items()}
    plain = {name: errors["error", "COINPRESS"] for name, (_, errors) in runs.items()}
    assert (numbers["all strata"] >= numbers["published"]).all()
    assert (plain["all strata"] == plain["published"]).all()
    assert (plain["scaled"] < plain["published"]).all()


def test_exact_means_recombine_to_the_mean():
    runs = mixture_runs(MixtureCell(n=500, k=4, alpha=1.0, runs=5))
    assert np.abs(runs["exact", "StratCOINPRESS"]).max() < 1e-12
    assert (runs["printed", "StratCOINPRESS"] >= 0).all()
    assert set(runs) >= {("error", m) for m in METHODS}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: CensusCell(dataset="ohio", variable="SCHL", crossing="SEX"),
            r"dataset must be .*, got 'ohio'",
        ),
        (
            lambda: CensusCell(dataset="nist", variable="SCHL", crossing="SEX"),
            r"variable must be .*, got 'SCHL'",
        ),
        (
            lambda: CensusCell(dataset="newyork", variable="SCHL", crossing="RAC1P_SEX"),
            r"crossing must be .*, got 'RAC1P_SEX'",
        ),
        (
            lambda: CensusCell(dataset="newyork", variable="SCHL", crossing="SEX", setting="best"),
            r"setting must be .*, got 'best'",
        ),
        (
            lambda: CensusCell(dataset="newyork", variable="SCHL", crossing="SEX", budget=0.0),
            r"budget must be .*, got 0.0",
        ),
        (lambda: MixtureCell(n=10, k=2, alpha=0.0), r"alpha must be .*, got 0.0"),
        (
            lambda: MixtureCell(n=10, k=2, alpha=1.0, spreads="two"),
            r"spreads must be .*, got 'two'",
        ),
    ],
)
def test_wrong_parameters_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
    assert all(len(c) for c in CROSSINGS.values())


def test_a_runs_ledger_says_what_no_budget_paid_for():
    """The right spread and the strata that occur are an oracle's; sizes are exact; the steps are
    measurements.
    """
    cell = {"dataset": "newyork", "variable": "SCHL", "crossing": "SEX"}
    scaled, published = (
        run_ledger(CensusCell(**cell, setting=name)) for name in ("scaled", "published")
    )
    kinds = [e.kind for e in scaled.entries]
    assert kinds == ["exact count", "oracle", "oracle", "measurement", "measurement"]
    assert [e.kind for e in published.entries] == [
        "exact count",
        "oracle",
        "measurement",
        "measurement",
    ]
    assert sum(e.cost for e in scaled.entries if e.kind == "oracle") == 0
    assert scaled.promise[:2] == ("replace within a group", pytest.approx(0.5))
    assert "spread" in scaled.entries[2].what
    laplace = run_ledger(CensusCell(**cell, mechanism="laplace", budget=1.0))
    assert (laplace.unit, laplace.promise[:2]) == ("epsilon", ("replace within a group", 1.0))
