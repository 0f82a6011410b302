"""An assignment: a notebook as text with solutions and tests, and a YAML file beside it.

The notebook has the raw cells of ``otter assign`` (``# BEGIN QUESTION`` and so on), and two cells
that are marked by a tag: ``parameters``, which is replaced by a class's values, and ``table``,
which makes its table. ``course/README.md`` shows the format.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbformat import NotebookNode

from lib import validate
from lib.files import parse_yaml, read_yaml
from lib.paths import ROOT
from press.toc import tags

SOURCES = ROOT / "course" / "assignments"
NAME = re.compile(r"a[1-9][0-9]?")
HIDDEN = "# HIDDEN"  # the first line of a test that students do not get
PLACE = "# the variant"
_CONFIG = """# ASSIGNMENT CONFIG
init_cell: false
export_cell: false
run_tests: false
show_question_points: true
tests: {ok_format: false}"""
_FORM_ONLY = '''"""# BEGIN TEST CONFIG
success_message: The form is right. Marking will show whether the answer is right, too.
"""# END TEST CONFIG
'''
_BLOCK = re.compile(r"# (BEGIN|END) (QUESTION|PROMPT|SOLUTION|TESTS)\b")


@dataclass
class Task:
    """A task: its points (of each test in order, or of a written task) and its tests' sources."""

    name: str
    points: Any
    manual: bool = False
    tests: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Assignment:
    """A notebook, its tasks by name, and what the YAML file says."""

    name: str
    notebook: NotebookNode
    tasks: dict[str, Task]
    info: dict[str, Any]

    def cell(self, tag: str) -> NotebookNode | None:
        """The cell with a tag, if there is one."""
        return next((c for c in self.notebook.cells if tag in tags(c)), None)

    def key_names(self) -> list[str]:
        """The variables whose values hidden tests compare with the key."""
        tests = "\n".join(test for task in self.tasks.values() for test in task.tests)
        return sorted(set(re.findall(r'KEY\["(\w+)"\]', tests)))

    def solution(self) -> list[str]:
        """The sources of the code cells outside of tests, but for the tagged ones."""
        cells = (cell for cell, where in _walk(self.notebook) if where != "TESTS")
        return [c.source for c in cells if c.cell_type == "code" and not tags(c)]


def read(path: Path) -> Assignment:
    """The assignment of a file ``aN.md`` and the ``aN.yml`` beside it.

    Raises
    ------
    ValueError
        If a task has no tests and is not a written one, or the other way round, or if the points
        of a task are not one number for each test.
    """
    notebook = jupytext.read(path)
    tasks: dict[str, Task] = {}
    for cell, where in _walk(notebook):
        if cell.cell_type == "raw" and cell.source.startswith("# BEGIN QUESTION"):
            task = Task(**parse_yaml(cell.source))
            tasks[task.name] = task
        elif where == "TESTS" and cell.cell_type == "code":
            task.tests.append(cell.source)
    for task in tasks.values():
        good = isinstance(task.points, int) and not task.tests
        if not task.manual:
            good = isinstance(task.points, list) and len(task.points) == len(task.tests) > 0
        of = f"points of {path.name}, {task.name}"
        validate.require(good, of, "a number for each test, or one for a written task", task.points)
    return Assignment(path.stem, notebook, tasks, read_yaml(path.with_suffix(".yml"), dict))


def read_all() -> list[Assignment]:
    """All assignments, by number."""
    paths = [path for path in SOURCES.glob("a*.md") if NAME.fullmatch(path.stem)]
    return [read(path) for path in sorted(paths, key=lambda path: int(path.stem[1:]))]


def master(assignment: Assignment) -> NotebookNode:
    """The notebook for ``otter assign``: with its configuration and the advice to students that all
    assignments begin with, :data:`PLACE` for a variant, and without the table's cell.
    """
    start = nbformat.v4.new_markdown_cell((SOURCES / "start.md").read_text("utf-8"))
    cells = [nbformat.v4.new_raw_cell(_CONFIG), start]
    for cell, where in _walk(copy.deepcopy(assignment.notebook)):
        own = tags(cell)
        cell.metadata.pop("tags", None)
        if "parameters" in own:
            cell.source = PLACE
        elif where == "TESTS" and cell.cell_type == "code" and not cell.source.startswith(HIDDEN):
            cell.source = _FORM_ONLY + cell.source
        if "table" not in own:
            cells.append(cell)
    kernel = {"kernelspec": assignment.notebook.metadata["kernelspec"]}
    return nbformat.v4.new_notebook(cells=cells, metadata=kernel)


def _walk(notebook: NotebookNode) -> Iterator[tuple[NotebookNode, str]]:
    """Each cell with the innermost block that it is in, if any."""
    blocks: list[str] = []
    for cell in notebook.cells:
        edge = _BLOCK.match(cell.source) if cell.cell_type == "raw" else None
        if edge and edge[1] == "END":
            blocks.pop()
        elif edge:
            blocks.append(edge[2])
        yield cell, blocks[-1] if blocks else ""
