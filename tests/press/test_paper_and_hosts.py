"""A page on paper, and one that another host serves, where a browser blocks storage or runs no
scripts.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from urllib.parse import urlsplit

import nbformat
import pandas as pd
import pytest

from press.execute import Executed
from press.render import finish, render
from press.stage import stage
from press.toc import Page
from tests.press.conftest import code, words, write_book, write_cells
from tests.press.test_answers import AFTER, PAGE, SECRET, stated
from tests.press.test_explorers import FIGURE

pytestmark = pytest.mark.browser
EXPLORER = """<div class="explorer" id="explore-{0}" data-explorer="{0}"{1}><p>Try it.</p>
<p class="explorer-still">Without scripts, see the figure.</p></div>
"""
CELLS = "".join(f"<td class='num'>{n}.123456789</td>" for n in range(7))
TABLE = f"<div class='table-scroll'><table><tr>{CELLS}</tr></table></div>"
FRAME = pd.DataFrame({letter * 20: [1] for letter in "abcdefghijklm"})
A4 = {"width": 717, "height": 1000}  # what the margins of Chromium leave
PROOF = "```{admonition} Details\n:class: dropdown note\nA proof.\n```"


def shows(html: str, *tags: str) -> nbformat.NotebookNode:
    output = nbformat.v4.new_output("display_data", data={"text/html": html})
    return code("1", *tags, outputs=[output])


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> Path:
    """The pages of a book of one chapter: formula, explorers, wide table, exercise."""
    root = tmp_path_factory.mktemp("paper")
    boxes = stated("People", 42, hints={40: "two are missing."}), stated("So?", True)
    answers = [nbformat.v4.new_output("display_data", data=body) for body in boxes]
    first, exercise = PAGE.split("## Exercises")
    write_cells(
        root / "executed" / "one.ipynb",
        words(f"{first}\nThe square $x^2$."),
        shows(FIGURE, "hide-input"),
        words(EXPLORER.format("primer", ' data-replaces="fig-x"')),
        words(f"Words.\n\n{EXPLORER.format('coin', '')}"),
        shows(TABLE),
        shows(FRAME.to_html()),
        words(f"{PROOF}\n\n## Exercises{exercise}"),
        code(SECRET, outputs=answers),
        words(AFTER),
    )
    write_book(root, "chapters/one")
    shutil.copy(root / "executed" / "one.ipynb", root / "chapters" / "one.ipynb")
    chapter = Executed("chapters/one", root / "executed" / "one.ipynb", fresh=True)
    stage(root, [Page("chapters/one", root)], [chapter], root / "stage")
    return render(root / "stage", root, strict=False)[0].parent


@pytest.fixture
def serve(chromium, book):
    """Open the page as a host serves it over plain http; the page, and what went wrong on it."""
    contexts = []

    def one(before: str = "", **options):
        contexts.append(context := chromium.new_context(**options))
        page, wrong = context.new_page(), []
        page.on("pageerror", lambda e: wrong.append(str(e)))

        def give(route):
            file = book / urlsplit(route.request.url).path[1:]
            route.fulfill(path=file) if file.is_file() else route.fulfill(status=404)

        page.route("**", give)
        page.add_init_script(before)
        page.goto("http://book.example/chapters/one.html", wait_until="networkidle")
        if options.get("java_script_enabled", True):
            page.wait_for_function("document.querySelectorAll('[data-ready]').length === 2")
        return page, wrong

    yield one
    for context in contexts:
        context.close()


SEEN = """() => ({theme: document.documentElement.dataset.theme,
    secrets: [...document.querySelectorAll('.solution, .tip')].filter(n => n.checkVisibility()).length,
    proof: getComputedStyle(document.querySelector('.note p:last-child')).visibility})"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_print_is_dark_on_white_and_keeps_solutions_and_hints(book, open_file, scheme):
    page, wrong = open_file(book / "chapters" / "one.html", color_scheme=scheme)
    page.locator(".tip .toggle-button").click()  # on the screen it is open
    page.evaluate(f"addEventListener('beforeprint', () => {{ window.seen = ({SEEN})(); }})")
    page.emulate_media(media="print")
    page.pdf()
    assert page.evaluate("seen") == {"theme": "light", "secrets": 0, "proof": "visible"}
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    page.emulate_media(media="screen")
    assert page.get_by_text("Count them.").is_visible()
    assert wrong == []


