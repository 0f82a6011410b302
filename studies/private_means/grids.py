"""The grids of stratified means: census variables, and Gaussian mixtures."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lib.runner.registry import Grid
from studies.private_means import census, mixtures


def _mixtures(profile: str) -> Iterable[object]:
    if profile == "paper":
        return mixtures.mixture_grid()
    return (c for c in mixtures.mixture_grid(runs=5) if c.n <= 1000)


def _grid(name: str, title: str, cells: Callable, run: Callable) -> Grid:
    return Grid(name, f"Stratified means{title}", cells, run, lambda cell: 1.0, census.VERSION)


def _census(name: str, title: str, *datasets: str) -> Grid:
    def cells(profile: str) -> Iterable[object]:
        if profile == "paper":
            yield from census.census_grid(datasets)
            yield from census.budget_grid(datasets)
        else:
            short = census.census_grid(datasets, runs=2)
            yield from (c for c in short if c.crossing in ("SEX", "RAC1P"))

    return _grid(name, title, cells, census.run_census)


MIXTURES = _grid(
    "means_mixtures", ", Figs 3, 6, 7 (Gaussian mixtures)", _mixtures, mixtures.run_mixture
)
NEWYORK = _census(
    "means_newyork",
    ", Figs 2, 8 (New York's stand-in)",
    "newyork",
)
NEWYORK_CENSUS = _census(
    "means_newyork_census",
    ", Figs 2, 8 (New York, the Census Bureau's rows)",
    "newyork_census",
)
CENSUS = _census("means_census", " on the Texan and the national extract", "acs_coverage", "nist")
