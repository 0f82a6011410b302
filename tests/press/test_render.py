"""A page is written again when something that it shows has changed, and only then."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

from press.render import RenderError, render
from press.stage import keep_times
from tests.press.conftest import code, write_notebook

CONFIG = """\
title: Small
only_build_toc_files: true
execute: {execute_notebooks: "off"}
sphinx: {extra_extensions: [sphinx_proof, press.sphinx_setup]}
"""
FILLED = "sphinx.ext.autodoc, sphinx.ext.autosummary, sphinx.ext.viewcode"
CONTENTS = "format: jb-book\nroot: one\nchapters:\n- file: two\n"


def staged(folder: Path, said: str, title: str = "Two") -> Path:
    """A stage of two pages: what the cell of the first put out, and the title of the second."""
    before = folder.with_name("before")
    if folder.exists():
        folder.rename(before)
    printed = code("print(1)", outputs=[nbformat.v4.new_output("stream", text=said)])
    write_notebook(folder / "one.ipynb", printed, title="# One\n\nAs {doc}`two` says.")
    words = f"# {title}\n\n```{{prf:theorem}} T\n:label: t\nIt holds.\n```\n"
    for name, text in {"two.md": words, "_toc.yml": CONTENTS, "_config.yml": CONFIG}.items():
        (folder / name).write_text(text, "utf-8")
    keep_times(before, folder)
    return folder


def written(html: Path) -> dict[str, str]:
    """Every page and index of a book, without checksums of styles and words that are nowhere."""
    files = [*html.rglob("*.html"), *html.rglob("search*.js")]
    texts = ((f.relative_to(html).as_posix(), f.read_text("utf-8")) for f in files)
    return {name: re.sub(r'\?v=\w+|(, )?"\w+": \[\]', "", text) for name, text in texts}


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("book")
    render(staged(folder / "stage", "the first\n"), folder)
    return folder


def test_a_new_output_leaves_the_other_pages_and_the_book_is_as_one_from_nothing(book, tmp_path):
    html = book / "_build" / "html"
    (html / "_static" / "live").mkdir()
    before = (html / "two.html").stat().st_mtime_ns
    render(staged(book / "stage", "the second\n"), book)
    assert (html / "two.html").stat().st_mtime_ns == before
    assert not (html / "_static" / "live").exists()
    render(book / "stage", tmp_path)
    again = written(html)
    assert "the second" in again["one.html"]
    assert "It holds" in again["_static/search_texts.js"]
    assert again == written(tmp_path / "_build" / "html")


def test_a_new_title_is_on_every_page(book):
    render(staged(book / "stage", "the first\n", title="Quite Other"), book)
    assert "As <a" in (page := (book / "_build" / "html" / "one.html").read_text("utf-8"))
    assert page.count("Quite Other") > 2  # in the text, in the contents, and on the button


def test_what_cannot_be_updated_is_made_from_nothing(book, monkeypatch):
    tried = []

    def fails_once(folder, output, **options):
        tried.append((output / "_build" / ".doctrees").exists())
        if len(tried) == 1:
            raise RenderError("duplicate label")
        return output / "_build" / "html", []

    monkeypatch.setattr("press.render.jupyter_book", fails_once)
    render(staged(book / "stage", "the third\n", title="Quite Other"), book)
    assert tried == [True, False]


def with_reference(folder: Path, event: str, answer: str) -> Path:
    """A stage with pages of the reference, and an extension of its own that connects an answer."""
    stage = staged(folder, "the first\n")
    pages = {"groups": "lib.groups", "rng": "lib.rng", "streams": "lib.means"}
    listed = "".join(f"- file: chapters/reference/{page}\n" for page in pages)
    said = {
        "_toc.yml": CONTENTS + listed,
        "_config.yml": CONFIG.replace("[sphinx_proof,", f"[sphinx_proof, {FILLED},").replace(
            "press.sphinx_setup]",
            "press.sphinx_setup], config: {autosummary_generate: false}, local_extensions: {own: .}",
        ),
        "own.py": f"def setup(app):\n    app.connect({event!r}, {answer}, priority=900)\n",
    } | {
        f"chapters/reference/{page}.rst": f"{page}\n====\n\n.. automodule:: {module}\n   :members:\n"
        for page, module in pages.items()
    }
    for name, text in said.items():
        (stage / name).parent.mkdir(parents=True, exist_ok=True)
        (stage / name).write_text(text, "utf-8")
    return stage


@pytest.mark.thorough("readers of the reference")
def test_a_reference_read_by_other_processes_is_as_read_by_one(tmp_path):
    one, more = tmp_path / "one", tmp_path / "more"
    alone = "lambda app: vars(app.builder).pop('_read_serial')"
    render(with_reference(one / "stage", "builder-inited", alone), one, strict=False)
    render(with_reference(more / "stage", "builder-inited", "lambda app: None"), more, strict=False)
    books = [written(folder / "_build" / "html") for folder in (one, more)]
    assert "_modules/lib/groups.html" in books[0]
    assert books[0] == books[1]


@pytest.mark.thorough("readers of the reference")
def test_a_page_that_cannot_be_read_ends_the_readers_of_the_reference(tmp_path):
    """A reader that nobody listens to any more would be waited for."""
    fails = "lambda app, doc, source: 1 / (doc != 'one')"
    stage = with_reference(tmp_path / "stage", "source-read", fails)
    with pytest.raises(RenderError, match="ZeroDivisionError"):
        render(stage, tmp_path)


def test_a_page_that_loads_from_another_host_is_refused_each_time(tmp_path, monkeypatch):
    html, stage = tmp_path / "_build" / "html", tmp_path / "stage"
    stage.mkdir()
    (stage / "one.md").write_text("# One\n", "utf-8")

    def made(*_, **__):
        html.mkdir(parents=True, exist_ok=True)
        (html / "index.html").write_text(
            '<script src="https://cdn.example/x.js"></script>', "utf-8"
        )
        return html, []

    monkeypatch.setattr("press.render.jupyter_book", made)
    for _ in range(2):
        with pytest.raises(RenderError, match="pages load from other hosts"):
            render(stage, tmp_path)
