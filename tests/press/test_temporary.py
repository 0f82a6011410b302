"""What a page puts into the temporary folder goes with its kernel, in a build and in Jupyter."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from lib.paths import CHAPTERS, ROOT
from lib.processes import run_program
from press.toc import Page
from tests.press.conftest import write_notebook

EXECUTE = (
    "import sys; from pathlib import Path; from press.execute import execute; "
    "from press.toc import Page; root, doc, out = sys.argv[1:]; "
    "execute([Page(doc, Path(root))], {'profile': 'quick'}, Path(out), progress=False)"
)
MAKES_A_FOLDER = sorted(
    page.stem
    for page in (CHAPTERS / "guides").glob("*.md")
    if re.search(r"tempfile\.\w", page.read_text("utf-8"))
)


@pytest.fixture
def empty(tmp_path_factory) -> Path:
    """A temporary folder; its name is short, since the address of a socket in it must be."""
    return tmp_path_factory.mktemp("t")


@pytest.fixture
def run(tmp_path, empty):
    """Run Python with that temporary folder: its exit status, and what is there afterwards."""

    def python(*arguments: object) -> tuple[int, list[str]]:
        places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(empty))
        environment = os.environ | places | {"PYTHONPATH": str(ROOT)}
        done = run_program([sys.executable, *map(str, arguments)], env=environment)
        return done.returncode, sorted(file.name for file in empty.rglob("*"))

    return python


def test_the_guides_that_make_a_folder_are_known():
    assert MAKES_A_FOLDER == ["claim", "dataset", "metric", "paper", "protocol", "synthesizer"]


@pytest.mark.thorough("guides in Jupyter")
@pytest.mark.parametrize("guide", MAKES_A_FOLDER)
def test_a_guide_leaves_nothing_in_jupyter(run, guide, tmp_path):
    """By plain papermill, which starts and ends a kernel as Jupyter does."""
    page = Page(f"chapters/guides/{guide}", ROOT).notebook
    assert run("-m", "papermill", page, tmp_path / "out.ipynb", "--cwd", ROOT) == (0, [])


@pytest.mark.thorough("guides again")
def test_a_guide_leaves_nothing_in_a_build(run, tmp_path):
    assert run("-c", EXECUTE, ROOT, "chapters/guides/claim", tmp_path / "out") == (0, [])


def test_a_kernel_that_is_killed_leaves_nothing_in_a_build(run, empty, tmp_path):
    made = "import os, signal, tempfile\nprint('made', tempfile.mkdtemp())"
    kill = "os.kill(os.getpid(), signal.SIGTERM if os.name == 'nt' else signal.SIGKILL)"
    write_notebook(tmp_path / "page.ipynb", made, kill)
    assert run("-c", EXECUTE, tmp_path, "page", tmp_path / "out") == (1, [])
    assert f"made {empty}" in (tmp_path / "out" / "page.ipynb").read_text("utf-8")
