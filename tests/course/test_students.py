"""What students install is what their lessons and assignments import, and little else."""

from __future__ import annotations

import ast
import sys
from functools import cache
from importlib.metadata import packages_distributions

import pytest

from course.assignment import read_all
from course.sessions import sessions
from lib.paths import HOUSES, ROOT
from press.reach import reachable
from press.toc import Page, read_notebook
from tests.declared import CORE, extra, group, names, pins

LESSONS = {r.page: s.number for s in sessions() for track in s.reading.values() for r in track}
ALL = CORE | group("students")
BY_OPTION = {"dask", "cloudpickle"}  # a grid on many machines


def imported(source: str) -> set[str]:
    """Packages of others that a program imports anywhere."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found - set(sys.stdlib_module_names) - {*HOUSES}


def undeclared(packages: set[str], declared: set[str]) -> list[str]:
    """Packages that no declared distribution brings, by what is installed, else by their names."""
    brings = packages_distributions()
    return sorted(p for p in packages if not names(brings.get(p, [p])) & declared)


def needed(notebook) -> set[str]:
    """Packages of others that the code of a notebook, or what it reaches, imports."""
    cells = [c.source for c in notebook.cells if c.cell_type == "code"]
    code = "\n".join(source for source in cells if not source.startswith("%"))
    files = reachable(code, ROOT)
    assert {file.relative_to(ROOT).parts[0] for file in files} <= {*HOUSES} - {"press", "course"}
    sources = [code, *(file.read_text(encoding="utf-8") for file in files)]
    return set().union(*map(imported, sources)) - BY_OPTION


@cache
def needed_by(page: str) -> set[str]:
    return needed(read_notebook(Page(f"chapters/{page}", ROOT).notebook))


@pytest.mark.parametrize("page", LESSONS)
def test_a_lesson_finds_what_it_imports(page):
    beyond = extra("synth") if LESSONS[page] == 3 else set()
    assert undeclared(needed_by(page), ALL | beyond) == []


@pytest.mark.parametrize("assignment", read_all(), ids=lambda one: one.name)
def test_an_assignment_finds_what_it_imports(assignment):
    assert undeclared(needed(assignment.notebook), ALL) == []


def test_nobody_installs_what_no_lesson_of_theirs_imports():
    used = set().union(*map(needed_by, LESSONS))
    own = group("students") - {"ipykernel", "otter-grader"}  # the kernel, and its check of a form
    assert all(undeclared(used, (ALL | extra("synth")) - {one}) for one in own)
    assert not {"jax", "jaxlib", "mbi", "optuna"} & names(pins("students"))
    assert "optuna" not in names(pins("students-synth"))
