"""Each page in a headless Chromium, from ``file://``: no error, no outside request, mathematics
drawn, room to read.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from lib.paths import ROOT
from press.toc import LESSON, pages
from tests.press.conftest import SERVICES

pytestmark = pytest.mark.browser
LISTED = [page.doc for page in pages(ROOT)]
INSIDE = ("file:", "data:", "blob:")
FAULTS = ("error", "warning")  # kinds of messages on the console
NARROW, WIDE = {"width": 390, "height": 844}, {"width": 1280, "height": 800}
PHONE = {"viewport": NARROW, "is_mobile": True, "has_touch": True, "color_scheme": "light"}

OVERFLOW = """() => {
    const wide = document.documentElement.clientWidth;
    const inside = (node) => { for (let n = node.parentElement; n; n = n.parentElement) {
        if (/auto|scroll|hidden|clip/.test(getComputedStyle(n).overflowX)) return true; } return false; };
    return document.documentElement.scrollWidth <= wide ? [] :
        [...document.querySelectorAll('main *')].filter(n => n.getBoundingClientRect().right > wide + 1 && !inside(n))
            .slice(0, 5).map(n => n.outerHTML.slice(0, 120))
            .concat([`${document.documentElement.scrollWidth} > ${wide}`]);
}"""
RAW_MATH = r"""() => [...document.querySelectorAll('.math')].filter(n => !n.querySelector('mjx-container'))
    .map(n => n.textContent.slice(0, 80))
    .concat([...document.querySelectorAll('mjx-merror')].map(n => 'error: ' + n.textContent.slice(0, 80)))"""
# colours are asked of COLOURS; no fault of "region" is serious, and it looks at every node
ELSEWHERE = ("color-contrast", "link-in-text-block", "region")
RULES = {"resultTypes": ["violations"], "rules": {r: {"enabled": False} for r in ELSEWHERE}}
# what can differ in the dark, and takes most of the time: asked of one text of each look
COLOURS = {"resultTypes": ["violations"], "runOnly": ["color-contrast", "link-in-text-block"]}
LOOKS = """() => {
    document.querySelectorAll('[data-look]').forEach(n => n.removeAttribute('data-look'));
    const painted = new Map([[null, '']]), seen = new Set();
    const ground = (node) => {  // all that is painted behind a text
        if (!painted.has(node)) {
            const s = getComputedStyle(node), own = [s.backgroundColor, s.backgroundImage, s.opacity, s.position].join();
            painted.set(node, ground(node.parentElement) + (own === 'rgba(0, 0, 0, 0),none,1,static' ? '' : own));
        }
        return painted.get(node); };
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const node = texts.currentNode.parentElement, s = getComputedStyle(node);
        if (!texts.currentNode.data.trim() || !node.checkVisibility()) continue;
        const around = getComputedStyle(node.parentElement).color;  // of a link: the text it stands in
        const look = [node.localName, s.color, around, s.fontSize, s.fontWeight, s.textDecorationLine, ground(node)].join();
        if (!seen.has(look)) node.dataset.look = '';
        seen.add(look);
    }
}"""


def barriers(page, options: dict, part: dict | None = None) -> list[str]:
    """What axe-core calls serious or critical on a page, with the first place of each."""
    found = Axe().run(page, part, options).response["violations"]
    return [
        f"{v['id']}: {v['nodes'][0]['html'][:120]} ({len(v['nodes'])})"
        for v in found
        if v["impact"] in ("serious", "critical")
    ]


def faint(page, part: dict | None = None) -> list[str]:
    """Texts that axe-core calls too faint, among one of each colour, size and ground."""
    page.evaluate(LOOKS)
    return barriers(page, COLOURS, {"include": [["[data-look]"]], **(part or {})})


@contextmanager
def closing(chromium):
    """Open pages, which are closed at the end; the page, drawn, and what went wrong on it."""
    contexts = []

    def open_file(file: Path, query: str = "", **options):
        contexts.append(context := chromium.new_context(**options))
        context.set_default_timeout(180_000)  # a page is slow where much else runs, and still right
        page, wrong = context.new_page(), []
        page.on("console", lambda m: m.type in FAULTS and wrong.append(f"console: {m.text}"))
        page.on("pageerror", lambda e: wrong.append(f"exception: {e}"))
        page.on("requestfailed", lambda r: wrong.append(f"failed: {r.url}"))
        page.on("request", lambda r: r.url.startswith(INSIDE) or wrong.append(f"outside: {r.url}"))
        page.goto(file.as_uri() + query, wait_until="networkidle")
        page.evaluate("() => window.MathJax && MathJax.startup && MathJax.startup.promise")
        return page, wrong

    yield open_file
    for context in contexts:
        context.close()


@pytest.fixture(scope="module", params=LISTED)
def listed(request, chromium, html):
    """Each page of the book, opened once for all the tests that look at it; on a phone."""
    with closing(chromium) as open_file:
        yield request.param, *open_file(html / f"{request.param}.html", **PHONE)


def test_a_page_loads_alone_and_whole(listed):
    _, page, wrong = listed
    assert wrong == []
    assert page.evaluate(RAW_MATH) == []
    assert page.locator("article h1").count() == 1
    broken = "() => [...document.images].filter(i => !i.naturalWidth).map(i => i.src.slice(0, 80))"
    assert page.evaluate(broken) == []
    solutions = page.locator("div.solution.dropdown, details.solution, details.toggle-details")
    if solutions.count():
        words = solutions.first.locator(".section, .cell, p").last
        assert not words.is_visible(), "a solution is in sight before it is asked for"


def test_a_page_fits_a_narrow_screen_and_a_wide_one(listed):
    _, page, wrong = listed
    for size in (NARROW, WIDE):
        page.set_viewport_size(size)
        assert page.evaluate(OVERFLOW) == [], size
    assert wrong == []


SIDEWAYS = """() => [...document.querySelectorAll('figure.plot .picture')].filter(n => n.checkVisibility())
    .map(n => [n.scrollWidth <= n.clientWidth + 1, n.tabIndex, n.getBoundingClientRect().top + scrollY])"""


def test_a_wide_figure_scrolls_in_its_box_and_that_of_a_lessons_first_screen_fits(listed):
    doc, page, _ = listed
    page.set_viewport_size(NARROW)
    page.evaluate("window.dispatchEvent(new Event('resize'))")
    page.wait_for_timeout(500)  # a busy browser lays out later
    figures = page.evaluate(SIDEWAYS)
    assert all(fits or tab == 0 for fits, tab, _ in figures), "a figure cannot be scrolled by keys"
    first = [fits for fits, _, top in figures if top < 2 * NARROW["height"]]
    if LESSON.fullmatch(doc):
        assert all(first), f"{doc}: draw its first figure at most 4.6 inches wide, or `stacked=`"


def test_a_page_has_no_serious_barrier_in_light_and_dark(listed):
    """Listings of the reference are left out: their colours are those of every other page."""
    doc, page, _ = listed
    part = {"exclude": [["div.highlight"]]} if "/reference/" in doc else None
    page.set_viewport_size(WIDE)
    page.add_style_tag(content="* { transition: none !important }")  # colours on their way
    assert barriers(page, RULES, part) == []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        themed = "scheme => document.documentElement.dataset.theme === scheme"
        page.wait_for_function(themed, arg=scheme)
        assert faint(page, part) == [], scheme


def test_search_finds_a_page(open_page):
    page, wrong = open_page("search", "?q=papermill")
    found = "#search-results li:has(a[href*='front/reading']) p.context"
    page.wait_for_selector(found, timeout=20_000)
    assert "papermill" in page.locator(found).first.inner_text().lower()
    assert wrong == []


def test_a_copy_without_an_address_asks_once_where_it_is_published(open_page):
    """Binder and Colab, from the page that asks, then from another page of the same book without
    asking.
    """
    page, wrong = open_page("chapters/ldp/protocols")
    page.evaluate("window.open = (address) => { window.went = address; }")
    menu = page.locator(".dropdown-launch-buttons")
    menu.locator("button.dropdown-toggle").click()
    menu.get_by_text("Binder").click()
    dialog = page.locator("dialog.launch-dialog")
    assert dialog.is_visible()
    dialog.locator("[name=address]").fill("https://example.org/someone/companion")
    dialog.get_by_role("button", name="Open").click()
    assert dialog.is_visible()  # not an address on GitHub
    dialog.locator("[name=address]").fill("https://github.com/someone/companion.git")
    dialog.get_by_role("button", name="Open").click()
    binder = SERVICES["Binder"]
    assert page.evaluate("window.went") == binder.format("chapters/ldp/protocols.ipynb")
    page.goto(page.url.replace("protocols", "budget"))
    links = page.locator(".dropdown-launch-buttons a[target=_blank]")
    links.first.wait_for(state="attached")  # the script of the page runs after it has loaded
    expected = {name: link.format("chapters/ldp/budget.ipynb") for name, link in SERVICES.items()}
    assert {a.text_content(): a.get_attribute("href") for a in links.all()} == expected
    assert wrong == []
