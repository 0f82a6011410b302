"""Cells of the stratified means: runs against a plain loop, settings, what no budget paid for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lib.means import Interval
from lib.rng import stream
from studies.private_means import census
from studies.private_means.mixtures import MixtureCell, mixture_runs
from tests.means.plain import uvm_rec


def test_a_census_run_against_a_loop_over_strata():
    """Population and strata by the plain algorithm, with the draws in the order in which they
    are made.
    """
    cell = census.CensusCell(dataset="newyork2024", variable="WKHP", crossing="SEX_RAC1P", runs=2)
    values, sizes = census.strata("newyork2024", "WKHP", "SEX_RAC1P")
    rng = stream(census.SEED, "census means", "newyork2024", "WKHP", "SEX_RAC1P", 0)
    private = rng.random(values.size) >= 0.5
    groups = np.repeat(np.arange(sizes.size), sizes)
    kept = [g for g in range(sizes.size) if sizes[g] > 0.001 * values.size]
    told, population = Interval(low=-40.0, high=120.0, sigma=1.0), values[private].mean()
    draw = rng.standard_normal((2, 1))[:, 0].tolist()
    whole = uvm_rec(values[private].tolist(), told, census.budgets(0.5), draw)
    draws = rng.standard_normal((2, len(kept))).T.tolist()
    parts = [values[private & (groups == g)] for g in kept]
    pairs = zip(parts, draws, strict=True)
    found = np.array([uvm_rec(p.tolist(), told, census.budgets(0.5), draw) for p, draw in pairs])
    own, truth = np.array([p.size for p in parts]), np.array([p.mean() for p in parts])
    numbers, runs = census.census_runs(cell)
    for (metric, method), expected in {
        ("error", "COINPRESS"): abs(whole - population) / population,
        ("error", "StratCOINPRESS"): abs(found @ own / own.sum() - population) / population,
        ("worst", "StratCOINPRESS"): (np.abs(found - truth) / truth).max(),
        ("worst", "COINPRESS"): (np.abs(whole - truth) / truth).max(),
    }.items():
        assert runs[metric, method][0] == pytest.approx(expected, rel=1e-9), (metric, method)
    assert numbers[0] == len(kept)


def test_settings_change_what_they_say_and_nothing_else():
    base = {"dataset": "newyork2024", "variable": "SCHL", "crossing": "SEX_RAC1P", "runs": 2}
    cells = {name: census.CensusCell(**base, setting=name) for name in census.SETTINGS}
    runs = {name: census.census_runs(cell) for name, cell in cells.items()}
    numbers = {name: number for name, (number, _) in runs.items()}
    plain = {name: errors["error", "COINPRESS"] for name, (_, errors) in runs.items()}
    assert (numbers["all strata"] >= numbers["published"]).all()
    assert (plain["all strata"] == plain["published"]).all()
    assert (plain["scaled"] < plain["published"]).all()


def test_exact_means_recombine_to_the_mean():
    runs = mixture_runs(MixtureCell(n=500, k=4, alpha=1.0, runs=5))
    assert np.abs(runs["exact", "StratCOINPRESS"]).max() < 1e-12
    assert (runs["printed", "StratCOINPRESS"] >= 0).all()


def test_a_runs_ledger_says_what_no_budget_paid_for():
    """The right spread and the strata that occur are an oracle's; the sizes are exact."""
    cell = census.CensusCell(dataset="newyork2024", variable="SCHL", crossing="SEX")
    scaled, published = census.run_ledger(replace(cell, setting="scaled")), census.run_ledger(cell)
    kinds = [e.kind for e in scaled.entries]
    assert kinds == ["exact count", "oracle", "oracle", "measurement", "measurement"]
    assert [e.kind for e in published.entries] == kinds[:1] + kinds[2:]
    assert sum(e.cost for e in scaled.entries if e.kind == "oracle") == 0
    assert scaled.promise[:2] == ("replace within a group", pytest.approx(0.5))
    assert "spread" in scaled.entries[2].what
    laplace = census.run_ledger(replace(cell, mechanism="laplace", budget=1.0))
    assert (laplace.unit, laplace.promise[:2]) == ("epsilon", ("replace within a group", 1.0))
