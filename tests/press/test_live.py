"""Python in the page: the distribution is the official one, cells run as in a notebook, and a page
without it, or with a damaged part, says so in a sentence.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import re
import zipfile

import numpy as np
import pandas as pd
import pytest

from lib.datasets.download import DataError
from lib.paths import ROOT
from press import live
from press.packed import pack_table, unpack_table
from press.stage import copy_static
from press.toc import Page
from tests.press.conftest import code, words, write_cells
from tests.press.test_browser import PHONE, barriers, opened
from tests.programs import python

# --- the distribution


def test_another_lock_file_is_refused(monkeypatch):
    """All other sums are read from it."""
    monkeypatch.setattr(live, "pins", lambda: {"lock": "0" * 64})
    with pytest.raises(DataError, match="must have the SHA-256"):
        live.packages.__wrapped__()


def test_the_packages_have_all_that_they_depend_on():
    depends = {name for package in live.packages().values() for name in package["depends"]}
    assert depends - set(live.packages()) == {"matplotlib-pyodide"}


def test_a_script_holds_the_bytes():
    raw = np.random.default_rng(1).bytes(100_001)
    name, sha256, text = json.loads(f"[{live.script('a', raw)[9:-3]}]")
    assert (name, sha256) == ("a", hashlib.sha256(raw).hexdigest())
    assert gzip.decompress(base64.b85decode(text)) == raw
    assert text.isascii()


# --- what the companion adds


def test_a_table_comes_back():
    numbers = {"n": [1, 2, 3], "x": [0.5, np.nan, 1e300], "b": [True, False, True]}
    frame, found = (pd.DataFrame(numbers | {"text": ["é", gap, "é"]}) for gap in (None, np.nan))
    pd.testing.assert_frame_equal(unpack_table(pack_table(frame)), found)


def test_the_data_of_the_page_have_the_stored_records_and_their_scores():
    with zipfile.ZipFile(io.BytesIO(live.data_archive())) as archive:
        grid = live.RESULTS / "means_mixtures.parquet"
        stored = {
            end: unpack_table(archive.read(f"data/results/{grid.name}{end}"))
            for end in ("", ".scores")
        }
        assert "data/replicas/adult.parquet.npz" in archive.namelist()
    for end, read in (("", live.results), (".scores", live.scores)):
        pd.testing.assert_frame_equal(stored[end], read(grid.stem, path=grid), check_dtype=False)


def test_a_page_names_the_cells_of_the_built_book(tmp_path):
    """So a book without solutions keeps them to itself."""
    docs = [page.doc for page in live.lessons()]
    assert len(docs) >= 20
    assert not [doc for doc in docs if doc.endswith(("evidence", "proofs"))]
    page = Page("one", tmp_path)
    given = [words("text"), code("a = 1", "parameters"), code("2", "solution")]
    write_cells(tmp_path / "_sources" / "one.ipynb", *given)
    found = [{"source": "a = 1", "tags": ["parameters"]}, {"source": "2", "tags": ["solution"]}]
    assert live.cells(tmp_path, page) == found


CELLS = """
import json, sys
from press import in_page

shown = []
in_page.start(lambda *what: shown.append(what), sys.argv[1])
cells = ["a = 2", "print(a)\\na + 2", "a = 1\\nb = 1 / 0", "import nowhere.deep",
         "from lib.extras import needs\\nwith needs('synth'):\\n    import nowhere",
         "import errno\\nraise OSError(errno.ENOTSUP, 'emscripten does not support processes')",
         "from IPython.display import display\\ndisplay({'text/html': '<b>x</b>'}, raw=True)",
         "def f(:", "raise SystemExit(3)",
         "import numpy as np\\nn = np.array([2, 0])\\n[np.bincount(n).tolist(), np.repeat([3, 4], n).tolist()]",
         "import tempfile\\nfrom pathlib import Path\\nfrom lib.files import locked_tempdir\\n"
         "with locked_tempdir(Path(tempfile.mkdtemp())) as made:\\n    print(made.is_dir())"]
outcomes = [in_page.run(cell, f"cell {n}") for n, cell in enumerate(cells, 1)]
print(json.dumps([outcomes, shown]))
"""


def test_cells_run_as_in_a_notebook(tmp_path):
    done = python("-W", "error", "-c", CELLS, tmp_path)
    outcomes, shown = json.loads(done.stdout)
    failed = ["error", "absent", "absent", "absent"]
    assert outcomes == ["done", "done", *failed, "done", "error", "error", "done", "done"]
    assert shown[:2] == [["text", "2\n"], ["text", "4"]]
    kind, words = shown[2]
    assert kind == "error"
    assert "b = 1 / 0" in words
    assert "in_page" not in words
    absent = [
        ["error", f"{n} is not in the Python of this page"] for n in ("nowhere", "subprocess")
    ]
    assert shown[3:7] == [absent[0], absent[0], absent[1], ["html", "<b>x</b>"]]
    assert "SyntaxError" in shown[7][1]
    assert "SystemExit" in shown[8][1]
    assert shown[9:] == [["text", "[[1, 0, 1], [3, 3]]"], ["text", "True\n"]]


# --- the page

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


def _without_python(book):
    return "This copy of the book has no Python in its pages. The command make live puts it there."


def put(book, manifest=ONE_PAGE, **scripts):
    """The scripts of a book with Python in it."""
    folder = book / "_static" / "live"
    folder.mkdir()
    for name, text in (scripts | {"pages": f"livePages({json.dumps(manifest)});"}).items():
        (folder / f"{name}.js").write_text(text, "utf-8")


def _without_a_part(book):
    put(book)
    return "The file _static/live/code.js is missing or damaged. Run make live again."


def _with_a_wrong_byte(book):
    bad = re.sub('"[0-9a-f]{64}"', f'"{"0" * 64}"', live.script("code", b"good"))
    put(book, code=bad, data=live.script("data", b"good"))
    return "The file _static/live/code.js is damaged. Run make live again."


def _cut_short(book):
    _with_a_wrong_byte(book)
    path = book / "_static" / "live" / "code.js"
    path.write_text(path.read_text("utf-8")[:-9], "utf-8")
    return "The file _static/live/code.js is missing or damaged. Run make live again."


@pytest.mark.browser
@pytest.mark.parametrize(
    "fault", [_without_python, _without_a_part, _with_a_wrong_byte, _cut_short]
)
def test_a_missing_or_damaged_part_is_a_sentence_in_the_page(chromium, book, fault):
    sentence = fault(book)
    page, _ = opened(chromium, (book / "chapters" / "ldp" / "budget.html").as_uri())
    loaded = page.evaluate("performance.getEntriesByType('resource').map(e => e.name)")
    assert not [name for name in loaded if "live/" in name]
    page.get_by_role("button", name="Run").click()
    page.get_by_text(sentence).wait_for()
    assert page.locator(".cell_output").inner_text() == "1"
    page.context.close()


@pytest.mark.browser
def test_code_is_edited_with_the_keys_on_a_phone(chromium, book):
    page, wrong = opened(chromium, (book / "chapters" / "ldp" / "budget.html").as_uri(), **PHONE)
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
    page.context.close()
