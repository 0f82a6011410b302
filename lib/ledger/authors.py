"""The results that the authors of a paper stored themselves, as small tables in ``data/authors``.

Each table was made once by ``data/authors/make.py``, from the files of one commit of a public
repository, and says so in a YAML file beside it. A measure reads it in the place of our results:
see :func:`studies.measures.measures_of`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pandas as pd

from lib.files import read_yaml
from lib.paths import DATA
from lib.runner.registry import NoResults
from lib.study import studies

AUTHORS = "authors"  # what a measure's argument names, in the place of a grid or a table
THEIRS = "authors' results"  # the data of evidence that such a measure gives
FOLDER = DATA / "authors"


_read = cache(pd.read_csv)


def table_path(name: str) -> Path:
    """The file of a table: ``NAME.csv``, or ``NAME.csv.gz`` of a large one."""
    packed = FOLDER / f"{name}.csv.gz"
    return packed if packed.exists() else packed.with_suffix("")


def read_table(name: str) -> pd.DataFrame:
    """The rows of a table; :class:`NoResults` if they are not here."""
    path = table_path(name)
    if not path.exists():
        raise NoResults(f"no {path.name} in {FOLDER.name}")
    return _read(path)


def tables() -> list[str]:
    """The names of the tables that the studies name."""
    return [name for study in studies() for name in study.published]


def described(name: str) -> dict:
    """What is said of a table: repository, commit, files, treatment."""
    return read_yaml(FOLDER / f"{name}.yml", dict)
