"""One build of the book for all the tests here, and small books to break."""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
import pytest

from lib.book.build import build
from lib.book.pairs import METADATA
from lib.book.toc import Page, pages
from lib.paths import ROOT

CHAPTERS = [page for page in pages(ROOT) if page.is_chapter]


@pytest.fixture(scope="session")
def html() -> Path:
    """The folder of the rendered book; built under the quick profile unless it is current."""
    return build("quick", progress=False).parent


@pytest.fixture(scope="session")
def on_replicas(tmp_path_factory):
    """An environment in which no real data can be had."""
    kept = {name: os.environ.get(name) for name in ("COMPANION_DATA", "COMPANION_CACHE", "COMPANION_OFFLINE")}
    os.environ.pop("COMPANION_DATA", None)
    os.environ.update(COMPANION_CACHE=str(tmp_path_factory.mktemp("cache")), COMPANION_OFFLINE="1")
    yield
    for name, value in kept.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


def write_notebook(path: Path, *cells: str, parameters: str = 'profile: str = "quick"  # scale') -> None:
    """A notebook with a parameters cell and ``cells``."""
    first = nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]}, id="cell-000")
    rest = [nbformat.v4.new_code_cell(cell, id=f"cell-{i:03d}") for i, cell in enumerate(cells, 1)]
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=[first, *rest], metadata=METADATA), path)


@pytest.fixture
def tiny(tmp_path) -> Page:
    """A book of one chapter over a package of three modules: it reaches ``used`` through ``middle``, not ``other``."""
    package = tmp_path / "lib"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "used.py").write_text("VALUE = 1\n")
    (package / "other.py").write_text("VALUE = 1\n")
    (package / "middle.py").write_text("def value():\n    from lib.used import VALUE\n    return VALUE\n")
    write_notebook(tmp_path / "chapters" / "one.ipynb", "from lib.middle import value\nprint(value(), profile)")
    return Page("chapters/one", tmp_path)
