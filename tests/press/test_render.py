"""A page is written again when something that it shows has changed, and only then; and no page
loads from another host.
"""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from press.render import RenderError, finish, render
from press.stage import add_line
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


def test_pages_are_written_when_what_they_show_has_changed(tmp_path):
    html = tmp_path / "_build" / "html"
    one = html / "one.html"
    render(staged(tmp_path / "stage", "the first\n"), tmp_path)
    assert "Book theorem 1" in one.read_text("utf-8")
    assert "Book theorem 1" in (html / "two.html").read_text("utf-8")
    assert "It holds" in (html / "_static" / "search_texts.js").read_text("utf-8")
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


@pytest.mark.parametrize(
    "tag",
    [
        '<script async src="https://cdn.example/x.js"></script>',
        "<img alt='x' src='//cdn.example/x.png'>",
        '<link href="http://cdn.example/x.css" rel="stylesheet">',
    ],
)
def test_a_page_that_loads_from_another_host_is_refused_and_a_link_is_not(tmp_path, tag):
    page = tmp_path / "page.html"
    kept = '<a href="https://example.org">out</a><script src="../_static/companion.js"></script>'
    explorers = '<script src="../_static/explorers/vendor/d3-7.9.0.min.js"></script>'
    page.write_text(kept + explorers, "utf-8")
    finish(tmp_path)
    assert page.read_text("utf-8") == kept  # a page without an explorer loads none of it
    page.write_text(kept + tag, "utf-8")
    with pytest.raises(RenderError, match="pages load from other hosts"):
        finish(tmp_path)


def test_the_line_under_a_title_ends_with_the_command(tmp_path):
    line = nbformat.v4.new_output("display_data", {"text/html": '<p class="badges">runs 3</p>'})
    cells = [code("runs: int = 3", "parameters"), code("badges()", outputs=[line])]
    add_line(cells, "chapters/ldp/one")
    assert cells[0].metadata["tags"] == ["parameters", "hide-input"]
    command = "<code>python -m lib rerun ldp/one NAME=VALUE</code>"
    assert cells[1].outputs[0].data["text/html"] == f'<p class="badges">runs 3 · {command}</p>'
