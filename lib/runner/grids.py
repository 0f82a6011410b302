"""Grids by name: which cells, what runs one, where the records go."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import joblib
import pandas as pd

from lib import validate
from lib.datasets import TASKS, load
from lib.paths import RESULTS
from lib.runner.parts import gather, parts_there, share
from lib.runner.records import needs_real
from lib.runner.sources import one_source, refuse_other_data
from lib.runner.store import Store
from lib.runner.sweep import run_sweep
from lib.studies.coherence import noisy_counts as coherence_dp
from lib.studies.coherence import section5 as coherence
from lib.studies.cross_paper import cells as across
from lib.studies.ldp_fairness import cells as ldp_fairness
from lib.studies.privacy_audit import cells as privacy_grid
from lib.studies.private_means import census as means
from lib.studies.private_means import mixtures as means_mixtures
from lib.studies.synthesizers import cells as synth

__all__ = [
    "Grid",
    "GRIDS",
    "NoResults",
    "PROFILES",
    "gather_grid",
    "grid_of",
    "run_grid",
    "results",
]

PROFILES = ("quick", "paper")


class NoResults(ValueError):
    """Nothing is stored of a grid yet; a file that is there and damaged is a ``StoreError``,
    which says another thing.
    """


@dataclass(frozen=True)
class Grid:
    """A named grid.

    ``cells(profile)`` lists the cells of the ``"paper"`` scale or of a
    ``"quick"`` slice of it (the same cells, fewer); ``run`` computes one;
    ``cost`` is its relative cost; ``version`` that of the code of a cell. The
    records go into ``folder``, for a grid of one's own one's own.
    """

    name: str
    title: str
    cells: Callable[[str], Iterable[object]]
    run: Callable[[object], dict]
    cost: Callable[[object], float]
    version: str
    folder: Path = RESULTS

    def __post_init__(self) -> None:
        if not isinstance(self.version, str):  # records of such a version could not be read back
            raise ValueError(f"version={self.version!r} is not allowed: text is")

    def path(self, profile: str) -> Path:
        """The results file: ``<folder>/<name>.parquet``, quick ones beside it."""
        return self.folder / (
            f"{self.name}.parquet" if profile == "paper" else f"{self.name}.{profile}.parquet"
        )


_QUICK = {
    "datasets": ("lsac",),
    "protocols": ("GRR", "OUE"),
    "epsilons": (0.25, 50.0),
    "runs": range(2),
}


def _ldp(name: str, title: str, grid: Callable[..., Iterable[object]], **quick: object) -> Grid:
    return Grid(
        name,
        title,
        lambda profile: grid(**({} if profile == "paper" else _QUICK | quick)),
        ldp_fairness.run_cell,
        ldp_fairness.relative_cost,
        ldp_fairness.VERSION,
    )


def _section5(profile: str) -> Iterable[object]:
    return coherence.section5_grid(*(() if profile == "paper" else (range(2), (1000,))))


def _coherence_dp(profile: str) -> Iterable[object]:
    return coherence_dp.dp_grid(*(() if profile == "paper" else (range(2), (0.1, 10.0))))


def _across(profile: str) -> Iterable[object]:
    cells = across.across_grid(*(() if profile == "paper" else (range(1), range(0))))
    return (c for c in cells if profile == "paper" or c.epsilon in (1.0, math.inf))


def _means_census(datasets: tuple[str, ...]) -> Callable[[str], Iterable[object]]:
    def cells(profile: str) -> Iterable[object]:
        if profile == "paper":
            yield from means.census_grid(datasets)
            yield from means.budget_grid(datasets)
        else:
            yield from (
                c for c in means.census_grid(datasets, runs=2) if c.crossing in ("SEX", "RAC1P")
            )

    return cells


def _mixtures(profile: str) -> Iterable[object]:
    cells = (
        means_mixtures.mixture_grid() if profile == "paper" else means_mixtures.mixture_grid(runs=5)
    )
    return (c for c in cells if profile == "paper" or c.n <= 1000)


def _synth(dataset: str) -> Grid:
    def cells(profile: str) -> Iterable[object]:
        return synth.synth_grid(dataset, *(() if profile == "paper" else (range(1), (1.0,))))

    return Grid(
        f"synth_{dataset}",
        f"Stratified synthesizers on {dataset}, Figs 4, 5, 7, 9",
        cells,
        synth.run_cell,
        synth.cost,
        synth.VERSION,
    )


def _means(
    name: str, title: str, cells: Callable[[str], Iterable[object]], run: Callable[[object], dict]
) -> Grid:
    return Grid(name, title, cells, run, lambda cell: 1.0, means.VERSION)


GRIDS: dict[str, Grid] = {
    g.name: g
    for g in (
        _ldp("ldp_main", "LDP and fairness, Figs 2-7", ldp_fairness.main_grid),
        _ldp(
            "ldp_appendix",
            "LDP and fairness, Figs 8-13 (random sensitive attributes)",
            ldp_fairness.appendix_grid,
        ),
        _ldp(
            "ldp_tuned",
            "LDP and fairness, Figs 2-7 with hyper-parameters tuned on training folds",
            ldp_fairness.tuned_grid,
        ),
        _ldp(
            "ldp_rounded",
            "LDP and fairness, OLH and SS with the authors' rounding, where it differs",
            ldp_fairness.rounded_grid,
            protocols=("OLH", "SS"),
            epsilons=(2.0, 4.0),
        ),
        Grid(
            "coherence_dp",
            "Demographic coherence of noisy and of exact counts",
            _coherence_dp,
            coherence_dp.run_cell,
            lambda cell: 5.0 if cell.reader == "forest" else 1.0,
            coherence_dp.VERSION,
        ),
        Grid(
            "coherence_section5",
            "Demographic coherence, Section 5 and variations",
            _section5,
            coherence.run_cell,
            lambda cell: 1.0,
            coherence.VERSION,
        ),
        _means(
            "means_mixtures",
            "Stratified means, Figs 3, 6, 7 (Gaussian mixtures)",
            _mixtures,
            means_mixtures.run_mixture,
        ),
        _means(
            "means_newyork",
            "Stratified means, Figs 2, 8 (New York; its stand-in where its rows are not there)",
            _means_census(("newyork",)),
            means.run_census,
        ),
        _means(
            "means_census",
            "Stratified means on the Texan and the national extract",
            _means_census(("acs_coverage", "nist")),
            means.run_census,
        ),
        Grid(
            "across_nist",
            "Across the papers: coherence of synthesizers and of LDP collection",
            _across,
            across.run_cell,
            across.cost,
            across.VERSION,
        ),
        *map(_synth, synth.TABLES),
        Grid(
            "privacy_audit",
            "Whole fits audited: declared against certified epsilon, and planted faults",
            privacy_grid.privacy_grid,
            privacy_grid.run_privacy,
            privacy_grid.cost,
            privacy_grid.VERSION,
        ),
    )
}


def grid_of(grid: str | Grid) -> Grid:
    """A grid by its name, by ``"module:GRID"``, or as it is."""
    if isinstance(grid, Grid):
        return grid
    return validate.resolve("grid", grid, GRIDS, lambda g: isinstance(g, Grid), "a lib.runner.Grid")


def run_grid(
    name: str | Grid,
    profile: str = "paper",
    *,
    workers: int = 1,
    backend: str = "loky",
    path: Path | None = None,
    mix_versions: bool = False,
    part: tuple[int, int] | None = None,
    progress: bool = True,
) -> pd.DataFrame:
    """Run what is missing of a grid and return all its records; interrupt and call again as often
    as you like.

    ``part=(3, 40)`` runs the third of forty parts only (:mod:`lib.runner.parts`), into a file
    of its own in the working folder unless ``path`` is given.

    Raises
    ------
    ValueError
        For a bad argument, before data are looked for, and where the grid's own file would get a
        replica's records;
        :class:`~lib.runner.store.StoreError` for a file that cannot be used, or whose records
        were computed on other rows than are here.
    """
    grid = grid_of(name)
    validate.choice("profile", profile, PROFILES)
    validate.integer("workers", workers, low=1)
    with joblib.parallel_config(backend=backend):  # a ValueError for what is none
        pass
    cells, committed = (
        list(grid.cells(profile)),
        path is None and profile == "paper" and grid.folder == RESULTS,
    )
    if part is not None:
        cells = share(cells, *part, cost=grid.cost)
        path = path or Path(f"{grid.path(profile).stem}.{part[0]}-of-{part[1]}.parquet")
    store = Store(path or grid.path(profile), version=grid.version, mix_versions=mix_versions)
    if committed:
        _needs_real_tables(grid)
    stored = store.frame()
    refuse_other_data(stored, store.path, cells)
    same = one_source(stored, store.path)

    def check(record: dict) -> None:
        if committed:
            _refuse_replica(record)
        same(record, f"cell {record['cell']}")

    return run_sweep(
        cells,
        grid.run,
        store,
        workers=workers,
        backend=backend,
        cost=grid.cost,
        check=check,
        progress=progress,
    )


def gather_grid(
    name: str | Grid, parts: Iterable[Path], profile: str = "paper", *, path: Path | None = None
) -> tuple[int, int]:
    """Put the records of finished parts into the grid's own file; how many cells it has now, and
    how many are missing.
    """
    grid, parts = grid_of(name), parts_there(parts)
    store = Store(
        path or grid.path(validate.choice("profile", profile, PROFILES)), version=grid.version
    )
    if path is None and profile == "paper" and grid.folder == RESULTS:
        for part in parts:
            for record in Store(part, version=grid.version).frame().to_dict("records"):
                _refuse_replica(record)
    missing = gather(grid.cells(profile), parts, store)
    return len(store), missing


def _refuse_replica(record: dict) -> None:
    """The process that stores has the real data; a worker on another machine may not."""
    if record.get("data_source") == "replica":
        raise ValueError(
            f"cell {record['cell']} of {record.get('dataset')!r} was computed on a replica, so it"
            " is not stored; set COMPANION_DATA on every worker, or keep replica results in a path"
            " of your own"
        )


def _needs_real_tables(grid: Grid) -> None:
    """Ask it of every task of a grid; what the project generates (mixtures, New York's stand-in)
    says so in each record.
    """
    for dataset in sorted({cell.dataset for cell in grid.cells("paper")} & set(TASKS)):
        needs_real(
            dataset,
            load(dataset).source,
            f"grid={grid.name!r} under profile='paper'",
            "a path of your own",
        )


def results(name: str | Grid, profile: str = "paper", *, path: Path | None = None) -> pd.DataFrame:
    """The records of a grid that exist so far; a :class:`NoResults` says how to make them if
    there are none.
    """
    grid = grid_of(name)
    file = path or grid.path(validate.choice("profile", profile, PROFILES))
    frame = Store(file, version=grid.version, mix_versions=True).frame()
    if frame.empty:
        raise NoResults(
            f"no results of {name!r} in {file.name}; make them with: python -m lib run"
            f" {name} --profile {profile}"
        )
    return frame
