"""The tree that students may have: the last commit, without what only a lecturer may see.

Left out are the sources of assignments, their keys and tests, the bank, the slides' notes, sample
answers and, unless they are wanted, the solutions of the book's exercises. A folder that is new in
``course`` is left out until :data:`KEPT` names it.
"""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path

import nbformat
import yaml

from course.sessions import MINUTES, SESSIONS
from course.slides import EXECUTED
from lib.files import read_yaml, write_whole
from lib.paths import ROOT
from press.exercises import add_boxes, answers, without_solutions
from press.pairs import as_text, notebook_of
from press.toc import pages, read_notebook

SECRET = "course/", "tests/course/"
ASKS_FOR_SOLUTIONS = ("tests/press/test_answers.py",)
KEPT = tuple(  # what the page for teachers shows
    f"course/{name}" for name in "__init__.py sessions.py sessions.yml syllabus.md.j2".split()
)


def write_public(out: Path, *, solutions: bool = False, root: Path = ROOT) -> Path:
    """Write the tree into the new folder ``out``, and return it.

    Without ``solutions`` the boxes of exercises stay if the book has been built: they hold hashes.

    Raises
    ------
    FileExistsError
        If ``out`` is there.
    RuntimeError
        If ``root`` is no clone, whose last commit can be had.
    """
    done = subprocess.run(["git", "-C", str(root), "archive", "HEAD"], capture_output=True)
    if done.returncode:
        raise RuntimeError(f"{root} must be a clone: {done.stderr.decode(errors='replace')}")
    out.mkdir(parents=True)
    left_out = SECRET if solutions else SECRET + ASKS_FOR_SOLUTIONS
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        kept = (m for m in archive if m.name in KEPT or not f"{m.name}/".startswith(left_out))
        archive.extractall(out, kept, filter="data")
    plans = out / SESSIONS.relative_to(ROOT)
    write_whole(plans, _without_answers(plans))
    for page in pages(out) if not solutions else ():
        if page.is_chapter:
            executed = root / EXECUTED.relative_to(ROOT) / f"{page.doc}.ipynb"
            stated = answers(read_notebook(executed).cells) if executed.exists() else {}
            notebook = read_notebook(page.notebook)
            add_boxes(notebook.cells, stated)
            notebook.cells = without_solutions(notebook.cells)
            write_whole(page.text, as_text(notebook, page.text))
            write_whole(page.notebook, nbformat.writes(notebook_of(page.text)) + "\n")
    return out


def _without_answers(path: Path) -> str:
    """The sessions without what the plans alone show."""
    content = read_yaml(path, dict)
    for session in content["sessions"]:
        session |= {"plan": [{"minutes": MINUTES}], "evening": []}
        del session["closing"]["answer"]
        for run in session["live"]:
            del run["look"]
    return yaml.safe_dump(content, allow_unicode=True, sort_keys=False)
