"""What a course hands out, and what its lecturer keeps.

``OUT/students/ID/aN`` has the notebook and the table of a student: these folders go out.
``OUT/teacher`` stays, readable by its owner alone: ``aN/key.csv`` with the parameters and answers
of each student, and ``aN/ID.json``, by which this student is marked.

``otter assign`` runs once for an assignment. Its notebook holds no value of any student; the
students' values are put in afterwards.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
from tqdm import tqdm

from course.assignment import PLACE, Assignment, master
from course.variants import Variant, draw, key_of, solve
from lib import validate
from lib.files import locked_tempdir, write_whole
from lib.paths import BUILD, ROOT
from lib.processes import run_program


def otter_python() -> Path:
    """The interpreter of ``.venv-course``, which has otter-grader.

    Raises
    ------
    RuntimeError
        If ``make course`` has not built it.
    """
    inside = "Scripts/python.exe" if os.name == "nt" else "bin/python"
    path = ROOT / ".venv-course" / inside
    if not path.exists():
        raise RuntimeError("otter-grader must be installed: run `make course`, then this again")
    return path


def assign(assignment: Assignment) -> dict[str, Any]:
    """The students' notebook, from ``otter assign``.

    Raises
    ------
    RuntimeError
        With what ``otter assign`` printed, if it refuses the notebook.
    """
    with locked_tempdir(BUILD) as folder:
        source, made = folder / f"{assignment.name}.ipynb", folder / "made"
        nbformat.write(master(assignment), source)
        command = [str(otter_python()), "-m", "otter", "assign", str(source), str(made)]
        done = run_program(command, timeout=300)
        if done.returncode:
            raise RuntimeError(f"otter assign refused {assignment.name}:\n{done.stderr[-2000:]}")
        return json.loads((made / "student" / source.name).read_text("utf-8"))


def write_assignment(assignment: Assignment, roster: pd.DataFrame, seed: int, out: Path) -> None:
    """Write all files of an assignment."""
    notebook = assign(assignment)
    teacher = out / "teacher" / assignment.name
    teacher.mkdir(parents=True, exist_ok=True)
    (out / "teacher").chmod(0o700)
    rows = []
    for student in tqdm(roster.itertuples(), assignment.name, len(roster), unit="student"):
        variant = draw(assignment, student.id, seed)
        key = key_of(assignment, solve(assignment, variant))
        folder = out / "students" / student.id / assignment.name
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / f"{assignment.name}.ipynb", _personal(notebook, variant))
        if variant.table is not None:
            write_whole(folder / f"{variant.name}.csv", variant.table)
        own = {"variant": variant.name, "key": key, "table": variant.table}
        write_whole(teacher / f"{student.id}.json", json.dumps(own), private=True)
        row = {"id": student.id, "name": student.name, "variant": variant.name}
        rows.append(row | variant.values | {f"answer {name}": key[name] for name in key})
    table = pd.DataFrame(rows)
    validate.require(table["variant"].is_unique, "the course's seed", "one without a collision", "")
    write_whole(teacher / "key.csv", table.to_csv(index=False), private=True)


def _personal(notebook: dict[str, Any], variant: Variant) -> str:
    """The students' notebook with the cell of one variant."""
    locked = {"deletable": False, "editable": False}
    own, cells = {"source": variant.cell(), "metadata": locked}, []
    for number, cell in enumerate(notebook["cells"]):
        change = own if "".join(cell["source"]) == PLACE else {}
        cells.append(cell | change | {"id": f"cell-{number}"})  # otter draws others in each call
    return json.dumps(notebook | {"cells": cells}, indent=1, ensure_ascii=False)
