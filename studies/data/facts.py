"""Facts of the tables behind stored results: rows, and how many have the target, in all and by
group.

A page that shows stored results takes these numbers from ``data/facts.yml``, never from the table
that a machine has: that may be a replica. ``data/make_facts.py`` writes the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from lib import validate
from lib.datasets.registry import TASKS
from lib.files import read_yaml
from lib.paths import DATA

FACTS = DATA / "facts.yml"


@dataclass(frozen=True)
class Facts:
    """``rows``, ``target`` and how many rows have it (``hits``); of each group of the protected
    attribute (``"gender = 0"``), the same two.

    ``data`` says what was counted ("real data"), ``sha256`` which file.
    """

    data: str
    sha256: str
    rows: int
    target: str
    hits: int
    groups: dict[str, list[int]]

    def rates(self) -> list[float]:
        """Share with the target in each group, in the order of the codes."""
        return [hits / n for n, hits in self.groups.values()]


@cache
def attribute_counts(dataset: str) -> dict[str, list[int]]:
    """The stored counts of a task's sensitive attributes, by column: one number a code."""
    return read_yaml(FACTS, dict)["attributes"][validate.choice("dataset", dataset, TASKS)]


@cache
def task_facts(dataset: str) -> Facts:
    """The stored facts of one of :data:`lib.datasets.registry.TASKS`."""
    return Facts(**read_yaml(FACTS, dict)["tasks"][validate.choice("dataset", dataset, TASKS)])


def stored(*datasets: str) -> str:
    """What the line under a page's title says of the tables behind its stored results.

    Examples
    --------
    >>> stored("lsac")
    'stored, real: LSAC bar passage, US 1991 (20,427 rows)'
    """
    named = (f"{TASKS[d].title} ({task_facts(d).rows:,} rows)" for d in datasets)
    return f"stored, real: {'; '.join(named)}"
