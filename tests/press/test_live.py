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


def test_the_code_of_the_page_is_complete():
    with zipfile.ZipFile(io.BytesIO(live.code_archive())) as archive:
        names = set(archive.namelist())
    ours = {"lib/ldp/grr.py", "studies/ldp_fairness/names.yml", "press/in_page.py"}
    assert ours | {"yaml/__init__.py", "tqdm/__init__.py"} <= names
    assert not [name for name in names if "__pycache__" in name]


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
import io, json, sys, zipfile
from press import in_page

wheel = io.BytesIO()
with zipfile.ZipFile(wheel, "w") as archive:
    archive.writestr("small.py", "import other\\nVALUE = other.VALUE + 1")
other = io.BytesIO()
with zipfile.ZipFile(other, "w") as archive:
    archive.writestr("other.py", "VALUE = 1")
files = {"small.whl": wheel.getvalue(), "other.whl": other.getvalue()}
settings = {"absent": ["nowhere"], "packages": {
    "small": {"file_name": "small.whl", "imports": ["small"], "depends": ["other"]},
    "other": {"file_name": "other.whl", "imports": ["other"], "depends": []}}}
shown = []
in_page.start(json.dumps(settings), files.__getitem__, lambda *what: shown.append(what), None, sys.argv[1])
cells = ["a = 2", "import small\\nprint(a)\\na + small.VALUE", "a = 1\\nb = 1 / 0",
         "from nowhere.deep import Thing", "Thing()", "from IPython.display import display\\n"
         "display({'text/html': '<b>x</b>'}, raw=True)", "def f(:", "raise SystemExit(3)",
         "import numpy as np\\nn = np.array([2, 0])\\n[np.bincount(n).tolist(), np.repeat([3, 4], n).tolist()]",
         "import lib.programs, joblib\\n"
         "class Own(joblib.Parallel):\\n    pass\\n"  # as scikit-learn has one
         "Own(n_jobs=2, initializer=print)(joblib.delayed(abs)(x) for x in [-1])",
         "import tempfile\\nfrom pathlib import Path\\nfrom lib.files import locked_tempdir\\n"
         "with locked_tempdir(Path(tempfile.mkdtemp())) as made:\\n    print(made.is_dir())",
         "lib.programs.run(['sh'], Path(tempfile.gettempdir()), seconds=1, contained=False)",
         "from lib.runner.provenance import provenance\\nprovenance()['commit']"]
outcomes = [in_page.run(cell, f"cell {n}") for n, cell in enumerate(cells, 1)]
print(json.dumps([outcomes, shown]))
"""


def test_cells_run_as_in_a_notebook(tmp_path):
    done = python("-W", "error", "-c", CELLS, tmp_path)
    outcomes, shown = json.loads(done.stdout)
    cut = ["done", "done", "error", "done", "absent", "done", "error", "error"]
    assert outcomes == [*cut, "done", "done", "done", "absent", "done"]
    assert shown[:2] == [["text", "2\n"], ["text", "4"]]
    kind, words = shown[2]
    assert kind == "error"
    assert "b = 1 / 0" in words
    assert "in_page" not in words
    absent = "{} is not in the Python of this page".format
    assert shown[3:5] == [["error", absent("nowhere")], ["html", "<b>x</b>"]]
    assert "SyntaxError" in shown[5][1]
    assert "SystemExit" in shown[6][1]
    # in one process: the initializer of its workers has printed nothing
    printed = [["text", "[[1, 0, 1], [3, 3]]"], ["text", "[1]"], ["text", "True\n"]]
    assert shown[7:] == [*printed, ["error", absent("subprocess")], ["text", "'unknown'"]]


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
    "start": ["code"], "packages": {}, "rest": ["data"], "absent": [],
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


FAKE = """window.Worker = class {
    postMessage({ id, task, source, name }) {
        const answer = (message) => this.onmessage({ data: message });
        const fails = task === 'run' && source.includes('check');
        setTimeout(() => {
            if (fails) answer({ kind: 'error', text: `Traceback\\n  File "${name}", line 1\\nValueError: n must be 5, got 6` });
            answer({ done: id, result: task !== 'run' ? null : fails ? 'error' : 'done' });
        });
    }
    terminate() {}
};"""
CELL = '<div class="cell"><div class="cell_input"><div class="highlight"><pre>{}</pre></div></div></div>'


@pytest.mark.browser
@pytest.mark.parametrize("shown", [True, False])
def test_an_error_names_the_cell_and_shows_its_traceback_where_it_is(chromium, book, shown):
    """It was named by its number in the notebook, at the cell whose Run was pressed."""
    sources = ["n = 6", "check(n)", "print(n)"]
    first = f'<details class="about"><summary>About</summary>{CELL.format(sources[0])}'
    first += CELL.format(sources[1]) * shown + '</details><div style="height:3000px"></div>'
    start, _, end = PAGE.partition('<div class="cell">')
    text = f"{start}{first}{CELL.format(sources[2])}</main>{end.partition('</main>')[2]}"
    (book / "chapters" / "ldp" / "budget.html").write_text(text, "utf-8")
    cells = [{"source": source, "tags": []} for source in sources]
    pages = {"chapters/ldp/budget": cells}
    parts = {part: live.script(part, b"nothing") for part in ("code", "data")}
    put(book, ONE_PAGE | {"pages": pages}, **parts)
    page, _ = opened(chromium, (book / "chapters" / "ldp" / "budget.html").as_uri(), **PHONE)
    page.evaluate(f"() => {{ {FAKE} }}")
    bars = page.locator(".live-bar")
    numbers = [f"cell {n}" for n in range(1, bars.count() + 1)]
    assert page.locator(".live-number").all_text_contents() == numbers
    bars.last.get_by_role("button", name="Run").click()
    name = "cell 2" if shown else "the hidden cell after cell 1"
    title = name[0].upper() + name[1:]
    bars.last.get_by_text(f"{title} ended with an error: ValueError: n must be 5, got 6").wait_for()
    trace = page.locator("details .live-error")
    assert f'File "{name}", line 1' in trace.inner_text()
    assert page.locator("details .live-label").last.inner_text() == f"{title} ended with an error"
    assert page.evaluate(
        "() => { const box = document.querySelector('.live-error').getBoundingClientRect();"
        " return box.top >= 0 && box.bottom <= innerHeight; }"
    )
    page.context.close()
