"""The results that the authors of a paper stored themselves, as small tables in ``data/authors``.

Each table was made once by ``data/authors/make.py``, from the files of one commit of a public
repository, and says so in a YAML file beside it. A measure reads it in the place of our results:
see :func:`lib.ledger.measures.measures_of`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd

from lib.files import read_yaml
from lib.paths import DATA
from lib.runner.registry import NoResults, studies

AUTHORS = "authors"  # what a measure's argument names, in the place of a grid or a table
THEIRS = "authors' results"  # the data of evidence that such a measure gives
FOLDER = DATA / "authors"


@dataclass(frozen=True)
class Table:
    """A table in ``data/authors``."""

    name: str

    @property
    def path(self) -> Path:
        """``NAME.csv``, or ``NAME.csv.gz`` of a large table."""
        packed = FOLDER / f"{self.name}.csv.gz"
        return packed if packed.exists() else packed.with_suffix("")

    def read(self) -> pd.DataFrame:
        """The rows; :class:`NoResults` if they are not here."""
        if not self.path.exists():
            raise NoResults(f"no {self.path.name} in {FOLDER.name}")
        return _read(self.path)


@cache
def _read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path)


def tables() -> list[Table]:
    """The tables that the studies name."""
    return [Table(name) for study in studies() for name in study.published]


def described(name: str) -> dict:
    """What is said of a table: repository, commit, files, treatment."""
    return read_yaml(FOLDER / f"{name}.yml", dict)
