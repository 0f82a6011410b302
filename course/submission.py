"""One submission: whether it is the class's notebook, and its run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from course import notebook_run
from course.assignment import Assignment
from course.grade import grade, names
from lib import programs
from lib.files import locked_tempdir, read_json, write_whole
from lib.paths import ROOT

_LARGEST = 20 * 2**20  # bytes of a notebook
_MOST = 2**20  # characters of all that a notebook may hand out
_PACKAGE = [ROOT / name for name in ("lib", "studies", "data")]  # what students have installed
_VARIABLES = {"PYTHONPATH": str(ROOT), "MPLBACKEND": "agg", "OMP_NUM_THREADS": "1"}
_VARIABLES |= {"PYTHONUTF8": "1"}
_FORBIDDEN = re.compile(
    r"^\s*(?:import|from)\s[^#\n]*\b(course|ctypes|multiprocessing|pty|socket|subprocess)\b"
    r"|\b(__import__|importlib|__subclasses__|_getframe)\b",
    re.M,
)


@dataclass(frozen=True)
class Submission:
    """A student's file for an assignment, and the class's key."""

    student: str
    path: Path
    key: Path

    def notebook(self) -> nbformat.NotebookNode:
        """The notebook, if it is one and the class's.

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
        if (own := read_json(self.key, dict)["variant"]) not in text:
            raise ValueError(f"has not the variant {own} of this class and assignment")
        # whatever a student's kernel is called, here it is that of the course
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
        return notebook


def mark_one(
    submission: Submission, assignment: Assignment, seconds: float, contained: bool
) -> dict[str, Any]:
    """Points by task, ``{"q1": 2.0}``, a note in words, and ``flags``: what looks like an attempt
    on the marking, for a person to judge.
    """
    try:
        notebook = submission.notebook()
    except ValueError as error:
        return {"note": f"the file {error}", "points": {}, "flags": []}
    key = read_json(submission.key, dict)
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    flags = [f"imports or names {a or b}" for a, b in _FORBIDDEN.findall(code)]
    with locked_tempdir(Path(tempfile.gettempdir())) as folder:
        own = folder / "own"
        own.mkdir(mode=0o700)
        nbformat.write(notebook, own / f"{assignment.name}.ipynb")
        if key["table"] is not None:
            write_whole(own / f"{key['variant']}.csv", key["table"])
        program = notebook_run.__file__
        command = [sys.executable, program, f"{assignment.name}.ipynb", *names(assignment)]
        try:
            done = programs.run(
                command,
                own,
                seconds=seconds,
                contained=contained,
                see=[*_PACKAGE, Path(program)],
                env=_VARIABLES,
            )
        except subprocess.TimeoutExpired:
            over = f"the notebook was stopped: it ran for more than {seconds:g} s"
            return {"note": over, "points": {}, "flags": flags}
    answers, notes, told = _read(done.stdout)
    if done.returncode:
        notes, points = [_reason(done), *notes], {}
    else:
        points = grade(assignment, answers, key["key"])
    return {"note": "; ".join(notes), "points": points, "flags": list(dict.fromkeys(flags + told))}


def _read(said: str) -> tuple[dict[str, Any], list[str], list[str]]:
    """Answers, notes and flags of what a notebook handed out; what has another form is nothing."""
    answers: dict[str, Any] = {}
    notes: list[str] = []
    flags: list[str] = []
    for text in said[:_MOST].splitlines():
        try:
            line = json.loads(text)
            if "value" in line:
                answers[str(line["answer"])] = line["value"]
            elif "flag" in line:
                flags.append(_printable(line["flag"]))
            elif "error" in line:
                of = f"code cell {int(line['cell'])} raised " if "cell" in line else ""
                notes.append(of + _printable(line["error"]))
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
    if len(notes) > 3:
        notes[3:] = [f"and {len(notes) - 3} more"]
    return answers, notes, flags[:20]


def _printable(text: Any) -> str:
    return "".join(c if c.isprintable() else " " for c in str(text)[:200])


def _reason(done: subprocess.CompletedProcess[str]) -> str:
    last = _printable((done.stderr.strip().splitlines() or ["no message"])[-1])
    return (
        "the notebook could not be marked: its Python process ended itself"
        f" (exit status {done.returncode}, {last})"
    )
