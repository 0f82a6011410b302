"""What the codes of the tables mean (``data/codebook.yml``), checked against the domains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from lib import validate
from lib.datasets.registry import TASKS
from lib.files import read_yaml
from lib.paths import DATA

CODEBOOK = DATA / "codebook.yml"


@dataclass(frozen=True)
class Meaning:
    """A column in words; ``codes[v]`` is what code ``v`` stands for (empty for ranks and numbers).

    ``values`` are what the raw field may hold, in the order of the codes of a
    replica; ``absent`` are those of them that the paper's table has no code for.
    """

    text: str
    codes: tuple[str, ...] = ()
    values: tuple = ()
    absent: tuple = ()

    def __str__(self) -> str:
        each = ", ".join(f"{code} {name}" for code, name in enumerate(self.codes))
        return f"{self.text}: {each}" if each else self.text

    @property
    def present(self) -> tuple:
        """The values that the paper's table has: code ``v`` stands for ``present[v]``."""
        return tuple(v for v in self.values if v not in self.absent)


def _values(entry: dict, k: int) -> tuple:
    listed = entry.get("values", f"0-{k - 1}")
    if listed == "codes":
        return tuple(entry["codes"])
    if isinstance(listed, str):
        first, last = map(int, listed.split("-"))
        return tuple(range(first, last + 1))
    return tuple(listed)


@cache
def codebook(name: str, path: Path = CODEBOOK) -> dict[str, Meaning]:
    """The meaning of each column of a data set, in the order of its domain.

    Raises
    ------
    ValueError
        If the data set is unknown, or the file names other columns or another
        number of codes, or of values that are not absent, than the domain declares.
    """
    domain = TASKS[validate.choice("name", name, TASKS)].domain
    entries = read_yaml(path, dict)[name]
    if set(entries) != set(domain.columns):
        raise ValueError(
            f"codebook of {name!r} and its domain differ in"
            f" {sorted(set(entries) ^ set(domain.columns))}"
        )
    return {column: _meaning(name, column, k, entries[column]) for column, k in domain}


def _meaning(name: str, column: str, k: int, entry: dict) -> Meaning:
    codes, absent = tuple(map(str, entry.get("codes", ()))), tuple(entry.get("absent", ()))
    meaning = Meaning(entry["meaning"], codes, _values(entry, k), absent)
    counts = {"codes": len(codes) or k, "values that are not absent": len(meaning.present)}
    for what, n in counts.items():
        if n != k:
            raise ValueError(f"codebook of {name!r} gives {n} {what} of {column!r}; it has {k}")
    return meaning


def nearest(values: np.ndarray | Sequence, listed: Sequence) -> np.ndarray:
    """The place in ``listed`` of the nearest number to each of ``values``; the lower of two that
    are as near.
    """
    return np.abs(
        np.subtract.outer(np.asarray(values, dtype=float), np.asarray(listed, dtype=float))
    ).argmin(axis=1)


def paper_codes(name: str, codes: pd.DataFrame) -> pd.DataFrame:
    """The codebook's codes, in which replicas are stored, as the paper's, by a fixed map.

    A value without a code in the paper's table goes to the nearest that has one. That is
    post-processing of the release.
    """
    return pd.DataFrame(
        {c: _paper_code(meaning)[codes[c].to_numpy()] for c, meaning in codebook(name).items()}
    )


def _paper_code(meaning: Meaning) -> np.ndarray:
    """The paper's code of each codebook code, shape (len(values),)."""
    if isinstance(meaning.values[0], str):  # texts have no distance but that of their places
        places = [meaning.values.index(v) for v in meaning.present]
        return nearest(np.arange(len(meaning.values)), places)
    return nearest(meaning.values, meaning.present)