CUT = """() => [...document.querySelectorAll('article :is(table, pre, figure, form)')].filter(n => n.checkVisibility())
    .filter(n => n.getBoundingClientRect().right > document.querySelector('article').getBoundingClientRect().right + 1)
    .map(n => n.outerHTML.slice(0, 100))"""


def test_paper_has_a_figure_for_each_explorer_and_whole_tables(book, open_file):
    page, _ = open_file(book / "chapters" / "one.html")
    page.wait_for_function("document.querySelectorAll('[data-ready]').length === 2")
    page.emulate_media(media="print")
    page.set_viewport_size(A4)
    # one has the figure of the page in its place, the other its own, as it stands
    assert page.locator("article .picture").is_visible()
    assert not page.locator("#explore-primer").is_visible()
    own = page.locator("#explore-coin")
    assert own.locator("svg").first.is_visible()
    assert own.get_by_label("Neighbours, exact value").is_visible()
    for waiting in "input[type=range] .explorer-actions .live-bar".split():
        assert not page.locator(waiting).last.is_visible()
    assert not page.get_by_role("button", name="Check").count()
    assert page.locator(".answer-box").get_by_text("People").is_visible()
    assert page.evaluate(CUT) == []


def test_over_plain_http_a_box_says_why_it_does_not_check(serve):
    page, wrong = serve()
    assert not page.evaluate("isSecureContext")
    box = page.locator(".answer-box").first
    box.get_by_role("textbox").fill("42")
    box.get_by_role("button").click()
    box.get_by_text("cannot check answers on a page that came over plain http").wait_for()
    assert page.locator(".answer-box").count() == 2
    assert page.locator("mjx-container").count() == 1
    assert wrong == []


BLOCKED = {
    "refused": "{ get() { throw new DOMException('Access is denied', 'SecurityError'); } }",
    "absent": "{ value: null }",
}


@pytest.mark.parametrize("kind", BLOCKED)
def test_where_storage_is_blocked_a_page_works_and_forgets(serve, kind):
    block = f"for (const n of ['localStorage', 'sessionStorage']) Object.defineProperty(window, n, {{ configurable: true, ...{BLOCKED[kind]} }})"
    page, wrong = serve(block, color_scheme="dark")
    theme = "document.documentElement.dataset.theme"
    assert page.evaluate(theme) == "dark"
    for expected in ("light", "dark"):
        page.locator(".theme-switch-button").first.click()
        assert page.evaluate(theme) == expected
    assert page.locator(".dropdown-launch-buttons").is_visible()
    assert wrong == []


def test_without_scripts_a_page_names_what_it_lacks(serve):
    page, _ = serve(java_script_enabled=False)
    said = page.locator("article noscript").inner_text()
    for lost in ("search", "explorers", "Python", "boxes", "Formulas", "solutions are open"):
        assert lost in said
    assert page.locator("html").get_attribute("data-theme") == "light"
    for still in ("drawn", "Count them.", "A proof."):
        assert page.get_by_text(still).is_visible()
    page.emulate_media(media="print")
    assert not page.get_by_text("Count them.").is_visible()


def test_a_page_is_finished_once(book):
    page = book / "chapters" / "one.html"
    before = page.read_text("utf-8")
    finish(book)
    assert page.read_text("utf-8") == before
    assert before.count("<noscript><p") == before.count("sessionStorage.length") == 1
