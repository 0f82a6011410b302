"""The grids of stratified means: census variables, and Gaussian mixtures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from lib.runner.registry import Grid
from studies.private_means.by_group import TABLE, GroupsCell, run_groups
from studies.private_means.census import (
    CROSSINGS,
    NAMES,
    RHO,
    RUNS,
    SETTINGS,
    TABLES,
    VERSION,
    CensusCell,
    run_census,
)
from studies.private_means.mixtures import mixture_grid, run_mixture

RHOS = (0.005, 0.02, 0.05, 0.1, 0.5, 1.0, 2.0, 5.0)
EPSILONS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
_TWO = ("published", "scaled")
_FEW = ("SEX", "RAC1P", "AGEP", "SEX_RAC1P", "SEX_RAC1P_AGEP", "SEX_DIS_RAC1P_AGEP")


def _variables(datasets: Iterable[str]) -> Iterator[partial[CensusCell]]:
    """A cell for each variable, of which something is left to say."""
    for dataset in datasets:
        for variable in TABLES[dataset]:
            yield partial(CensusCell, dataset=dataset, variable=variable)


def census_grid(datasets: Iterable[str], runs: int = RUNS) -> Iterator[CensusCell]:
    """Figs 2 and 8 on every crossing, published and scaled; the other settings on six crossings."""
    for cell in _variables(datasets):
        for name in CROSSINGS[cell.keywords["dataset"]]:
            for setting in SETTINGS if name in _FEW else _TWO:
                yield cell(crossing=name, setting=setting, runs=runs)


def budget_grid(datasets: Iterable[str]) -> Iterator[CensusCell]:
    """Sex by race at every rho (COINPRESS, published and scaled) and epsilon (Laplace)."""
    for cell in _variables(datasets):
        for rho in RHOS:
            for setting in _TWO if rho != RHO else ():  # that one is in the grid above
                yield cell(crossing="SEX_RAC1P", setting=setting, budget=rho)
        for epsilon in EPSILONS:
            yield cell(crossing="SEX_RAC1P", mechanism="laplace", budget=epsilon)


def _grid(name: str, title: str, cells: Callable, run: Callable) -> Grid:
    return Grid(name, f"Stratified means{title}", cells, run, lambda cell: 1.0, VERSION)


def _mixtures(profile: str) -> Iterable[object]:
    if profile == "paper":
        return mixture_grid()
    return (cell for cell in mixture_grid(runs=5) if cell.n <= 1000)


def _census(name: str, title: str, *datasets: str) -> Grid:
    def cells(profile: str) -> Iterable[object]:
        if profile == "paper":
            return [*census_grid(datasets), *budget_grid(datasets)]
        return (c for c in census_grid(datasets, runs=2) if c.crossing in ("SEX", "RAC1P"))

    return _grid(name, title, cells, run_census)


MIXTURES = _grid("means_mixtures", ", Figs 3, 6, 7 (Gaussian mixtures)", _mixtures, run_mixture)
NEWYORK = _census("means_newyork2024", ", Figs 2, 8 (New York, 2024)", "newyork2024")
NEWYORK_CENSUS = _census(
    "means_newyork_census", ", Figs 2, 8 (New York, the Census Bureau's rows)", "newyork_census"
)
CENSUS = _census("means_census", " on the Texan and the national extract", "acs_coverage", "nist")


def _groups(profile: str) -> Iterable[object]:
    for variable in NAMES:
        for crossing in CROSSINGS[TABLE] if profile == "paper" else ("SEX", "RAC1P"):
            for setting in ("published", "scaled, all strata"):
                yield GroupsCell(variable=variable, crossing=crossing, setting=setting)


GROUPS = _grid("means_by_group", ", group by group (New York, 2024)", _groups, run_groups)
