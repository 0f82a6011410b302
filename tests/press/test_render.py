"""A page is written again when something that it shows has changed, and only then."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from press.render import render
from press.toc import put
from tests.press.conftest import code, write_notebook

CONFIG = """\
title: Small
only_build_toc_files: true
execute: {execute_notebooks: "off"}
sphinx: {extra_extensions: [sphinx_proof, press.sphinx_setup]}
"""


def staged(folder: Path, said: str, title: str = "Two") -> Path:
    """A stage of two pages: what the cell of the first put out, and the title of the second."""
    printed = code("print(1)", outputs=[nbformat.v4.new_output("stream", text=said)])
    first = "# One\n\nAs {doc}`two` says, by {prf:ref}`thm-t`."
    write_notebook(folder / "one.ipynb", printed, title=first)
    words = f"# {title}\n\n```{{prf:theorem}} T\n:label: thm-t\nIt holds.\n```\n"
    contents = "format: jb-book\nroot: one\nchapters:\n- file: two\n"
    for name, text in {"two.md": words, "_toc.yml": contents, "_config.yml": CONFIG}.items():
        put(folder / name, text)
    return folder


@pytest.mark.thorough("renders twice")
def test_pages_are_written_when_what_they_show_has_changed(tmp_path):
    html = tmp_path / "_build" / "html"
    one = html / "one.html"
    render(staged(tmp_path / "stage", "the first\n"), tmp_path)
    assert "Book theorem 1" in one.read_text("utf-8")
    assert "Book theorem 1" in (html / "two.html").read_text("utf-8")
    (html / "_static" / "live").mkdir()
    before = (html / "two.html").stat().st_mtime_ns
    render(staged(tmp_path / "stage", "the second\n"), tmp_path)
    assert (html / "two.html").stat().st_mtime_ns == before
    assert not (html / "_static" / "live").exists()
    assert "the second" in one.read_text("utf-8")
    assert "It holds" in (html / "_static" / "search_texts.js").read_text("utf-8")
    render(staged(tmp_path / "stage", "the second\n", title="Quite Other"), tmp_path)
    assert one.read_text("utf-8").count("Quite Other") > 2  # text, contents, button
    before = one.stat().st_mtime_ns
    render(tmp_path / "stage", tmp_path)
    assert one.stat().st_mtime_ns == before
