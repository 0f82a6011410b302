"""What ``course make`` writes by otter-grader, in the environment of ``make course``, and its marks."""

from __future__ import annotations

import ast
import json
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest

from course import mark as marking
from course.assignment import Assignment, read_all
from course.make import write_assignment
from course.mark import mark
from course.sessions import COURSE
from course.variants import course_seed
from lib.files import read_yaml
from lib.paths import ROOT
from tests.test_programs import left

pytestmark = [
    pytest.mark.thorough("otter-grader"),
    pytest.mark.skipif(
        not (ROOT / ".venv-course").exists(), reason="otter-grader is not here: make course"
    ),
]
SECRET = "a seed that nobody knows"
ASSIGNMENTS = {assignment.name: assignment for assignment in read_all()}
A1 = ASSIGNMENTS["a1"]
# what is handed in for assignment 1 by students 0, 1, ...; code comes after the right solution
CASES = {
    "right": "",
    "wrong": "keep = 1 - keep\nestimate = 0.5",
    "raises": "raise SystemExit(1 / 0)",
    "crash": "import os\nos._exit(3)",
}


def make_all(out: Path) -> Path:
    for assignment in ASSIGNMENTS.values():
        write_assignment(assignment, course_seed(SECRET), out)
    return out


@pytest.fixture
def made(once, tmp_path_factory) -> Path:
    """The folder of a course, made by the first process that asks."""
    return once("course", lambda: make_all(tmp_path_factory.mktemp("course")))


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


def hand_in(made: Path, folder: Path, student: str, more: str = "") -> Path:
    """Put a student's right notebook with ``more`` into ``folder/a1``."""
    (folder / "a1").mkdir(parents=True, exist_ok=True)
    text = filled_in(made / "students/a1/a1.ipynb", A1, more)
    (folder / f"a1/{student}.ipynb").write_text(text, "utf-8")
    return folder


def texts(path: Path) -> str:
    """A file as it is, and every text in it, if it is a notebook."""
    raw = path.read_text("utf-8")
    return raw + ("\n".join(_strings(json.loads(raw))) if path.suffix == ".ipynb" else "")


def _strings(part: Any) -> list[str]:
    if isinstance(part, str):
        return [part]
    if isinstance(part, list) and all(isinstance(line, str) for line in part):
        return ["".join(part)]
    inner = list(part.values()) + list(part) if isinstance(part, dict) else part
    return [s for p in inner for s in _strings(p)] if isinstance(inner, list) else []


def teachers_words(assignment: Assignment) -> set[str]:
    """What only the teacher may have: lines of solutions, tests and tables, mistakes, samples."""
    found, inside = [], False
    for line in "\n".join(assignment.solution()).splitlines():
        inside = (inside or "# BEGIN SOLUTION" in line) and "# END SOLUTION" not in line
        if inside or line.endswith("# SOLUTION"):
            found.append(line.removesuffix("# SOLUTION"))
    for test in (test for task in assignment.tasks.values() for test in task.tests):
        if test.startswith("# HIDDEN"):
            found += [*test.splitlines(), *ast.unparse(ast.parse(test)).splitlines()]
    if table := assignment.cell("table"):
        found += [line for line in table.source.splitlines() if "import" not in line]
    for planted in assignment.info["wrong"].values():
        found += [text for wrong in planted for text in wrong.values()]
    for rubric in assignment.info["rubric"].values():
        found += [one["for"] for one in rubric["criteria"]]
        found += [sample["text"][:80] for sample in rubric["samples"]]
    long = {words.strip() for words in found if len(words.strip()) >= 12}
    return long | {"KEY[", "make_table", "# SOLUTION", "# HIDDEN"}


def keys_of(made: Path, assignment: str) -> set[str]:
    """The numbers of all keys, to seven digits."""
    kept = json.loads((made / "teacher" / assignment / "key.json").read_text("utf-8"))
    numbers = re.split(r"[\s,}\]]+", json.dumps(kept["key"]))
    return {n[:9] for n in numbers if "." in n and len(n) >= 12}


def bank() -> set[str]:
    items = read_yaml(COURSE / "bank.yml", dict)["items"]
    items += read_yaml(COURSE / "quizzes.yml", dict)["diagnostic"]["items"]
    return {item["text"][:60] for item in items}


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_nothing_of_the_teachers_is_in_the_students_files(made, name):
    files = sorted((made / "students" / name).iterdir())
    assert files
    secrets = teachers_words(ASSIGNMENTS[name]) | keys_of(made, name) | bank() | {SECRET}
    for path in files:
        text = texts(path)
        assert [secret for secret in secrets if secret in text] == [], path
        assert path.suffix != ".ipynb" or "The form is right. Marking will" in text
    # the search finds what is there: a solved notebook, the bundle and the key
    notebook = next(path for path in files if path.suffix == ".ipynb")
    assert sum(word in filled_in(notebook, ASSIGNMENTS[name]) for word in secrets) > 3


@pytest.mark.skipif(os.name == "nt", reason="no modes of files")
def test_what_the_teacher_keeps_is_private(made):
    assert (made / "teacher").stat().st_mode & 0o077 == 0
    kept = [path for path in (made / "teacher").rglob("*") if path.is_file()]
    made_by_mark = sum(path.name == "secret" for path in kept)
    assert len(kept) - made_by_mark == len(ASSIGNMENTS)
    assert all(path.stat().st_mode & 0o077 == 0 for path in kept)


