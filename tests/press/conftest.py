"""One build of the book for all the tests here, and small books to break."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from filelock import FileLock

from lib.paths import ROOT
from press.build import Built, build
from press.compare import missing_files, replicas_folder
from press.execute import Executed, execute
from press.pairs import METADATA
from press.toc import Page, pages
from tests.browser import headless_chromium
from tests.parts import is_quick

CHAPTERS = [page for page in pages(ROOT) if page.is_chapter]


@pytest.fixture(scope="session")
def built(request, once) -> Built:
    """The book under the quick profile, brought up to date by the first process that asks; a page
    that fails costs the tests of that page.

    The first build takes minutes: ``make test`` leaves it to ``make book``, and skips what needs it.
    """
    try:
        if not (ROOT / "_build" / "html.key").exists() and is_quick(request.config):
            pytest.skip("the book is not built: `make book` before `make test`")
        return once("book", lambda: build("quick", progress=False))
    except RuntimeError as error:
        # the end has the warnings
        pytest.fail(f"the book does not build:\n{str(error)[-1500:]}", pytrace=False)


@pytest.fixture(scope="session")
def html(built) -> Path:
    """The folder of the rendered book."""
    return built.index.parent


@pytest.fixture(scope="session")
def real_data_missing() -> list[str]:
    """Registered files that are not on this machine, asked before a test hides them all."""
    return missing_files()


@pytest.fixture(scope="session")
def chromium():
    with headless_chromium() as browser:
        yield browser


@pytest.fixture
def executed_on_replicas(on_replicas) -> Callable[[Page], Executed]:
    """Execute a chapter on replicas unless it is current; one process at a time, so that two
    tests share one run.
    """

    def execute_once(page: Page) -> Executed:
        folder = replicas_folder()
        (folder / page.doc).parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / f"{page.doc}.lock"):
            return execute([page], {"profile": "quick"}, folder, progress=False)[0]

    return execute_once


def write_notebook(
    path: Path, *cells: str, parameters: str = 'profile: str = "quick"  # scale'
) -> None:
    """A notebook with a parameters cell and ``cells``."""
    first = nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]}, id="cell-000")
    rest = [nbformat.v4.new_code_cell(cell, id=f"cell-{i:03d}") for i, cell in enumerate(cells, 1)]
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=[first, *rest], metadata=METADATA), path)


@pytest.fixture
def tiny(tmp_path) -> Page:
    """A book of one chapter over a package of three modules: it reaches ``used`` through
    ``middle``, not ``other``.
    """
    package = tmp_path / "lib"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "used.py").write_text("VALUE = 1\n", encoding="utf-8")
    (package / "other.py").write_text("VALUE = 1\n", encoding="utf-8")
    (package / "middle.py").write_text(
        "def value():\n    from lib.used import VALUE\n    return VALUE\n", encoding="utf-8"
    )
    write_notebook(
        tmp_path / "chapters" / "one.ipynb", "from lib.middle import value\nprint(value(), profile)"
    )
    return Page("chapters/one", tmp_path)
