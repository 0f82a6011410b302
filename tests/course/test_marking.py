"""What ``course make`` writes by otter-grader, in the environment of ``make course``, and its marks."""

from __future__ import annotations

import ast
import csv
import json
import os
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from course import mark as marking
from course.assignment import Assignment, read_all
from course.make import write_assignment
from course.mark import mark
from course.sessions import COURSE
from course.variants import course_seed
from lib.files import read_yaml
from lib.paths import ROOT
from lib.sandbox import Limits, choose
from tests.course.solved import filled_in
from tests.test_processes import _alive

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
    "parent": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n"
    "raise OSError('its parent is out of reach')",
}


def roster(size: int) -> pd.DataFrame:
    return pd.DataFrame({"id": [f"s{n}" for n in range(size)], "name": f"Nobody {size}"})


def make_all(out: Path) -> Path:
    for assignment in ASSIGNMENTS.values():
        students = roster(len(CASES) + 3 if assignment is A1 else 2)
        write_assignment(assignment, students, course_seed(SECRET), out)
    return out


@pytest.fixture
def made(once, tmp_path_factory) -> Path:
    """The folder of a course, made by the first process that asks."""
    return once("course", lambda: make_all(tmp_path_factory.mktemp("course")))


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
    found, inside = set(), False
    for source in assignment.solution():
        for line in source.splitlines():
            inside = (inside or "# BEGIN SOLUTION" in line) and "# END SOLUTION" not in line
            if inside or line.endswith("# SOLUTION"):
                found.add(line.removesuffix("# SOLUTION").strip())
    hidden = [t for task in assignment.tasks.values() for t in task.tests if t[:8] == "# HIDDEN"]
    for test in hidden:
        found |= {
            line.strip()
            for line in [*test.splitlines(), *ast.unparse(ast.parse(test)).splitlines()]
        }
    if table := assignment.cell("table"):
        found |= {line.strip() for line in table.source.splitlines() if "import" not in line}
    for planted in assignment.info["wrong"].values():
        found |= {text for wrong in planted for text in wrong.values()}
    for rubric in assignment.info["rubric"].values():
        found |= {c["for"] for c in rubric["criteria"]} | {
            s["text"][:80] for s in rubric["samples"]
        }
    return {word for word in found if len(word) >= 12} | {
        "KEY[",
        "make_table",
        "# SOLUTION",
        "# HIDDEN",
    }


