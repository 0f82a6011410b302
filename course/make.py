"""What a course hands out, and what its lecturer keeps.

``OUT/students/aN`` has the notebook and the table of an assignment: these folders go out.
``OUT/teacher`` stays, readable by its owner alone: ``aN/key.json`` with the parameters and answers,
by which the class is marked.

The notebook of ``otter assign`` holds no parameter; the class's are put in afterwards.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import nbformat

from course.assignment import PLACE, Assignment, master
from course.variants import Variant, draw, key_of, solve
from lib.files import locked_tempdir, write_whole
from lib.paths import BUILD, ROOT


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
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode:
            raise RuntimeError(f"otter assign refused {assignment.name}:\n{done.stderr[-2000:]}")
        return json.loads((made / "student" / source.name).read_text("utf-8"))


def write_assignment(assignment: Assignment, seed: int, out: Path) -> None:
    """Write all files of an assignment."""
    notebook, variant = assign(assignment), draw(assignment, seed)
    key = key_of(assignment, solve(assignment, variant))
    folder, teacher = (out / who / assignment.name for who in ("students", "teacher"))
    for place in (folder, teacher):
        place.mkdir(parents=True, exist_ok=True)
    (out / "teacher").chmod(0o700)
    write_whole(folder / f"{assignment.name}.ipynb", _with_variant(notebook, variant))
    if variant.table is not None:
        write_whole(folder / f"{variant.name}.csv", variant.table)
    kept = {"variant": variant.name, "parameters": variant.values, "table": variant.table}
    write_whole(teacher / "key.json", json.dumps(kept | {"key": key}), private=True)


def _with_variant(notebook: dict[str, Any], variant: Variant) -> str:
    """The students' notebook with the cell of the class's variant."""
    locked = {"deletable": False, "editable": False}
    own, cells = {"source": variant.cell(), "metadata": locked}, []
    for number, cell in enumerate(notebook["cells"]):
        change = own if "".join(cell["source"]) == PLACE else {}
        cells.append(cell | change | {"id": f"cell-{number}"})  # otter draws others in each call
    return json.dumps(notebook | {"cells": cells}, indent=1, ensure_ascii=False)
