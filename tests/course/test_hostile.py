"""Twenty hostile submissions: what each gets and leaves, with a sandbox and without."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest

from course.assignment import SOURCES, read
from course.mark import mark
from course.variants import course_seed, draw, key_of, solve
from lib.paths import ROOT
from lib.sandbox import Limits
from tests.hostile import DAEMON, FORKS, WAYS, listening, still_here

A1 = read(SOURCES / "a1.md")
NOBODY = "FileNotFoundError"  # what a file raises that is not to be seen
thorough = pytest.mark.thorough("twenty hostile submissions")


class Row(NamedTuple):
    """Code, and what must be in the note or the flags with a sandbox, and without one (else the
    same).
    """

    code: str
    inside: str
    outside: str = ""
    points: float = 0.0  # that it gets without a sandbox


# {teacher}, {home}, {others}, {marks}, {outside}: folders; {course}: this repository's; {port}
HOSTILE = {
    "reads its key": Row(
        'import json\nglobals().update(json.load(open("{teacher}/a1/s0.json"))["key"])',
        NOBODY,
        "opens {teacher}/a1/s0.json",
        16.0,
    ),
    "reads the secret of the marks": Row(
        'print(open("{teacher}/secret").read())', NOBODY, "opens {teacher}/secret"
    ),
    "reads the solutions": Row(
        'text = open("{course}/assignments/a1.md").read()', NOBODY, "opens {course}/assignments"
    ),
    "reads a submission by pandas": Row(
        'pd.read_json("{others}/honest.ipynb", typ="series")', NOBODY, "opens {others}/honest"
    ),
    "reads the lecturer's home": Row('open("{home}/letter").read()', NOBODY, "opens {home}/letter"),
    "reads variables": Row('import os\nos.environ["COURSE_SEED"]', "KeyError"),
    "stores full marks for another": Row(
        'import os\nos.makedirs("{marks}/submissions/a1", exist_ok=True)\n'
        'open("{marks}/submissions/a1/victim.json", "w").write(\'{{"result": {{"points": '
        '{{"q1": 2}}, "note": "", "flags": []}}, "signature": "00"}}\')',
        "opens {marks}/submissions",
    ),
    "writes outside": Row('open("{outside}/written", "w").write("x")', NOBODY, "opens {outside}"),
    "changes this package": Row('open("{course}/../lib/rng.py", "a")', "Error", "opens"),
    "calls home": Row(
        'import socket\nsocket.create_connection(("127.0.0.1", {port}), 5)',
        "ConnectionRefusedError",
        "imports or names socket",
    ),
    "calls home by the shell": Row(
        'import os\nif os.system("exec 3<>/dev/tcp/127.0.0.1/{port}") * os.system('
        '"bash -c \'exec 3<>/dev/tcp/127.0.0.1/{port}\'"):\n    raise OSError("no way out")',
        "no way out",
        "calls os.system",
    ),
    "forks three hundred times": Row(FORKS, "BlockingIOError", "calls os.fork"),
    "leaves a daemon": Row(DAEMON, "calls os.fork", "imports or names subprocess"),
    "fills the disk": Row(
        'with open("big", "wb") as file:\n    for _ in range(300):\n        file.write(bytes(2**20))',
        "OSError",
    ),
    "fills the memory": Row("more = bytearray(2**33)", "MemoryError"),
    "replaces abs and the grader": Row(
        "import builtins, json, otter\nbuiltins.abs = lambda x: 0\n"
        "otter.Notebook.check = lambda *_: 16\nkeep = 0.9",
        "replaces abs",
    ),
    "is equal to everything": Row(
        "class Anything(float):\n    __eq__ = __lt__ = __gt__ = lambda *_: True\n"
        "    __sub__ = __rsub__ = lambda *_: 0.0\nkeep = posterior = needed = Anything()",
        "keep must be numbers",
    ),
    "is empty, not a number, or long": Row(
        'errors = {{}}\nkeep = float("nan")\nposterior = [0.5] * 10\nneeded = "7" * 10**6',
        "Out of range float values",
    ),
    "prints points and ends itself": Row(
        "import os\nfor fd in range(3, 30):\n    try:\n        os.write(fd, b'"
        '{{"answer": "q1", "value": 2.0, "points": {{"q1": 2}}}}\\n\')\n'
        "    except OSError:\n        pass\nos._exit(0)",
        "",
    ),
    "kills its parent": Row(
        "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nraise OSError('alive')",
        "alive",
        "its Python process ended itself",
    ),
}


def notebook(*cells: str) -> str:
    parts = [{"cell_type": "code", "metadata": {}, "source": c, "outputs": []} for c in cells]
    parts = [part | {"execution_count": None} for part in parts]
    return json.dumps({"cells": parts, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


def write_course(teacher: Path, students: list[str]) -> dict[str, str]:
    """The keys of assignment 1, without otter; returned is the first cell of each student."""
    rows, cells = [], {}
    (teacher / "a1").mkdir(parents=True)
    for student in students:
        variant = draw(A1, student, course_seed("a seed that nobody knows"))
        own = {"variant": variant.name, "key": key_of(A1, solve(A1, variant))}
        text = json.dumps(own | {"table": variant.table})
        (teacher / "a1" / f"{student}.json").write_text(text, "utf-8")
        rows.append({"id": student, "name": "Nobody", "variant": variant.name})
        cells[student] = variant.cell()
    pd.DataFrame(rows).to_csv(teacher / "a1" / "key.csv", index=False)
    return cells


def mark_hostile(base: Path, wish: str) -> dict[str, Any]:
    """Hand in all rows, a right solution and a wrong one; what each got, and what was left."""
    home, others, outside = base / "home", base / "handed in" / "a1", base / "outside"
    for folder in (home, others, outside):
        folder.mkdir(parents=True)
    (home / "letter").write_text("private", "utf-8")
    teacher, marks = base / "teacher", base / "marks"
    students = [*(f"s{n}" for n in range(len(HOSTILE))), "honest", "victim"]
    first = write_course(teacher, students)
    with listening() as (port, calls):
        places = {"teacher": teacher, "home": home, "others": others, "marks": marks}
        places |= {"outside": outside, "course": SOURCES.parent, "port": port}
        codes = [[row.code.format(**places)] for row in HOSTILE.values()]
        codes += [A1.solution(), ["keep = 0"]]
        for (student, cell), code in zip(first.items(), codes, strict=True):
            (others / f"{student}.ipynb").write_text(notebook(cell, *code), "utf-8")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("HOME", str(home))
            patch.setenv("COURSE_SEED", "a seed that nobody knows")
            before = (ROOT / "lib/rng.py").read_bytes()
            for _ in range(2):  # the second call reads what is stored
                table = mark(others.parent, teacher, marks, Limits(90), 2, wish).set_index("id")
    return {
        "rows": table.to_dict("index"),
        "places": places,
        "calls": len(calls),
        "written": os.listdir(outside),
        "left": still_here(),
        "package": before == (ROOT / "lib/rng.py").read_bytes(),
    }


@pytest.fixture(params=WAYS)
def marked(request, once, tmp_path_factory) -> tuple[bool, dict[str, Any]]:
    """Whether there was a sandbox, and what came of all submissions."""
    wish = request.param
    made = once(f"hostile, {wish}", lambda: mark_hostile(tmp_path_factory.mktemp(wish), wish))
    return wish == "require", made


@thorough
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_submission_gets_nothing_and_is_flagged(name, marked):
    inside, made = marked
    row = HOSTILE[name]
    got = made["rows"][f"s{list(HOSTILE).index(name)}"]
    said = f"{got['note']}; {got['flags']}"
    expected = row.inside if inside else row.outside or row.inside
    assert expected.format(**made["places"]) in said
    assert got["points"] == (0.0 if inside else row.points), said


@thorough
def test_what_hostile_submissions_have_changed(marked):
    """Nothing with a sandbox; nothing of others' marks and no process without, either."""
    inside, made = marked
    assert made["rows"]["honest"]["points"] == 16
    assert made["rows"]["honest"]["flags"] == made["rows"]["honest"]["note"] == ""
    assert made["rows"]["victim"]["points"] == 0
    assert made["left"] == []
    assert made["package"]
    assert (made["calls"] == 0) == inside
    assert made["written"] == ([] if inside else ["written"])
