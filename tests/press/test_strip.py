"""The strip of a page: closed, below the title, with the cells that papermill and a rerun need."""

from __future__ import annotations

import re

import nbformat
import pytest

from press.render import jupyter_book
from press.toc import Page
from tests.press.conftest import CHAPTERS, code, words, write_cells
from tests.press.measure import CELL, cells

STRIP = re.compile(r"^:::\{dropdown\} About this page · rerun it\n:class-container: about\n", re.M)
FURNITURE = ("**What you will be able to do.**", "**Claims under test**", "**Before this**")
CONFIG = """\
title: Small
only_build_toc_files: true
parse: {myst_enable_extensions: [colon_fence]}
execute: {execute_notebooks: "off"}
sphinx: {extra_extensions: [sphinx_proof, sphinx_design, press.sphinx_setup]}
"""
HEAD = """\
# A page

A scene.
"""
ABOUT = """\
:::{dropdown} About this page · rerun it
:class-container: about
**What you will be able to do.** See it.

**Before this**: nothing.
:::
"""


def page(folder, *cells):
    """A page of the cells, rendered from nothing."""
    write_cells(folder / "one.ipynb", *cells)
    (folder / "_config.yml").write_text(CONFIG, "utf-8")
    (folder / "_toc.yml").write_text("format: jb-book\nroot: one\n", "utf-8")
    html, warnings = jupyter_book(folder, folder / "out", strict=False)
    return (html / "one.html").read_text("utf-8"), warnings


def shown(source, *named):
    """A code cell that has shown its source."""
    return code(source, *named, outputs=[nbformat.v4.new_output("stream", text=f"of {source}\n")])


@pytest.mark.thorough("pages of one cell")
def test_the_marked_cells_move_into_the_strip_and_the_others_stay(tmp_path):
    parts = [
        words(HEAD),
        shown("runs: int = 3", "parameters"),
        shown("badges()", "remove-input", "about"),
        words(ABOUT),
        shown("print(1)"),
    ]
    html, warnings = page(tmp_path, *parts)
    assert warnings == []
    before, opening, rest = re.split(r"(<details class=\"[^\"]*\babout\b[^>]*>)", html)
    inside, after = rest.split("</details>", 1)
    assert "open" not in re.sub('"[^"]*"', "", opening)
    found = [re.findall(r"of [a-z0-9(:= )]+(?=\n)", part) for part in (before, inside, after)]
    assert found == [[], ["of runs: int = 3", "of badges()"], ["of print(1)"]]
    assert "python -m lib rerun one NAME=VALUE" in re.sub(r"<[^>]*>", "", inside)
    for words_of_head in ("About this page · rerun it", "What you will be able to do."):
        assert words_of_head in inside


@pytest.mark.thorough("pages of one cell")
def test_a_cell_without_a_strip_is_warned_of(tmp_path):
    _, warnings = page(tmp_path, words(HEAD), shown("badges()", "remove-input", "about"))
    assert len(warnings) == 1
    assert "one must have one dropdown of the class about, got 0" in warnings[0]


def heads(page: Page) -> list[str]:
    """What the source of a page lacks of the form."""
    text = page.text.read_text("utf-8")
    own = [cell for cell in cells(text) if not cell.lines[0].startswith("%%")]
    checks = [c for c in own if any(line.startswith("check_parameters(") for line in c.lines)]
    wrong = [] if all("about" in cell.tags for cell in checks) else ["tag about"]
    if len(found := STRIP.split(CELL.sub("", text))) != 2:
        return [*wrong, f"{len(found) - 1} strips"]
    before, after = found
    return wrong + [mark for mark in FURNITURE if mark in before + after.partition("\n:::")[2]]


LESSONS = [page for page in CHAPTERS if page.doc != "chapters/index"]  # home shows no code at all


@pytest.mark.parametrize("page", LESSONS, ids=lambda page: page.doc)
def test_each_page_has_its_furniture_in_one_strip(page):
    assert not heads(page)
