"""What several tests of the course make: points of answers, a book of one page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import nbformat

from course.assignment import Assignment
from course.grade import grade, names
from course.notebook_run import plain

FIGURE = (
    '<figure class="plot" id="fig-one"><div class="picture">'
    '<img class="only-light" src="data:image/png;base64,AA==" alt="a line that falls to 0.5"'
    ' width="600" height="400"><img class="only-dark" src="data:," alt="dark"></div>'
    "<figcaption><strong>A line falls.</strong> Simulated, seed 1.5. No data.</figcaption></figure>"
)


def points(assignment: Assignment, space: dict[str, Any], key: dict[str, Any]) -> dict[str, float]:
    """Points of each task with tests, for the variables that a student's notebook leaves."""
    answers = {}
    for name in names(assignment):
        try:
            answers[name] = json.loads(json.dumps(plain(space.get(name))))
        except TypeError:
            continue
    return grade(assignment, answers, json.loads(json.dumps(key)))


def full(assignment: Assignment) -> dict[str, float]:
    """Points of somebody who has everything right."""
    return {t.name: sum(t.points) for t in assignment.tasks.values() if not t.manual}


def check_samples(rubric: dict[str, Any]) -> None:
    """Each criterion says what earns half of it; each sample earns all, half or nothing of one, and
    quotes the words that earn it.
    """
    most = [criterion["points"] for criterion in rubric["criteria"]]
    assert all(set(one) == {"points", "for", "half"} for one in rubric["criteria"])
    for sample in rubric["samples"]:
        for earned, top, why in zip(sample["each"], most, sample["why"], strict=True):
            assert earned in (0, top / 2, top)
            quoted = re.findall("‘([^’]+)’", why)
            assert quoted or not earned, why
            assert all(words.lower() in sample["text"].lower() for words in quoted), why


def executed(folder: Path, figure: str = FIGURE) -> Path:
    """A book of one page, executed: a number and a figure."""
    glued = nbformat.v4.new_output(
        "display_data", {"text/plain": "'5 < 7'"}, metadata={"scrapbook": {"name": "count"}}
    )
    drawn = nbformat.v4.new_output("display_data", {"text/html": figure})
    path = folder / "executed" / "chapters" / "one" / "page.ipynb"
    path.parent.mkdir(parents=True)
    cell = nbformat.v4.new_code_cell("", outputs=[glued, drawn])
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    return folder / "executed"
