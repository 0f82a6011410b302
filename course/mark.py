"""Marks of submissions: each notebook runs as a program, and its answers leave it as data.

They are compared with the key in this process, which runs no line of a submission. One of student
ID for assignment aN is ``DIR/aN/ID.ipynb``.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

from course.assignment import SOURCES, Assignment, read
from course.submission import Submission, mark_one
from lib import programs, validate
from lib.files import read_json, write_whole

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def handed_in(folder: Path, key: Path) -> list[Submission]:
    """A student's file each of an assignment's folder; what is nobody's is only printed."""
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir(), key=lambda path: path.suffix == ".ipynb"):
        if path.is_file() and _ID.fullmatch(path.stem):
            found[path.stem] = path  # the notebook, if there is another file, too
        else:
            print(f"{' '.join(str(path).split())} is left out: its name is no id")
    return [Submission(who, path, key) for who, path in sorted(found.items())]


def mark(
    folder: Path,
    teacher: Path,
    out: Path,
    seconds: float = 120.0,
    jobs: int = 2,
    contained: bool = False,
) -> pd.DataFrame:
    """Mark what is new or has changed, write ``OUT/marks.csv`` and return it.

    One row for each submission: points of the checked tasks, a note in words, flags for a person
    to judge, and the points of each task. A finished submission is stored at once, signed with a
    secret in ``teacher``, so a call that was interrupted goes on where it stopped, and what anybody
    else stored is marked again.

    Raises
    ------
    ValueError
        If no assignment has both a key in ``teacher`` and a folder in ``folder``.
    RuntimeError
        If programs must be ``contained`` and cannot be (:func:`lib.programs.containment`).
    """
    validate.integer("jobs", jobs, low=1)
    validate.positive("seconds", seconds)
    contained, secret = programs.containment(contained), _secret(teacher)
    print(programs.in_words("Each submission", contained))
    keys = [path.parent.name for path in teacher.glob("a*/key.json")]
    names = [name for name in keys if (folder / name).is_dir()]
    if not names:
        raise ValueError(
            f"{folder} must have a folder of a marked assignment, such as a1, got none"
        )
    rows: list[dict[str, Any]] = []
    for name in sorted(names, key=lambda name: (len(name), name)):
        files = handed_in(folder / name, teacher / name / "key.json")
        assignment = read(SOURCES / f"{name}.md")
        results = _mark_all(files, assignment, secret, out, jobs, (seconds, contained))
        rows += [_row(assignment, student, result) for student, result in results.items()]
    table = pd.DataFrame(rows)
    write_whole(out / "marks.csv", table.to_csv(index=False), private=True)
    return table


def _mark_all(
    files: list[Submission],
    assignment: Assignment,
    secret: bytes,
    out: Path,
    jobs: int,
    how: tuple[float, bool],
) -> dict[str, dict[str, Any]]:
    """The result of each student, from the store if nothing has changed."""
    rules = [assignment.name, *(vars(task) for task in assignment.tasks.values())]

    def result(one: Submission) -> dict[str, Any]:
        store = out / "submissions" / assignment.name / f"{one.student}.json"

        def signed(known: Any) -> str:
            """A signature of a result, for this submission, key and these tests alone."""
            files = [hashlib.sha256(p.read_bytes()).hexdigest() for p in (one.path, one.key)]
            text = json.dumps([rules, one.student, files, known], sort_keys=True)
            return hmac.new(secret, text.encode(), "sha256").hexdigest()

        try:
            kept = read_json(store, dict)
            if hmac.compare_digest(signed(kept["result"]), kept["signature"]):
                return kept["result"]
        except (FileNotFoundError, ValueError, KeyError, TypeError):  # damaged: mark it again
            pass
        known = mark_one(one, assignment, *how)
        store.parent.mkdir(parents=True, exist_ok=True)
        kept = {"result": known, "signature": signed(known)}
        write_whole(store, json.dumps(kept), private=True)
        return known

    with ThreadPoolExecutor(jobs) as pool:
        try:
            done = tqdm(pool.map(result, files), total=len(files), unit="submission")
            return {one.student: known for one, known in zip(files, done, strict=True)}
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _secret(teacher: Path) -> bytes:
    """What stored marks are signed with; who can read the keys can read it."""
    path = teacher / "secret"
    if not path.exists():
        write_whole(path, secrets.token_hex(32), private=True)
    return bytes.fromhex(path.read_text("ascii"))


def _row(assignment: Assignment, student: str, result: dict[str, Any]) -> dict[str, Any]:
    """The row of one student: ``points`` of checked tasks, and of how many."""
    tasks = assignment.tasks.values()
    most = {task.name: float(sum(task.points)) for task in tasks if not task.manual}
    points = {name: result["points"].get(name, 0.0) for name in most}
    return {
        "id": student,
        "assignment": assignment.name,
        "points": sum(points.values()),
        "of": sum(most.values()),
        "note": result["note"],
        "flags": "; ".join(result["flags"]),
        **points,
    }
