"""Written answers: collected for a person to read beside the rubric, and the points they give."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
from nbformat import NotebookNode

from course.assignment import Assignment, Task
from course.sessions import TEMPLATES
from course.tables import read_table
from lib import validate
from lib.files import template, write_whole
from lib.parse import printable

_LONG = re.compile(r"-?\d*\.\d{3,}(e-?\d+)?")  # a number with more digits than one reads


def answer(notebook: NotebookNode, task: Task) -> str:
    """What stands in a notebook between the heading of a task and the next task."""
    found, inside = [], False
    for cell in notebook.cells:
        if "## Task " in cell.source and cell.cell_type == "markdown":
            inside = f"## Task {task.name[1:]}." in cell.source
        elif inside:
            found.append(cell.source)
    return "\n\n".join(found).strip()


def numbers(key: pd.DataFrame) -> dict[str, dict[str, str]]:
    """Parameters and right answers of each student, by their names, short enough to be read.

    Examples
    --------
    >>> row = {"id": "s1", "name": "Ada", "variant": "a1-x", "epsilon": "0.5",
    ...        "answer error": "0.0612345678"}
    >>> numbers(pd.DataFrame([row]))
    {'s1': {'epsilon': '0.5', 'error': '0.0612'}}
    """
    own = key.drop(columns=["name", "variant"], errors="ignore").set_index("id")
    own.columns = own.columns.str.removeprefix("answer ")
    return {
        who: {
            name: _LONG.sub(lambda found: f"{float(found[0]):.3g}", str(value))
            for name, value in row.items()
        }
        for who, row in own.to_dict("index").items()
    }


def write_answers(
    assignment: Assignment, notebooks: dict[str, NotebookNode], out: Path, key: pd.DataFrame
) -> pd.DataFrame:
    """Write ``aN-qM.md``, the rubric and the answers of all, and ``aN.csv``, where points go.

    Above each answer stand the parameters and the right numbers of its student, from ``key``
    (``key.csv`` as text), since every student has others.

    Points that are there already are kept. Returned is the table of ``aN.csv``: ``id``, ``task``,
    ``points`` (empty until somebody has read the answer) and ``of``.

    Raises
    ------
    ValueError
        If points are there that a task does not have.
    """
    out.mkdir(parents=True, exist_ok=True)
    tasks = [task for task in assignment.tasks.values() if task.manual]
    for task in tasks:
        page = template(TEMPLATES / "rubric.md.j2", printable=printable).render(
            name=assignment.name,
            task=task,
            rubric=assignment.info["rubric"][task.name],
            answers={who: answer(book, task) for who, book in notebooks.items()},
            numbers=numbers(key),
        )
        write_whole(out / f"{assignment.name}-{task.name}.md", page.rstrip(), private=True)
    file = out / f"{assignment.name}.csv"
    rows = [(who, task.name, task.points) for who in notebooks for task in tasks]
    table = pd.DataFrame(rows, columns=["id", "task", "of"]).assign(points=float("nan"))
    if file.exists():
        old = read_table(file, ["id", "task", "points"]).set_index(["id", "task"])["points"]
        twice = old[old.index.duplicated()]
        validate.require(twice.empty, f"{file}", "a table with a row for each answer", twice)
        table = table.drop(columns="points").join(old, on=["id", "task"])
    try:
        points = pd.to_numeric(table["points"].replace("", None))
    except ValueError as error:
        raise ValueError(f"points in {file} must be numbers or nothing, got {error}") from None
    table["points"] = points
    wrong = table[(points < 0) | (points > table["of"])].to_dict("records")
    validate.require(not wrong, f"points in {file}", "from 0 to what the task has", wrong[:1])
    write_whole(file, table.to_csv(index=False), private=True)
    return table
