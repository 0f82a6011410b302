"""Variants: a class has parameters, a table and a key of each assignment, drawn from its seed."""

from __future__ import annotations

import hashlib
import io
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from course.assignment import Assignment
from lib import validate
from lib.rng import seed_sequence, stream


@dataclass(frozen=True)
class Variant:
    """A class's variant of an assignment.

    ``name`` is also that of the table's file, ``table`` its text (None without one).
    """

    name: str
    values: dict[str, Any]
    table: str | None

    def cell(self) -> str:
        """The first code cell of the students' notebook."""
        notebook = self.name.rpartition("-")[0]
        lines = [
            f'import otter\n\ngrader = otter.Notebook("{notebook}.ipynb")\n',
            "# Leave this cell as it is: your answers are compared with the key of these values.",
            f'variant = "{self.name}"',
            *(f"{name} = {value!r}" for name, value in self.values.items()),
        ]
        if self.table is not None:
            lines += ["", "import pandas as pd", "", 'table = pd.read_csv(f"{variant}.csv")']
        return "\n".join(lines)


def course_seed(secret: str) -> int:
    """The number that a course's secret text stands for.

    Raises
    ------
    ValueError
        If the text has fewer than 12 characters: a short one can be guessed, and with it all
        variants.
    """
    enough = isinstance(secret, str) and len(secret) >= 12
    validate.require(enough, "the course's seed", "a text of at least 12 characters", "less")
    return int.from_bytes(hashlib.blake2b(secret.encode(), digest_size=16).digest())


def draw(assignment: Assignment, seed: int) -> Variant:
    """The variant of a class: the same whenever it is asked for."""
    word = seed_sequence(seed, "variant", assignment.name).generate_state(1)[0]
    rng = stream(seed, "parameters", assignment.name)
    parameters = assignment.info["parameters"].items()
    listed = {name: _choices(name, given) for name, given in parameters}
    values = {name: choices[rng.integers(len(choices))] for name, choices in listed.items()}
    table = None
    if (cell := assignment.cell("table")) is not None:
        space = _space(values)
        exec(compile(cell.source, f"{assignment.name}, table", "exec"), space)
        made = space["make_table"](stream(seed, "table", assignment.name))
        table = made.to_csv(index=False, lineterminator="\n")
    return Variant(f"{assignment.name}-{word:08x}", values, table)


def solve(assignment: Assignment, variant: Variant) -> dict[str, Any]:
    """The variables after the solution has run on a variant."""
    space = _space(variant.values | {"variant": variant.name})
    if variant.table is not None:
        space["table"] = pd.read_csv(io.StringIO(variant.table))
    for number, source in enumerate(assignment.solution()):
        exec(compile(source, f"{assignment.name}, code cell {number}", "exec"), space)
    return space


def key_of(assignment: Assignment, space: dict[str, Any]) -> dict[str, Any]:
    """The values of a solution that hidden tests compare with, as plain objects."""
    return {name: _plain(name, space[name]) for name in assignment.key_names()}


def _space(values: dict[str, Any]) -> dict[str, Any]:
    return {"__name__": "__main__", "pd": pd, **values}


def _choices(name: str, choices: Any) -> list[Any]:
    """A list as it is; ``{from, to, step}`` as the numbers of that grid."""
    if isinstance(choices, dict):
        low, high, step = (choices[word] for word in ("from", "to", "step"))
        return [round(low + step * i, 9) for i in range(round((high - low) / step) + 1)]
    good = isinstance(choices, list) and len(choices) > 0
    validate.require(good, f"parameter {name}", "a list, or from, to and step", choices)
    return choices


def _plain(name: str, value: Any) -> Any:
    """Numbers, text, lists and dictionaries, which Python reads back from their ``repr``."""
    if isinstance(value, pd.Series):
        value = value.to_dict()
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, dict):
        return {_plain(name, k): _plain(name, v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(name, entry) for entry in value]
    good = math.isfinite(value) if isinstance(value, float) else isinstance(value, int | str)
    validate.require(good, f"the key of {name}", "finite numbers, text, lists or mappings", value)
    return value
