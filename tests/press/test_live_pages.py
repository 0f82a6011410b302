"""Lessons that compute: each page's cells in Chromium and in Firefox, from ``file://`` without a
network, give what the built page shows. The suite runs the begin of one; ``pytest -m slow`` all.
"""

from __future__ import annotations

import os
import re
from html import unescape
from pathlib import Path

import pytest

from lib.datasets import DataError
from lib.paths import BUILD
from lib.runner import results, scores
from press.live import lessons, write_live
from press.toc import page_code, read_notebook, tags
from tests.press.firefox import PROGRAM, Firefox
from tests.press.test_browser import INSIDE

pytestmark = pytest.mark.browser
QUICK = "chapters/ldp/protocols"
DOCS = [page.doc for page in lessons()]
SOME = 5  # cells of a page that the suite runs; every cell is slow
both_browsers = pytest.mark.parametrize("browser", ["in_chromium", "in_firefox"])
# what a page cannot run: it trains with LightGBM, jax or the like
CANNOT = {"lightgbm", "jax", "mbi", "networkx", "pyarrow", "optax", "subprocess"}


@pytest.fixture(scope="module")
def live_book(html, once, tmp_path_factory) -> Path:
    """The built book with Python in it; the built one stays as it is."""

    def make() -> Path:
        folder = tmp_path_factory.mktemp("live")
        (folder / "_static").mkdir()
        for place in (html / "chapters", html / "_sources", *(html / "_static").iterdir()):
            if place.name != "live":
                (folder / place.relative_to(html)).symlink_to(place)
        write_live(folder, os.environ.get("SOURCE", "index"))
        return folder

    try:
        return once("live", make)
    except DataError as error:
        pytest.skip(f"Pyodide cannot be had here: {error}")


@pytest.fixture(scope="module")
def in_chromium(chromium):
    """Run a script on a page in Chromium; fails on a request that leaves the page."""

    def run(address: str, script: str, *arguments):
        context = chromium.new_context(offline=True)
        context.set_default_timeout(900_000)
        page, outside = context.new_page(), []
        page.on("request", lambda r: r.url.startswith(INSIDE) or outside.append(r.url))
        page.goto(address)
        found = page.evaluate(script, *arguments)
        context.close()
        assert outside == []
        return found

    return run


@pytest.fixture(scope="module")
def in_firefox(tmp_path_factory):
    """Run a script on a page in Firefox; fails on a resource from outside."""
    if PROGRAM is None:
        pytest.skip("no Firefox on this machine (apt install firefox-esr)")
    firefox = Firefox(tmp_path_factory.mktemp("firefox"))

    def run(address: str, script: str, *arguments):
        firefox.open(address)
        found = firefox.evaluate(script, *arguments)
        names = firefox.evaluate("() => performance.getEntriesByType('resource').map(e => e.name)")
        assert [name for name in names if not name.startswith(INSIDE)] == []
        return found

    yield run
    firefox.close()


def shown(html: str) -> str:
    """The words and numbers of an output."""
    return unescape(re.sub(r"<[^>]+>", " ", html))


def words(outputs: list) -> str:
    """What a stored cell shows, without spaces that differ between libraries."""
    texts = []
    for output in outputs:
        data = output.get("data", {})
        if output.output_type == "stream" and output.name == "stdout":
            texts.append(output.text)
        elif "text/html" in data:
            texts.append(shown(data["text/html"]))
        elif "data" in output:
            texts.append(data.get("text/plain", ""))
    return " ".join(" ".join(texts).split())


def differences(doc: str, ran: list[dict], most: int = 1000) -> list[str]:
    """The cells that do not give what the built page has; a live cell may be on other data."""
    notebook = read_notebook(BUILD / "executed" / "quick" / f"{doc}.ipynb")
    cells = page_code(notebook)[:most]
    assert [one["number"] for one in ran] == list(range(1, len(ran) + 1))
    wrong, absent = [], False
    for one, cell in zip(ran, cells, strict=False):
        made = " ".join(shown(m["text"]) if m["kind"] == "html" else m["text"] for m in one["made"])
        if one["outcome"] == "absent":
            assert one["made"][-1]["text"].split()[0] in CANNOT
            absent = True
        elif one["outcome"] == "error" and absent:
            assert "An earlier cell could not run" in one["why"]
        elif one["outcome"] == "error":
            wrong.append(f"cell {one['number']}: {made[-900:]}")
        elif "live" not in tags(cell) and " ".join(made.split()) != words(cell.outputs):
            wrong.append(f"cell {one['number']}: {words(cell.outputs)[:200]} but {made[:200]}")
    if len(ran) != len(cells):
        wrong.append(f"stopped after {len(ran)} of {len(cells)} cells")
    return wrong


def address(book: Path, doc: str) -> str:
    return (book / f"{doc}.html").as_uri()


@pytest.mark.slow
@both_browsers
@pytest.mark.parametrize("doc", DOCS)
def test_a_page_computes_what_the_book_shows(live_book, request, browser, doc):
    ran = request.getfixturevalue(browser)(address(live_book, doc), "() => liveRunAll()")
    assert differences(doc, ran) == []


# edit the first cell, run it, and wait for its status; a runaway loop is stopped once it runs
EDIT = """async (code) => {
  const bar = document.querySelector(".live-bar"), cell = bar.closest("div.cell");
  const [run, edit] = bar.querySelectorAll("button"), status = bar.querySelector(".live-status");
  const until = async (test) => { while (!test()) await new Promise(go => setTimeout(go, 100)); };
  if (cell.querySelector("textarea")) edit.click();
  edit.click();
  cell.querySelector("textarea").value = code;
  run.click();
  if (code.includes("while True")) {
    await until(() => /Running/.test(status.textContent));
    await new Promise(go => setTimeout(go, 500));
    run.click();
  }
  await until(() => run.textContent === "Run");
  return [status.textContent, cell.querySelector(".live-output")?.textContent ?? ""];
}"""
TRY = f"""async () => {{
  const edit = {EDIT};
  return [await liveRunAll({SOME}), await edit("6 * 7"), await edit("x = 1\\ny = x / 0"), await edit("import nowhere"),
    await edit("from lib.runner import results, scores\\n[len(f('means_mixtures')) for f in (results, scores)]"),
    await edit("while True: pass"), await edit("import js\\njs.fetch('https://example.invalid/')\\nawait_me = 1"),
    await edit("2 + 3")];
}}"""


@both_browsers
def test_cells_compute_what_the_book_shows_and_what_a_reader_writes(live_book, request, browser):
    run = request.getfixturevalue(browser)
    ran, right, wrong, absent, stored, loop, outside, again = run(address(live_book, QUICK), TRY)
    assert differences(QUICK, ran, SOME) == []
    assert right[0].startswith("Done in")
    assert "42" in right[1]
    assert "y = x / 0" in wrong[1]
    assert "ZeroDivisionError" in wrong[1]
    assert "nowhere is not in the Python of this page" in absent[1]
    assert str([len(read("means_mixtures")) for read in (results, scores)]) in stored[1]
    assert loop[0] == "Stopped. The next Run starts Python again."
    assert outside[0].startswith("Done in")
    assert again[1].endswith("5")
