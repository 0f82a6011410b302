"""The grids of stratified means: census variables, and Gaussian mixtures."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lib.runner.registry import Grid
from lib.studies.private_means import census, mixtures


def _census_cells(datasets: tuple[str, ...]) -> Callable[[str], Iterable[object]]:
    def cells(profile: str) -> Iterable[object]:
        if profile == "paper":
            yield from census.census_grid(datasets)
            yield from census.budget_grid(datasets)
        else:
            short = census.census_grid(datasets, runs=2)
            yield from (c for c in short if c.crossing in ("SEX", "RAC1P"))

    return cells


def _mixtures(profile: str) -> Iterable[object]:
    if profile == "paper":
        return mixtures.mixture_grid()
    return (c for c in mixtures.mixture_grid(runs=5) if c.n <= 1000)


MIXTURES = Grid(
    "means_mixtures",
    "Stratified means, Figs 3, 6, 7 (Gaussian mixtures)",
    _mixtures,
    mixtures.run_mixture,
    lambda cell: 1.0,
    census.VERSION,
)
NEWYORK = Grid(
    "means_newyork",
    "Stratified means, Figs 2, 8 (New York; its stand-in where its rows are not there)",
    _census_cells(("newyork",)),
    census.run_census,
    lambda cell: 1.0,
    census.VERSION,
)
CENSUS = Grid(
    "means_census",
    "Stratified means on the Texan and the national extract",
    _census_cells(("acs_coverage", "nist")),
    census.run_census,
    lambda cell: 1.0,
    census.VERSION,
)
