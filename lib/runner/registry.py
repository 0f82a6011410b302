"""Grids by name, and their stored results. A name is looked up when it is asked for, so that
reading results imports no study.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from lib import validate
from lib.paths import RESULTS, to_read
from lib.runner.records import SCORES, refuse_bare
from lib.runner.store import read_records
from lib.runner.tables import tidy
from lib.study import studies

PROFILES = ("quick", "paper")


class NoResults(ValueError):
    """No results of a grid are stored yet. (A damaged file raises a ``StoreError`` instead.)"""


@dataclass(frozen=True)
class Grid:
    """A named grid of cells.

    ``cells(profile)`` lists the cells of the ``"paper"`` scale or of a
    ``"quick"`` slice of it (the same cells, fewer); ``run`` computes one;
    ``cost`` is its relative cost; ``version`` that of the code of a cell. The
    records go into ``folder``; else those of a study's grid, at full scale, among the stored
    results, and all others into ``results`` in the working folder. ``agrees`` is the kind of
    ``lib.runner.records.TOLERANCES`` within which another processor gives the numbers of a cell.
    """

    name: str
    title: str
    cells: Callable[[str], Iterable[Any]]
    run: Callable[..., dict]
    cost: Callable[..., float]
    version: str
    folder: Path | None = None
    agrees: Callable[[Any], str] = lambda cell: "arithmetic"

    def path(self, profile: str) -> Path:
        """The results file: ``<folder>/<name>.parquet``, quick ones ``<name>.quick.parquet``.

        Where the package is installed without its repository, runs write to ``results`` in the
        working folder, and the file there comes first.
        """
        name = self.name if profile == "paper" else f"{self.name}.{profile}"
        of_study = profile == "paper" and self.name in grids() and self == grid_of(self.name)
        folder = self.folder or (RESULTS if of_study else Path("results"))
        return to_read(folder / f"{name}.parquet")


@cache
def grids() -> dict[str, str]:
    """Every grid's name, and the ``"module:object"`` that its study states."""
    return {name: address for study in studies() for name, address in study.grids.items()}


def grid_of(grid: str | Grid) -> Grid:
    """A grid by its name, by ``"module:GRID"``, or as it is."""
    if isinstance(grid, Grid):
        return grid
    return validate.resolve(
        "grid", grid, grids(), lambda found: isinstance(found, Grid), "a lib.runner.Grid"
    )


def results(name: str | Grid, profile: str = "paper", *, path: Path | None = None) -> pd.DataFrame:
    """All stored records of a grid, one row a cell. Raises :class:`NoResults` if there are none."""
    return _records(name, profile, path).drop(columns=SCORES, errors="ignore")


def scores(name: str | Grid, profile: str = "paper", *, path: Path | None = None) -> pd.DataFrame:
    """The stored scores of a grid: one row for each cell and group (and what else a study tells
    apart), with the fields of the cell. Raises as :func:`results`.
    """
    return tidy(_records(name, profile, path))


def _records(name: str | Grid, profile: str, path: Path | None) -> pd.DataFrame:
    file = path or grid_of(name).path(validate.choice("profile", profile, PROFILES))
    frame = read_records(file)
    if frame.empty:
        raise NoResults(
            f"no results of {name!r} in {file.name}; make them with: python -m lib run {name}"
            f" --profile {profile}"
        )
    refuse_bare(frame, file)
    return frame
