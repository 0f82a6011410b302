"""Plain papermill is refused a name that a page does not declare, before any work."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lib.pages.parameters import of_papermill
from lib.paths import ROOT
from tests.press.conftest import write_notebook


def plain_papermill(notebook: Path, *words: str) -> subprocess.CompletedProcess:
    program = str(Path(sys.executable).with_name("papermill"))
    command = [program, str(notebook), os.devnull, "--cwd", str(ROOT), "--no-progress-bar", *words]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture
def page(tmp_path) -> Path:
    """A page that leaves a trace when it works."""
    path = tmp_path / "page.ipynb"
    check = "check_parameters(runs=runs, epsilon=epsilon)"
    work = f"open({str(tmp_path / 'worked')!r}, 'w').close()"
    parameters = "runs: int = 3  # splits\nepsilon: float = 1.0  # budget"
    imports = "from lib.pages.chapter import check_parameters"
    write_notebook(path, f"{imports}\n{check}", work, parameters=parameters)
    return path


REFUSAL = "ValueError: parameter must be one of {}, got 'epsilom'"
A_CHAPTER = ROOT / "chapters" / "ldp" / "fairness.ipynb"


@pytest.mark.thorough("starts a kernel")
def test_plain_papermill_is_refused_a_name_that_a_page_does_not_have(page):
    """It warned, ran the whole page, and ended with 0."""
    for notebook, names in ((page, "'runs', 'epsilon'"), (A_CHAPTER, "'profile', 'dataset'.*")):
        done = plain_papermill(notebook, "-p", "epsilom", "1", "-p", "runs", "2")
        assert done.returncode == 1
        assert re.search(REFUSAL.format(names), done.stderr)
    assert not page.with_name("worked").exists()


def test_plain_papermill_runs_with_the_names_of_the_page_and_the_builds_profile(page):
    """The build gives it to every page: one without it failed in its first cell."""
    done = plain_papermill(page, "-p", "epsilon", "0.5", "-p", "profile", "quick")
    assert done.returncode == 0, done.stderr
    assert page.with_name("worked").exists()


DECLARED = "runs: int = 3  # splits\nseed: int = 1  # master seed"


@pytest.mark.parametrize(
    "history",
    [
        [DECLARED, "check_parameters(runs=runs)"],  # Jupyter, Colab
        ["", DECLARED, "x = 1\nruns = 2", "# Parameters\nother = 1"],  # a reader's own cells
        [DECLARED, "# Parameters\nrunz = 2\nprint(runz)"],
        ["runs = 3", "# Parameters\nrunz = 2"],
        [DECLARED, "# Parameters\nruns = 5\n", "print(1)"],
        [DECLARED, "# Parameters\nrunz = 5\n", DECLARED, "# Parameters\nruns = 5\n"],  # corrected
        ["# Parameters\nrunz = 5"],
        ["not python", "# Parameters\nrunz = 5"],
        [],
    ],
)
def test_honest_use_is_not_taken_for_a_wrong_name(history):
    declared, given = of_papermill(history)
    assert set(given) <= set(declared)
