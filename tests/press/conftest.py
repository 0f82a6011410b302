"""One build of the book for all the tests here, and small books to break."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import nbformat
import pytest

from lib.paths import ROOT
from press.build import Built, build
from press.pairs import METADATA
from press.toc import Page, pages
from tests.browser import headless_chromium
from tests.conftest import as_it_began
from tests.parts import is_quick

CHAPTERS = [page for page in pages(ROOT) if page.is_chapter]
SERVICES = {  # where a copy on GitHub is opened, by someone/companion
    "Binder": "https://mybinder.org/v2/gh/someone/companion/main?urlpath=lab/tree/{}",
    "Colab": "https://colab.research.google.com/github/someone/companion/blob/main/{}",
}
each_chapter = pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.doc)


@pytest.fixture(scope="session")
def built(request, once) -> Built:
    """The book under the quick profile, brought up to date by the first process that asks, on the
    data that `make book` has; a page that fails costs the tests of that page.

    The first build takes minutes: ``make test`` leaves it to ``make book``, and skips what needs it.
    """
    try:
        if not (ROOT / "_build" / "html.key").exists() and is_quick(request.config):
            pytest.skip("the book is not built: `make book` before `make test`")
        with pytest.MonkeyPatch.context() as patch:
            as_it_began(patch)
            return once("book", lambda: build("quick", progress=False))
    except RuntimeError as error:
        # the end has the warnings
        pytest.fail(f"the book does not build:\n{str(error)[-1500:]}", pytrace=False)


@pytest.fixture(scope="session")
def html(built) -> Path:
    """The folder of the rendered book."""
    return built.index.parent


@pytest.fixture(scope="session")
def chromium():
    with headless_chromium() as browser:
        yield browser


@pytest.fixture
def open_file(chromium):
    """Open a page from a file; it is closed after the test."""
    from tests.press.test_browser import closing

    with closing(chromium) as one:
        yield one


@pytest.fixture
def open_page(open_file, html):
    """Open a page of the book."""
    return lambda doc, *query, **options: open_file(html / f"{doc}.html", *query, **options)


def code(source: str, *tags: str, outputs: Iterable = ()) -> nbformat.NotebookNode:
    """A code cell with its tags and outputs."""
    return nbformat.v4.new_code_cell(source, metadata={"tags": [*tags]}, outputs=[*outputs])


def words(source: str) -> nbformat.NotebookNode:
    return nbformat.v4.new_markdown_cell(source)


def write_cells(path: Path, *cells: nbformat.NotebookNode) -> None:
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number:03d}"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=[*cells], metadata=METADATA), path)


def write_notebook(
    path: Path,
    *cells: str | nbformat.NotebookNode,
    parameters: str = 'profile: str = "quick"  # scale',
    title: str = "",
) -> None:
    """A notebook with a title (or none), a parameters cell and ``cells``."""
    first = [words(title)] if title else []
    rest = [code(cell) if isinstance(cell, str) else cell for cell in cells]
    write_cells(path, *first, code(parameters, "parameters"), *rest)


def write_book(root: Path, contents: str) -> None:
    """What a small book has beside its pages: the static files, the settings, the contents."""
    shutil.copytree(ROOT / "chapters" / "_static", root / "chapters" / "_static")
    for name in ("_config.yml", "references.bib"):
        shutil.copy(ROOT / name, root)
    (root / "_toc.yml").write_text(f"format: jb-book\nroot: {contents}\n", "utf-8")


@pytest.fixture
def tiny(tmp_path) -> Page:
    """A book of one chapter over a package of three modules: it reaches ``used`` through
    ``middle``, not ``other``.
    """
    (tmp_path / "lib").mkdir()
    middle = "def value():\n    from lib.used import VALUE\n    return VALUE\n"
    value = "VALUE = 1\n"
    for name, text in {"__init__": "", "used": value, "other": value, "middle": middle}.items():
        (tmp_path / "lib" / f"{name}.py").write_text(text, "utf-8")
    cell = "from lib.middle import value\nprint(value(), profile)"
    write_notebook(tmp_path / "chapters" / "one.ipynb", cell)
    return Page("chapters/one", tmp_path)
