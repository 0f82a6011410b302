"""Marks of submissions: otter-grader runs each notebook in a process of its own.

A submission of student ID for assignment aN is ``DIR/aN/ID.ipynb``. Which variant it is compared
with is decided by this name, the roster's id, and never by the notebook.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
from tqdm import tqdm

from course import otter_run
from course.assignment import SOURCES, Assignment, read
from course.make import otter_python
from course.tables import read_table
from course.written import write_answers
from lib import validate
from lib.files import locked_tempdir, read_json, write_whole
from lib.paths import ROOT
from lib.processes import end_programs, run_program

_LARGEST = 20 * 2**20  # bytes of a notebook
_OVERTIME = 124  # exit status of otter_run.py, where the time is over
_REASONS = {
    "DeadKernelError": "its Python process died: it ended itself, or needed too much memory",
    "MemoryError": "it needed too much memory, or printed too much",
}


@dataclass(frozen=True)
class Limits:
    """What one submission may use: seconds of time and gibibytes of memory."""

    seconds: float = 120.0
    gibibytes: float = 6.0


@dataclass(frozen=True)
class Submission:
    """A student's file for an assignment, and the variants of all students."""

    assignment: str
    student: str
    path: Path
    bundle: Path
    variants: dict[str, str]

    def notebook(self) -> nbformat.NotebookNode:
        """The notebook, if it is one and the student's own.

        Raises
        ------
        ValueError
            With what is wrong, in words for the student.
        """
        if self.path.suffix != ".ipynb":
            raise ValueError(f"must be a notebook (.ipynb), got {self.path.name}")
        if self.path.stat().st_size > _LARGEST:
            raise ValueError(f"must be at most {_LARGEST // 2**20} MiB: clear the outputs")
        try:
            notebook = nbformat.reads(self.path.read_text("utf-8"), as_version=4)
            text = "\n".join(cell.source for cell in notebook.cells)
            nbformat.writes(notebook).encode()
        except Exception:  # nbformat raises whatever a broken file leads to
            raise ValueError("cannot be read as a notebook") from None
        own, named = self.variants[self.student], set(re.findall(r"\ba\d+-[0-9a-f]{8}\b", text))
        if own not in named:
            if others := [who for who, name in self.variants.items() if name in named]:
                raise ValueError(f"is the notebook of another student ({', '.join(others)})")
            raise ValueError(f"has not the variant {own} of this student and assignment")
        # whatever a student's kernel is called, here it is that of the course
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
        return notebook


def mark_one(submission: Submission, limits: Limits, scratch: Path) -> dict[str, Any]:
    """Points by task, ``{"q1": 2.0}``, or a note that says in words why there are none."""
    try:
        notebook = submission.notebook()
    except ValueError as error:
        return {"note": f"the file {error}", "points": {}}
    with locked_tempdir(scratch) as folder:
        copy = folder / f"{submission.assignment}.ipynb"
        nbformat.write(notebook, copy)
        files = (submission.bundle, copy, folder, limits.seconds, limits.gibibytes)
        command = [str(otter_python()), "-I", otter_run.__file__, *map(str, files)]
        how: dict[str, Any] = {"env": _environment(folder), "cwd": str(folder), "private": True}
        try:
            done = run_program(command, timeout=limits.seconds + 20, **how)
        except subprocess.TimeoutExpired as error:
            done = subprocess.CompletedProcess(error.cmd, _OVERTIME)
        if done.returncode:
            return {"note": _reason(done, limits), "points": {}}
        try:  # a submission may have written to this file, too
            tests = json.loads((folder / "results.json").read_text("utf-8"))["tests"]
            points = {t["name"]: float(t["score"]) for t in tests if "max_score" in t}
        except Exception:
            points = {}
    return {"note": "" if points else "it ended before its answers were checked", "points": points}


def handed_in(folder: Path, keys: Path) -> tuple[pd.DataFrame, list[Submission]]:
    """The key of an assignment, and a student's file each; what is nobody's is only printed.

    ``folder`` has the submissions of this assignment, ``keys`` what ``course make`` wrote of it.
    """
    key = read_table(keys / "key.csv", ["id", "name", "variant"])
    variants = dict(zip(key["id"], key["variant"], strict=True))
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir(), key=lambda path: path.suffix == ".ipynb"):
        if path.is_file() and path.stem in variants:
            found[path.stem] = path  # the notebook, if there is another file, too
        else:
            print(f"{' '.join(str(path).split())} is left out: its name is no student's id")
    files = sorted(found.items())
    return key, [Submission(keys.name, i, p, keys / f"{i}.zip", variants) for i, p in files]


