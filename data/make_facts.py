"""Count the facts of the public tables and store them: ``python data/make_facts.py``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import yaml

from lib.datasets import TASKS, Dataset, load
from lib.files import write_whole
from lib.groups import group_name
from studies.coherence.table import NOT_ASKED, TARGET, Section5, Section5Facts, load_section5
from studies.data.facts import FACTS, Facts


def count_attributes(data: Dataset) -> dict[str, list[int]]:
    """How many rows have each code of a task's sensitive attributes."""
    return {
        c: np.bincount(data.frame[c], minlength=data.task.domain[c]).tolist()
        for c in data.task.sensitive
    }


def count_section5(table: Section5) -> Section5Facts:
    """The facts of the table of Section 5."""
    answers = table.frame[TARGET].value_counts()
    alone = ~table.frame[list(table.lens)].duplicated(keep=False)
    ill, well, not_asked = (int(answers.get(code, 0)) for code in (1, 2, NOT_ASKED))
    unique = int(alone[table.frame[TARGET] == 1].sum())
    return Section5Facts(
        table.data.sha256, len(table.frame), ill, well, not_asked, int(alone.sum()), unique
    )


def count_task(data: Dataset) -> Facts:
    """The facts of a task's table, by its protected attribute."""
    by, target, frame = data.task.protected, data.task.target, data.frame
    groups = {
        group_name({by: code}): [len(y), int(y.sum())] for code, y in frame.groupby(by)[target]
    }
    return Facts(data.label, data.sha256, len(frame), target, int(frame[target].sum()), groups)


def write(path: Path = FACTS) -> None:
    """Count the real tables and store their facts.

    Raises
    ------
    ValueError
        If only the replica of one is here.
    """
    found = {name: count_task(load(name)) for name in TASKS}
    for name, fact in found.items():
        if fact.data == "replica":
            raise ValueError(f"{name} must be the real table, got its replica; set COMPANION_DATA")
    records: dict[str, object] = {"tasks": {name: asdict(fact) for name, fact in found.items()}}
    records["attributes"] = {name: count_attributes(load(name)) for name in TASKS}
    records["section5"] = asdict(count_section5(load_section5()))
    head = (
        "# Facts of the public tables behind stored results, counted without noise: no part of what"
        " a replica promises.\n# Written by: python data/make_facts.py\n"
    )
    write_whole(path, head + yaml.safe_dump(records, sort_keys=False, default_flow_style=None))


if __name__ == "__main__":
    write()