def keys_of(made: Path, assignment: str) -> set[str]:
    """The numbers of all keys, to seven digits."""
    with (made / "teacher" / assignment / "key.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    texts = [str(v) for row in rows for k, v in row.items() if k.startswith("answer ")]
    numbers = [n for text in texts for n in text.replace(",", " ").replace("}", " ").split()]
    return {n[:9] for n in numbers if "." in n and len(n) >= 12}


def bank() -> set[str]:
    items = read_yaml(COURSE / "bank.yml", dict)["items"]
    items += read_yaml(COURSE / "quizzes.yml", dict)["diagnostic"]["items"]
    return {item["text"][:60] for item in items}


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_nothing_of_the_teachers_is_in_the_students_files(made, name):
    files = sorted((made / "students").glob(f"*/{name}/*"))
    assert len(files) >= 2
    secrets = teachers_words(ASSIGNMENTS[name]) | keys_of(made, name) | bank() | {SECRET}
    variants = pd.read_csv(made / "teacher" / name / "key.csv").set_index("id")["variant"]
    for path in files:
        of_others = set(variants.drop(path.parts[-3]))
        text = texts(path)
        assert [secret for secret in secrets | of_others if secret in text] == [], path
        assert path.suffix != ".ipynb" or "The form is right. Marking will" in text
    # the search finds what is there: a solved notebook, the bundle and the key
    notebook = next(path for path in files if path.suffix == ".ipynb")
    assert sum(word in filled_in(notebook, ASSIGNMENTS[name]) for word in secrets) > 3
    assert all(
        number in (made / "teacher" / name / "key.csv").read_text(encoding="utf-8")
        for number in keys_of(made, name)
    )


@pytest.mark.skipif(os.name == "nt", reason="no modes of files")
def test_what_the_teacher_keeps_is_private(made):
    assert (made / "teacher").stat().st_mode & 0o077 == 0
    kept = [path for path in (made / "teacher").rglob("*") if path.is_file()]
    assert len(kept) == len(CASES) + 4 + 3 * (len(ASSIGNMENTS) - 1)
    assert all(path.stat().st_mode & 0o077 == 0 for path in kept)


def test_the_same_seed_makes_the_same_files(made, tmp_path):
    write_assignment(A1, roster(2), course_seed(SECRET), tmp_path)
    written = [p.relative_to(tmp_path) for p in tmp_path.rglob("*") if p.is_file()]
    assert len(written) == 7
    for path in written:
        if path.name != "key.csv":  # there are more students in the other
            assert (tmp_path / path).read_bytes() == (made / path).read_bytes(), path


def test_the_key_of_a_student_has_the_answers_and_the_table_of_this_student(made):
    key = json.loads((made / "teacher/a1/s0.json").read_text("utf-8"))
    assert key["table"] == next((made / "students/s0/a1").glob("*.csv")).read_text("utf-8")
    assert sorted(key["key"]) == A1.key_names()


@pytest.fixture
def handed_in(made, tmp_path) -> Path:
    """Submissions of assignment 1: those of CASES, a friend's, a text and a broken notebook."""
    folder = tmp_path / "handed in"
    (folder / "a1").mkdir(parents=True)
    for number, code in enumerate(CASES.values()):
        text = filled_in(made / f"students/s{number}/a1/a1.ipynb", A1, code)
        (folder / f"a1/s{number}.ipynb").write_text(text, "utf-8")
    friends = filled_in(made / "students/s0/a1/a1.ipynb", A1)
    (folder / "a1/s5.ipynb").write_text(friends, "utf-8")
    (folder / "a1/s6.docx").write_bytes(b"PK\x03\x04")
    (folder / "a1/s7.ipynb").write_bytes(b'{"cells": [\xff')
    (folder / "a1/stranger.ipynb").write_text("{}", encoding="utf-8")
    return folder


@pytest.mark.skipif(choose() == "none", reason="no sandbox works here")
def test_a_bad_submission_costs_only_its_own_mark(made, handed_in, tmp_path, capsys, monkeypatch):
    table = mark(handed_in, made / "teacher", tmp_path / "marks").set_index("id")
    assert (table["of"] == 16).all()
    assert table["points"].tolist() == [16, 12, 16, 0, 16, 0, 0, 0]
    assert table.loc["s1", ["q1", "q2", "q4"]].tolist() == [0, 2, 0]
    notes = {
        "s0": "",
        "s1": "",
        "s2": "raised ZeroDivisionError: division by zero",  # which costs what depends on it
        "s3": "its Python process ended itself",
        "s4": "its parent is out of reach",
        "s5": "is the notebook of another student (s0)",
        "s6": "must be a notebook (.ipynb), got s6.docx",
        "s7": "cannot be read as a notebook",
    }
    for student, note in notes.items():
        assert note in table.loc[student, "note"], student
        assert bool(note) == bool(table.loc[student, "note"]), student
    assert "stranger.ipynb is left out" in capsys.readouterr().out
    # a second call marks nothing again, but for what has changed
    again = []
    real = marking.mark_one
    monkeypatch.setattr(marking, "mark_one", lambda *a: again.append(a[0].student) or real(*a))
    (handed_in / "a1/s6.ipynb").write_text("not JSON", encoding="utf-8")
    (handed_in / "a1/s0.ipynb").unlink()
    table = mark(handed_in, made / "teacher", tmp_path / "marks").set_index("id")
    assert again == ["s6"]
    assert table.loc["s0", "note"] == "nothing was handed in"
    assert "cannot be read" in table.loc["s6", "note"]
    assert table.loc["s1", "points"] == 12
    assert {p.name for p in (tmp_path / "marks").iterdir()} == {
        "submissions",
        "written",
        "marks.csv",
    }


@pytest.mark.skipif(not Path("/proc").exists(), reason="no /proc to ask which processes run")
def test_an_endless_submission_is_stopped_with_all_that_it_started(made, tmp_path):
    folder, pids = tmp_path / "handed in" / "a1", tmp_path / "pids"
    folder.mkdir(parents=True)
    code = f"""
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
open({str(pids)!r}, "w").write(f"{{os.getpid()}} {{child.pid}}")
while True:
    pass
"""
    (folder / "s0.ipynb").write_text(filled_in(made / "students/s0/a1/a1.ipynb", A1, code), "utf-8")
    start = time.monotonic()
    how = {"limits": Limits(seconds=25), "wish": "off"}  # in a sandbox it could not write to pids
    table = mark(tmp_path / "handed in", made / "teacher", tmp_path / "marks", **how)
    assert time.monotonic() - start < 60
    assert "it ran for more than 25 s" in table.set_index("id").loc["s0", "note"]
    started = [int(pid) for pid in pids.read_text(encoding="utf-8").split()]
    assert len(started) == 2
    assert not any(_alive(pid) for pid in started)


def test_a_stored_mark_that_somebody_else_wrote_is_not_believed(made, tmp_path):
    """The digest that protected one could be computed by any submission."""
    folder, marks = tmp_path / "handed in" / "a1", tmp_path / "marks"
    folder.mkdir(parents=True)
    (folder / "s1.ipynb").write_text(filled_in(made / "students/s1/a1/a1.ipynb", A1, "keep = 9"))

    def points() -> float:
        return mark(folder.parent, made / "teacher", marks).set_index("id").loc["s1", "points"]

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


def test_a_folder_without_an_assignment_is_refused(made, tmp_path):
    with pytest.raises(ValueError, match="must have a folder of a marked assignment"):
        mark(tmp_path, made / "teacher", tmp_path / "marks")


@pytest.mark.slow
def test_two_hundred_submissions(tmp_path, capsys):
    """Prints how long it takes to make and to mark them; ``course/README.md`` states it."""
    students = roster(200)
    start = time.monotonic()
    write_assignment(A1, students, course_seed(SECRET), tmp_path)
    made = time.monotonic()
    folder = tmp_path / "handed in" / "a1"
    folder.mkdir(parents=True)
    for student in students["id"]:
        text = filled_in(tmp_path / f"students/{student}/a1/a1.ipynb", A1)
        (folder / f"{student}.ipynb").write_text(text, "utf-8")
    table = mark(folder.parent, tmp_path / "teacher", tmp_path / "marks")
    with capsys.disabled():
        print(f"\n200 made in {made - start:.0f} s, marked in {time.monotonic() - made:.0f} s")
    assert (table["points"] == table["of"]).all()
