"""Submissions to mark: a student's notebook, filled in with the solution or with other code."""

from __future__ import annotations

import json
from pathlib import Path

from course.assignment import Assignment


def filled_in(notebook: Path, assignment: Assignment, more: str = "") -> str:
    """The text of a student's notebook after the student has written the solution, and ``more``."""
    made = json.loads(notebook.read_text("utf-8"))
    blank = [c for c in made["cells"] if "otter_answer_cell" in c["metadata"].get("tags", [])]
    code = [c for c in blank if c["cell_type"] == "code"]
    for cell in code:
        cell["source"] = ""
    # the last cell that a task is answered in: all code of the solution comes before any check
    first = made["cells"].index(code[0])
    for number, source in enumerate([*assignment.solution(), more]):
        cell = code[0] | {"id": f"answer-{number}", "source": source}
        made["cells"].insert(first + number, cell)
    return json.dumps(made)
