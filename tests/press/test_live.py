"""Python in the page: a page without it, or with a damaged part, says so in a sentence, and its code
is edited with the keys.
"""

from __future__ import annotations

import json
import re

import pytest

from lib.paths import ROOT
from press import live
from press.stage import copy_static
from press.toc import Page
from tests.press.conftest import code, write_cells
from tests.press.test_browser import PHONE, barriers


def test_a_page_names_the_cells_of_the_built_book(tmp_path):
    """So a book without solutions keeps them to itself."""
    write_cells(tmp_path / "_sources" / "one.ipynb", code("a = 1", "parameters"))
    assert live.cells(tmp_path, Page("one", ROOT)) == [{"source": "a = 1", "tags": ["parameters"]}]


PAGE = """<!doctype html><html lang="en" data-content_root="./" data-theme="light">
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A page</title>
<link rel="stylesheet" href="../../_static/companion.css"><style>html {
--pst-color-background: #fff; --pst-color-text-base: #323232; --pst-color-text-muted: #48566b;
--pst-color-surface: #f5f5f5; --pst-color-border: #c9c9c9; } body { margin: 8px }</style>
<script src="../../_static/live.js"></script><main><h1>A page</h1>
<div class="cell"><div class="cell_input"><div class="highlight"><pre>print(1)</pre></div></div>
<div class="cell_output"><pre>1</pre></div></div></main></html>"""
ONE_PAGE = {
    "parts": ["code", "data"],
    "pages": {"chapters/ldp/budget": [{"source": "print(1)", "tags": []}]},
}  # fmt: skip


@pytest.fixture
def book(tmp_path):
    copy_static(ROOT, tmp_path / "_static")
    (tmp_path / "chapters" / "ldp").mkdir(parents=True)
    (tmp_path / "chapters" / "ldp" / "budget.html").write_text(PAGE, "utf-8")
    return tmp_path


GOOD, BAD = (live.script("code", raw) for raw in (b"good", b"bad"))
MISSING = "The file _static/live/code.js is missing or damaged. Run make live again."
FAULTS = [  # the first script of the distribution, and what a page says
    (
        None,
        "This copy of the book has no Python in its pages. The command make live puts it there.",
    ),
    ("", MISSING),
    (GOOD[:-9], MISSING),
    (re.sub('"[0-9a-f]{64}"', BAD.split(",")[1], GOOD), MISSING.replace("missing or ", "")),
]


@pytest.mark.browser
@pytest.mark.parametrize(("script", "sentence"), FAULTS)
def test_a_missing_or_damaged_part_is_a_sentence_in_the_page(open_file, book, script, sentence):
    if script is not None:
        (book / "_static" / "live").mkdir()
        texts = {"code": script, "data": GOOD.replace("code", "data")}
        texts["pages"] = f"livePages({json.dumps(ONE_PAGE)});"
        for name in filter(texts.get, texts):
            (book / "_static" / "live" / f"{name}.js").write_text(texts[name], "utf-8")
    page, _ = open_file(book / "chapters" / "ldp" / "budget.html")
    loaded = page.evaluate("performance.getEntriesByType('resource').map(e => e.name)")
    assert not [name for name in loaded if "live/" in name]
    page.get_by_role("button", name="Run").click()
    page.get_by_text(sentence).wait_for()
    assert page.locator(".cell_output").inner_text() == "1"


@pytest.mark.browser
def test_code_is_edited_with_the_keys_on_a_phone(open_file, book):
    page, wrong = open_file(book / "chapters" / "ldp" / "budget.html", **PHONE)
    page.get_by_role("button", name="Edit").click()
    editor = page.get_by_role("textbox")
    assert editor.input_value() == "print(1)"
    editor.press("Control+Home")
    page.keyboard.press("Tab")
    assert editor.input_value() == "    print(1)"
    assert wrong == []  # the examination below asks for style sheets
    assert barriers(page, {"resultTypes": ["violations"]}) == []
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert not editor.evaluate("node => node === document.activeElement")
    page.get_by_role("button", name="Edit").click()
    assert page.locator(".cell_input pre").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
