"""A page is written again when something that it shows has changed, and only then."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import nbformat
import pytest

from press.render import jupyter_book, render
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


DOCUMENTED = """\
# Three

```{eval-rst}
.. autofunction:: lib.files.write_whole
```
"""


@pytest.fixture
def moved(tmp_path, monkeypatch) -> Path:
    """A Python of an environment whose scripts name the place where it was."""
    python = tmp_path / "bin" / "python"
    put(python, f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    put(python.with_name("jupyter-book"), "#!/moved/bin/python\n")
    for program in python.parent.iterdir():
        program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    return python


@pytest.mark.thorough("renders")
@pytest.mark.skipif(os.name != "posix", reason="scripts of a shell")
def test_a_page_is_the_same_in_a_moved_clone_and_under_anybodys_settings(
    tmp_path, moved, monkeypatch
):
    stage = staged(tmp_path / "a place \N{GREEK SMALL LETTER EPSILON}", "the first\n")
    put(stage / "two.md", DOCUMENTED)
    put(stage / "_config.yml", CONFIG.replace("[", "[sphinx.ext.autodoc, ", 1))
    put(tmp_path / "hostile" / "lib" / "__init__.py", "raise ImportError('another lib')")
    put(tmp_path / "hostile" / "sphinx.py", "raise ImportError('another sphinx')")
    put(tmp_path / "hostile" / "docutils.conf", "[general]\nhalt_level: 1\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "hostile"))
    monkeypatch.setenv("DOCUTILSCONFIG", str(tmp_path / "hostile" / "docutils.conf"))
    monkeypatch.setenv("PYTHONOPTIMIZE", "2")  # which takes the docstrings
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    html, _ = jupyter_book(stage, tmp_path / "out", strict=False)
    assert "a kill leaves the old file" in (html / "two.html").read_text("utf-8")


@pytest.mark.skipif(os.name != "posix", reason="scripts of a shell")
def test_a_full_disk_is_a_sentence_and_no_log(tmp_path, moved):
    put(moved, "#!/bin/sh\necho a log\necho 'OSError: [Errno 28] No space left on device'\nexit 1")
    moved.chmod(0o755)
    with pytest.raises(OSError, match=r"^\[Errno 28\] No space left on device: '[^\n]*out'$"):
        jupyter_book(tmp_path, tmp_path / "out")
