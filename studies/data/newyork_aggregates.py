"""What the stratified-DP paper publishes of New York 2018: two tables, and sums of cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pandas as pd

from lib.files import read_yaml
from lib.paths import DATA

ATTRIBUTES: tuple[str, ...] = ("SEX", "DIS", "NATIVITY", "RAC1P", "AGEP")
ROWS = 196_967
FILE = DATA / "aggregates" / "newyork2018.csv"
_STATED = read_yaml(FILE.with_name("newyork2018_tables.yml"), dict)


@dataclass(frozen=True, kw_only=True)
class Variable:
    """A column of the paper's Table 1: answers, mean, standard deviation, range, median."""

    n: int
    mean: float
    std: float
    low: int
    high: int
    median: float


VARIABLES: dict[str, Variable] = {n: Variable(**of) for n, of in _STATED["variables"].items()}
# Table 3: (SEX, RAC1P) -> people
GROUPS: dict[tuple[int, int], int] = {
    (sex, race): people
    for sex, row in _STATED["groups"].items()
    for race, people in enumerate(row, 1)
}


@cache
def published_cells() -> pd.DataFrame:
    """The embedded aggregates: codes of a crossing (NA: not crossed), ``n_<variable>``,
    ``sum_<variable>``.
    """
    frame = pd.read_csv(FILE, comment="#")
    return frame.astype(dict.fromkeys(ATTRIBUTES, "Int64"))


def crossing(cells: pd.DataFrame, *attributes: str) -> pd.DataFrame:
    """The published rows of one crossing, indexed by its attributes."""
    wanted = [name in attributes for name in ATTRIBUTES]
    crossed = (cells[list(ATTRIBUTES)].notna() == wanted).all(axis=1)
    return (
        cells[crossed]
        .astype(dict.fromkeys(attributes, int))
        .set_index(list(attributes))
        .iloc[:, -8:]
    )
