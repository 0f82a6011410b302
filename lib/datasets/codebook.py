"""What the codes of the tables mean: ``data/codebook.yml``, checked against the declared domains."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from lib import validate
from lib.datasets.registry import TASKS
from lib.paths import DATA

__all__ = ["CODEBOOK", "Meaning", "codebook"]

CODEBOOK = DATA / "codebook.yml"


@dataclass(frozen=True)
class Meaning:
    """A column in words; ``codes[v]`` is what code ``v`` stands for, empty where codes are ranks or numbers."""

    text: str
    codes: tuple[str, ...] = ()

    def __str__(self) -> str:
        each = ", ".join(f"{code} {name}" for code, name in enumerate(self.codes))
        return f"{self.text}: {each}" if each else self.text


@cache
def codebook(name: str, path: Path = CODEBOOK) -> dict[str, Meaning]:
    """The meaning of each column of a data set, in the order of its domain.

    Raises
    ------
    ValueError
        If the data set is unknown, or the file names other columns or another
        number of codes than the domain declares.
    """
    domain = TASKS[validate.choice("name", name, TASKS)].domain
    entries = yaml.safe_load(path.read_text())[name]
    if set(entries) != set(domain.columns):
        raise ValueError(f"codebook of {name!r} and its domain differ in {sorted(set(entries) ^ set(domain.columns))}")
    book = {c: Meaning(entries[c]["meaning"], tuple(map(str, entries[c].get("codes", ())))) for c in domain.columns}
    for column, k in domain:
        if book[column].codes and len(book[column].codes) != k:
            raise ValueError(f"codebook of {name!r} gives {len(book[column].codes)} codes of {column!r}; it has {k}")
    return book