def test_the_same_seed_makes_the_same_files(made, tmp_path):
    write_assignment(A1, course_seed(SECRET), tmp_path)
    written = [p.relative_to(tmp_path) for p in tmp_path.rglob("*") if p.is_file()]
    assert len(written) == 3
    for path in written:
        assert (tmp_path / path).read_bytes() == (made / path).read_bytes(), path


def test_the_key_has_the_answers_and_the_table_of_the_class(made):
    key = json.loads((made / "teacher/a1/key.json").read_text("utf-8"))
    assert key["table"] == next((made / "students/a1").glob("*.csv")).read_text("utf-8")
    assert sorted(key["key"]) == A1.key_names()


def test_a_bad_submission_costs_only_its_own_mark(made, tmp_path, capsys, monkeypatch):
    """Students 0 to 3 hand in CASES, the others another class's notebook, a text and a broken one."""
    for number, code in enumerate(CASES.values()):
        handed_in = hand_in(made, tmp_path / "handed in", f"s{number}", code)
    variant = json.loads((made / "teacher/a1/key.json").read_text("utf-8"))["variant"]
    friend = handed_in / "a1/s5.ipynb"
    friend.write_text(
        (handed_in / "a1/s0.ipynb").read_text("utf-8").replace(variant, "a1-0"), "utf-8"
    )
    (handed_in / "a1/s6.docx").write_bytes(b"PK\x03\x04")
    (handed_in / "a1/s7.ipynb").write_bytes(b'{"cells": [\xff')
    (handed_in / "a1/=1+1.ipynb").write_text("{}", encoding="utf-8")  # a formula in a table
    table = mark(handed_in, made / "teacher", tmp_path / "marks").set_index("id")
    assert (table["of"] == 16).all()
    assert table["points"].tolist() == [16, 12, 16, 0, 0, 0, 0]
    assert table.loc["s1", ["q1", "q2", "q4"]].tolist() == [0, 2, 0]
    notes = [
        *("", ""),
        "raised ZeroDivisionError: division by zero",  # which costs what depends on it
        "its Python process ended itself",
        "has not the variant",
        "must be a notebook (.ipynb), got s6.docx",
        "cannot be read as a notebook",
    ]
    for note, said in zip(notes, table["note"], strict=True):
        assert note in said
        assert bool(note) == bool(said), said
    assert "=1+1.ipynb is left out" in capsys.readouterr().out
    # a second call marks nothing again, but for what has changed
    again = []
    real = marking.mark_one
    monkeypatch.setattr(marking, "mark_one", lambda *a: again.append(a[0].student) or real(*a))
    (handed_in / "a1/s6.ipynb").write_text("not JSON", encoding="utf-8")
    (handed_in / "a1/s0.ipynb").unlink()
    table = mark(handed_in, made / "teacher", tmp_path / "marks").set_index("id")
    assert again == ["s6"]
    assert "s0" not in table.index
    assert "cannot be read" in table.loc["s6", "note"]
    assert table.loc["s1", "points"] == 12
    written = {p.name for p in (tmp_path / "marks").iterdir()}
    assert written == {"submissions", "marks.csv"}


@pytest.mark.skipif(not Path("/proc").exists(), reason="no /proc to ask which processes run")
def test_an_endless_submission_is_stopped_with_all_that_it_started(made, tmp_path):
    mark_of = f"mark of {tmp_path}"
    code = f"""
import subprocess, sys
subprocess.Popen([sys.executable, "-c", "while True: pass", {mark_of!r}])
while True:
    pass
"""
    folder, start = hand_in(made, tmp_path / "handed in", "s0", code), time.monotonic()
    table = mark(folder, made / "teacher", tmp_path / "marks", seconds=25)
    assert time.monotonic() - start < 60
    assert "it ran for more than 25 s" in table.set_index("id").loc["s0", "note"]
    assert not left(mark_of)


def test_a_stored_mark_that_somebody_else_wrote_is_not_believed(made, tmp_path):
    """The digest that protected one could be computed by any submission."""
    marks, folder = tmp_path / "marks", hand_in(made, tmp_path / "handed in", "s1", "keep = 9")

    def points() -> float:
        return mark(folder, made / "teacher", marks).set_index("id").loc["s1", "points"]

    first, store = points(), marks / "submissions/a1/s1.json"
    kept = json.loads(store.read_text("utf-8"))
    for forged in (
        kept | {"result": kept["result"] | {"points": {"q1": 2.0}}},
        kept | {"signature": "0" * 64},
        {"result": kept["result"]},
        [],
    ):
        store.write_text(json.dumps(forged), "utf-8")
        assert points() == first == 14
        assert json.loads(store.read_text("utf-8")) == kept


@pytest.mark.slow
def test_two_hundred_submissions(made, tmp_path, capsys):
    """Prints how long it takes to mark them; ``course/README.md`` states it."""
    for number in range(200):
        folder = hand_in(made, tmp_path / "handed in", f"s{number}")
    start = time.monotonic()
    table = mark(folder, made / "teacher", tmp_path / "marks")
    with capsys.disabled():
        print(f"\n200 marked in {time.monotonic() - start:.0f} s")
    assert (table["points"] == table["of"]).all()
