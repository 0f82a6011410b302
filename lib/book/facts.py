"""Facts of the tables behind stored results: rows, and how many have the target, in all and by
group.

A page that shows stored results takes these numbers from ``data/facts.yml``, never from the table
that a machine has: that may be a replica. ``python -m lib.book.facts`` writes the file from
the real tables, which are public.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from lib import validate
from lib.datasets import TASKS, Dataset, load
from lib.datasets.section5 import NOT_ASKED, TARGET, Section5, load_section5
from lib.paths import DATA
from lib.studies.synthesizers.tables import Table, origin, table_of

__all__ = [
    "FACTS",
    "STORED_TABLES",
    "Facts",
    "Section5Facts",
    "attribute_counts",
    "count",
    "count_attributes",
    "count_section5",
    "count_task",
    "facts",
    "section5_facts",
    "task_facts",
    "write",
]

FACTS = DATA / "facts.yml"
STORED_TABLES = ("nist", "acs_coverage", "newyork")


@dataclass(frozen=True)
class Facts:
    """``rows``, ``target`` and how many rows have it (``hits``); of each group that occurs, the
    same two.

    Groups are named by their codes: those of the protected attribute for a task
    (``"gender=0"``), sex and race for a table of the synthesizers (``"SEX=0,RAC1P=2"``).

    ``data`` says what was counted ("real data" or "stand-in"), ``sha256`` which file.
    """

    data: str
    sha256: str
    rows: int
    target: str
    hits: int
    groups: dict[str, tuple[int, int]]

    @property
    def majority(self) -> float:
        """Share of the more frequent answer."""
        return max(self.hits, self.rows - self.hits) / self.rows

    def rates(self, least: float = 0.0) -> list[float]:
        """Share with the target in each group that is more than a share ``least`` of the rows,
        in the order of the codes.
        """
        return [hits / n for n, hits in self.groups.values() if n > least * self.rows]


def count_attributes(data: Dataset) -> dict[str, list[int]]:
    """How many rows have each code of a task's sensitive attributes."""
    return {
        c: np.bincount(data.frame[c], minlength=data.task.domain[c]).tolist()
        for c in data.task.sensitive
    }


@cache
def attribute_counts(dataset: str, path: Path = FACTS) -> dict[str, list[int]]:
    """The stored counts of a task's sensitive attributes, by column: one number a code."""
    return yaml.safe_load(path.read_text())["attributes"][
        validate.choice("dataset", dataset, TASKS)
    ]


@dataclass(frozen=True)
class Section5Facts:
    """Rows of the coherence paper's table by answer, and how many are the only ones with their
    eight attributes.

    ``unique`` counts these among all rows, ``unique_difficulty`` among the people with the
    difficulty.
    """

    sha256: str
    rows: int
    difficulty: int
    without: int
    not_asked: int
    unique: int
    unique_difficulty: int


def count_section5(table: Section5) -> Section5Facts:
    """The facts of the table of Section 5."""
    answers = table.frame[TARGET].value_counts()
    alone = ~table.frame[list(table.lens)].duplicated(keep=False)
    ill, well, not_asked = (int(answers.get(code, 0)) for code in (1, 2, NOT_ASKED))
    unique = int(alone[table.frame[TARGET] == 1].sum())
    return Section5Facts(
        table.data.sha256, len(table.frame), ill, well, not_asked, int(alone.sum()), unique
    )


def section5_facts(path: Path = FACTS) -> Section5Facts:
    """The stored facts of the table of Section 5."""
    return Section5Facts(**yaml.safe_load(path.read_text())["section5"])


def _count(frame: pd.DataFrame, by: list[str], target: str, data: str, sha256: str) -> Facts:
    groups = {
        ",".join(f"{c}={k}" for c, k in zip(by, codes, strict=True)): (len(y), int(y.sum()))
        for codes, y in frame.groupby(by)[target]
        if len(y)
    }
    return Facts(data, sha256, len(frame), target, int(frame[target].sum()), groups)


def count(table: Table) -> Facts:
    """The facts of a table of the synthesizers, by sex and race."""
    return _count(table.frame, ["SEX", "RAC1P"], table.target, origin([table.source]), table.sha256)


def count_task(data: Dataset) -> Facts:
    """The facts of a task's table, by its protected attribute."""
    return _count(data.frame, [data.task.protected], data.task.target, data.label, data.sha256)


def _stored(kind: str, dataset: str, path: Path) -> Facts:
    record = yaml.safe_load(path.read_text())[kind][dataset]
    return Facts(
        **record | {"groups": {name: tuple(pair) for name, pair in record["groups"].items()}}
    )


@cache
def task_facts(dataset: str, path: Path = FACTS) -> Facts:
    """The stored facts of one of :data:`lib.datasets.TASKS`."""
    return _stored("tasks", validate.choice("dataset", dataset, TASKS), path)


@cache
def facts(dataset: str, path: Path = FACTS) -> Facts:
    """The stored facts of one of :data:`STORED_TABLES`; another table, which only a machine that
    has it shows, is counted.
    """
    if dataset not in STORED_TABLES:
        return count(table_of(dataset))
    return _stored("tables", dataset, path)


def write(path: Path = FACTS) -> None:
    """Count the real tables and store their facts.

    Raises
    ------
    ValueError
        If only the replica of one is here.
    """
    found = {
        "tables": {name: count(table_of(name)) for name in STORED_TABLES},
        "tasks": {name: count_task(load(name)) for name in TASKS},
    }
    for name, fact in (found["tables"] | found["tasks"]).items():
        if fact.data == "replica":
            raise ValueError(f"{name} must be the real table, got its replica; set COMPANION_DATA")
    records = {
        kind: {
            n: asdict(f) | {"groups": {g: list(pair) for g, pair in f.groups.items()}}
            for n, f in of.items()
        }
        for kind, of in found.items()
    }
    records["attributes"] = {name: count_attributes(load(name)) for name in TASKS}
    records["section5"] = asdict(count_section5(load_section5()))
    head = (
        "# Facts of the public tables behind stored results, counted without noise: no part of what"
        " a replica promises.\n# Written by: python -m lib.book.facts\n"
    )
    path.write_text(head + yaml.safe_dump(records, sort_keys=False, default_flow_style=None))


if __name__ == "__main__":
    write()
