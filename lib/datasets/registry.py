"""What each data file is and where its bytes come from, as ``data/datasets.yml`` states it.

One :class:`File` for each download, one :class:`Task` for each analysed table:
which file it comes from, its target, its protected attribute ``A_p``, its
sensitive attributes ``A_s`` in the order of the LDP paper's Table 2, the pool
that its appendix draws from, and the declared domain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pkgutil import resolve_name
from typing import Any

import pandas as pd

from lib import validate
from lib.domain import Domain
from lib.files import read_yaml
from lib.paths import DATA

_STATED = read_yaml(DATA / "datasets.yml", dict)


@dataclass(frozen=True)
class File:
    """A file with a public origin: address, SHA-256, bytes, licence, rows and columns.

    One without an address (``url=""``) is looked for in ``COMPANION_DATA`` and in the cache only.
    ``check`` names a function ``"module:function"`` that recognises other bytes of the same
    content, and raises a ``ValueError`` for any other.
    """

    name: str
    url: str
    sha256: str
    size: int
    licence: str
    rows: int
    columns: int
    check: str = ""


FILES: dict[str, File] = {name: File(name, **of) for name, of in _STATED["files"].items()}


@dataclass(frozen=True)
class Task:
    """A table to analyse: integer codes, a binary target, protected and sensitive attributes.

    ``protected`` follows the paper: code 1 is what it calls the privileged
    group. ``pool`` is what the paper's appendix draws its extra sensitive
    attributes from. ``file`` is a key of :data:`FILES`, or a :class:`File` of
    your own; ``prepare`` makes the analysed table of codes from the raw one (of a CSV file, each
    field a string); a file that holds codes already needs none.

    Raises
    ------
    ValueError
        If an attribute is not in the domain, the target or the protected one is
        not binary, or there is nothing to randomise in one of the others.
    """

    name: str
    title: str
    file: str | File
    target: str
    protected: str
    sensitive: tuple[str, ...]
    pool: tuple[str, ...]
    domain: Domain
    prepare: Callable[[pd.DataFrame], pd.DataFrame] | None = None

    def __post_init__(self) -> None:
        validate.fields(self, "sensitive pool", validate.names)
        for role, column in (("target", self.target), ("protected", self.protected)):
            k = self._size(role, column)
            validate.require(k == 2, role, "a column of two codes", f"{column} of {k}")
        for role, columns in (("sensitive", self.sensitive), ("pool", self.pool)):
            for column in columns:
                constant = self._size(role, column) < 2
                validate.require(not constant, role, "columns that are not constant", column)

    def _size(self, role: str, column: str) -> int:
        return self.domain[validate.choice(role, column, self.domain.columns)]

    @property
    def of_file(self) -> File:
        """The file that the table is made from."""
        return self.file if isinstance(self.file, File) else FILES[self.file]

    @property
    def features(self) -> tuple[str, ...]:
        """Every column but the target, in the order of the file."""
        return tuple(c for c in self.domain.columns if c != self.target)


# imported when a raw file is read; the other files hold codes already
_PREPARE = {
    "nist": "studies.data.nist:analysed",
    "newyork2018": "studies.data.newyork:adults_2018",
    "newyork2024": "studies.data.newyork:people_2024",
}


def _prepare(place: str, raw: pd.DataFrame) -> pd.DataFrame:
    return resolve_name(place)(raw)


def _task(name: str, stated: dict[str, Any]) -> Task:
    lists = {role: tuple(stated[role]) for role in ("sensitive", "pool")}
    prepare = partial(_prepare, _PREPARE[name]) if name in _PREPARE else None
    return Task(
        name, **stated | lists | {"domain": Domain.of(stated["domain"]), "prepare": prepare}
    )


TASKS: dict[str, Task] = {name: _task(name, of) for name, of in _STATED["tasks"].items()}


def task(name: str) -> Task:
    """The task called ``name``, or the one that ``"module:TASK"`` names."""
    return validate.resolve(
        "dataset", name, TASKS, lambda t: isinstance(t, Task), "a lib.datasets.Task"
    )