def mark(
    folder: Path, teacher: Path, out: Path, limits: Limits = Limits(), jobs: int = 2
) -> pd.DataFrame:
    """Mark what is new or has changed, write ``OUT/marks.csv`` and return it.

    One row for each student and assignment: points of the checked tasks, of the written ones (by
    :func:`course.written.write_answers`), a note in words, and the points of each task. A
    finished submission is stored at once, so a call that was interrupted
    goes on where it stopped.

    Raises
    ------
    ValueError
        If no assignment has both a key in ``teacher`` and a folder in ``folder``.
    """
    validate.integer("jobs", jobs, low=1)
    validate.positive("seconds", limits.seconds)
    validate.positive("gibibytes", limits.gibibytes)
    otter_python()
    paths = sorted(teacher.glob("a*/key.csv"), key=lambda path: (len(path.parent.name), path))
    names = [path.parent.name for path in paths if (folder / path.parent.name).is_dir()]
    if not names:
        wanted = "a folder of a marked assignment, such as a1"
        raise ValueError(f"{folder} must have {wanted}, got none")
    rows: list[dict[str, Any]] = []
    for name in names:
        key, files = handed_in(folder / name, teacher / name)
        assignment = read(SOURCES / f"{name}.md")
        results = _mark_all(files, limits, out, jobs)
        readable = {}
        for one in files:
            with suppress(ValueError):
                readable[one.student] = one.notebook()
        written = write_answers(assignment, readable, out / "written")
        for student in key.itertuples():
            result = results.get(student.id, {"note": "nothing was handed in", "points": {}})
            own = written[written["id"] == student.id].set_index("task")["points"].to_dict()
            rows.append(_row(assignment, student, result, own))
    table = pd.DataFrame(rows)
    write_whole(out / "marks.csv", table.to_csv(index=False), private=True)
    return table


def _mark_all(
    files: list[Submission], limits: Limits, out: Path, jobs: int
) -> dict[str, dict[str, Any]]:
    """The result of each student, from the store if nothing has changed."""

    def result(one: Submission) -> dict[str, Any]:
        store = out / "submissions" / one.assignment / f"{one.student}.json"
        digest = hashlib.sha256(one.path.read_bytes() + one.bundle.read_bytes()).hexdigest()
        try:
            known = read_json(store, dict)
        except (FileNotFoundError, ValueError):  # damaged: mark it again
            known = {}
        if known.get("digest") != digest:
            known = mark_one(one, limits, out) | {"digest": digest}
            store.parent.mkdir(parents=True, exist_ok=True)
            write_whole(store, json.dumps(known), private=True)
        return known

    with ThreadPoolExecutor(jobs) as pool:
        try:
            done = tqdm(pool.map(result, files), total=len(files), unit="submission")
            return {one.student: known for one, known in zip(files, done, strict=True)}
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            end_programs()
            raise


def _row(
    assignment: Assignment, student: Any, result: dict[str, Any], written: dict[str, float]
) -> dict[str, Any]:
    """The row of one student: ``points`` of checked tasks, then ``written``, each of how many."""
    tasks = assignment.tasks.values()
    most = {task.name: float(sum(task.points)) for task in tasks if not task.manual}
    # more than a task's points, or what is no number, can only be a submission's own doing
    points = {name: max(0.0, min(result["points"].get(name, 0.0), of)) for name, of in most.items()}
    return {
        "id": student.id,
        "name": student.name,
        "assignment": assignment.name,
        "points": sum(points.values()),
        "of": sum(most.values()),
        "written": sum(written.values()),  # not a number until all have been read
        "written of": sum(task.points for task in tasks if task.manual),
        "note": result["note"],
        **points,
        **written,
    }


def _environment(folder: Path) -> dict[str, str]:
    """The variables of a submission's process: none of the lecturer's own but the system's."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    homes = dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), str(folder))
    return kept | homes | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"}


def _reason(done: subprocess.CompletedProcess[str], limits: Limits) -> str:
    if done.returncode == _OVERTIME:
        return f"the notebook was stopped: it ran for more than {limits.seconds:g} s"
    last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    kind = last.partition(":")[0].rpartition(".")[2]
    return f"the notebook could not be marked: {_REASONS.get(kind, last[:200])}"
