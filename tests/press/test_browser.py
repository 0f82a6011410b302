"""Each page in a headless Chromium, from ``file://``: no error, no outside request, mathematics
drawn, room to read.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from axe_playwright_python.sync_playwright import Axe

from lib.pages.chapter import STYLE, figure_html
from lib.paths import ROOT
from lib.plotting.panels import legend, panels
from press.teaching import facts
from press.toc import pages
from tests.press.conftest import CHAPTERS, SERVICES

pytestmark = pytest.mark.browser
CSS = ROOT / "chapters" / "_static" / "companion.css"
SCRIPT = CSS.with_suffix(".js")
LISTED = [page.doc for page in pages(ROOT)]
SOLUTIONS = {page.doc: sum(e.solved for e in facts(page).exercises) for page in CHAPTERS}
INSIDE = ("file:", "data:", "blob:")
FAULTS = ("error", "warning")  # kinds of messages on the console
NARROW, WIDE = {"width": 390, "height": 844}, {"width": 1280, "height": 800}
PHONE = {"viewport": NARROW, "is_mobile": True, "has_touch": True, "color_scheme": "light"}
TABS = 8  # pages that are open at a time

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


GROUNDS = """() => [...document.querySelectorAll('figure.plot img.only-dark')]
    .map(i => getComputedStyle(i).backgroundColor)"""


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


class Wrong(list):
    """What has gone wrong on a page so far, how many of its requests are out, and when it last
    did something.
    """

    out, last = 0, 0.0

    def see(self, requests: int, what: str | None = None) -> None:
        self.out, self.last = self.out + requests, time.monotonic()
        if what is not None:
            self.append(what)

    @property
    def quiet_since(self) -> float:
        return time.monotonic() if self.out else self.last


def opened(chromium, address: str, **options):
    """A page after loading and drawing, and what went wrong on the way; see :func:`settle` for
    what comes later.
    """
    context = chromium.new_context(**options)
    context.set_default_timeout(180_000)  # a page is slow where much else runs, and still right
    page, wrong = context.new_page(), Wrong()
    for event, seen in {
        "console": lambda m: m.type in FAULTS and wrong.see(0, f"console: {m.text}"),
        "pageerror": lambda e: wrong.see(0, f"exception: {e}"),
        "requestfailed": lambda r: wrong.see(-1, f"failed: {r.url}"),
        "requestfinished": lambda r: wrong.see(-1),
        "request": lambda r: wrong.see(
            1, None if r.url.startswith(INSIDE) else f"outside: {r.url}"
        ),
    }.items():
        page.on(event, seen)
    page.goto(address, wait_until="load")
    page.wait_for_function("() => !window.MathJax || (MathJax.startup && MathJax.startup.promise)")
    page.evaluate("() => window.MathJax && MathJax.startup && MathJax.startup.promise")
    return page, wrong


@contextmanager
def closing(chromium):
    """Open pages, which are closed at the end; the page and what went wrong on it."""
    contexts = []

    def open_file(file: Path, query: str = "", **options):
        page, wrong = opened(chromium, file.as_uri() + query, **options)
        contexts.append(page.context)
        return page, wrong

    yield open_file
    for context in contexts:
        context.close()


def settle(*tabs, quiet: float = 1.0, most: float = 15.0) -> None:
    """Wait until no request of any page is out and nothing has happened on one for ``quiet``
    seconds.

    Scripts may ask and fail a while after a page is drawn. One wait serves all the pages that are
    open.
    """
    start = time.monotonic()
    while (now := time.monotonic()) < start + most:
        if now - max(start, *(wrong.quiet_since for _, wrong in tabs)) >= quiet:
            return
        tabs[0][0].wait_for_timeout(50)  # events of all pages come in meanwhile


@pytest.fixture(scope="session")
def settled(chromium, html):
    """A listed page that has settled; it is opened with its neighbours, a good number at a time,
    to wait once for all.
    """
    tabs = {}

    def one(doc: str):
        if doc not in tabs:
            for page, _ in tabs.values():
                page.context.close()
            tabs.clear()
            first = LISTED.index(doc) // TABS * TABS
            for near in LISTED[first : first + TABS]:
                tabs[near] = opened(chromium, Path(html, f"{near}.html").as_uri(), **PHONE)
            settle(*tabs.values())
        return tabs[doc]

    yield one
    for page, _ in tabs.values():
        page.context.close()


@pytest.fixture(scope="module", params=LISTED)
def listed(request, settled):
    """Each page of the book, opened once for all the tests that look at it; on a phone."""
    return request.param, *settled(request.param)


LATE = {
    "setTimeout(() => console.error('late'), 300)": "console: late",
    "setTimeout(() => { throw new Error('late'); }, 700)": "exception: late",
    "setTimeout(() => fetch('https://example.invalid/late'), 500)": (
        "outside: https://example.invalid/late"
    ),
    "setTimeout(() => { document.body.append(new Image()); document.images[0].src = 'late.png'; }, 800)": (
        "late.png"
    ),
}


def test_what_goes_wrong_a_while_after_loading_is_seen(chromium, tmp_path):
    tabs = []
    for number, script in enumerate(["", *LATE]):
        page = tmp_path / f"{number}.html"
        page.write_text(f"<title>A page</title><h1>A page</h1><script>{script}</script>", "utf-8")
        tabs.append(opened(chromium, page.as_uri()))
    settle(*tabs, quiet=3.0)  # a busy machine is late with its timers
    (_, nothing), *others = tabs
    assert nothing == []
    for (_, wrong), expected in zip(others, LATE.values(), strict=True):
        assert any(expected in what for what in wrong), expected
    for page, _ in tabs:
        page.context.close()


def test_a_page_loads_alone_and_whole(listed):
    doc, page, wrong = listed
    assert wrong == []
    assert page.evaluate(RAW_MATH) == []
    assert page.locator("article h1").count() == 1
    broken = "() => [...document.images].filter(i => !i.naturalWidth).map(i => i.src.slice(0, 80))"
    assert page.evaluate(broken) == []
    solutions = page.locator("div.solution.dropdown, details.solution, details.toggle-details")
    assert solutions.count() >= SOLUTIONS.get(doc, 0)
    if solutions.count():
        words = solutions.first.locator(".section, .cell, p").last
        assert not words.is_visible(), "a solution is in sight before it is asked for"


def test_a_page_fits_a_narrow_screen_and_a_wide_one(listed):
    _, page, wrong = listed
    for size in (NARROW, WIDE):
        page.set_viewport_size(size)
        assert page.evaluate(OVERFLOW) == [], size
    assert wrong == []


FIGURES = """() => [...document.querySelectorAll('figure.plot')].flatMap(figure => {
    const shown = [...figure.querySelectorAll('.picture, .stacked')].find(n => n.checkVisibility());
    if (!shown) return [];  // in a closed solution, or an explorer stands for it
    const images = [...shown.querySelectorAll('img')].filter(n => n.checkVisibility());
    const scale = Math.min(...images.map(n => n.width / (shown.className === 'picture' ? n.naturalWidth / 2 : n.getAttribute('width'))));
    const edge = figure.closest('.bd-article').getBoundingClientRect().right + 1;
    return shown.scrollWidth > shown.clientWidth + 1 || shown.getBoundingClientRect().right > edge || scale < SCALE
        ? [`${figure.id}: ${shown.scrollWidth} of ${shown.clientWidth}, scale ${scale.toFixed(2)}`] : [];
})"""


def test_every_figure_fits_a_phone_with_letters_that_can_be_read(listed):
    """Some 33 of 89 scrolled sideways. On pages of evidence letters may be smaller."""
    doc, page, _ = listed
    page.set_viewport_size(NARROW)
    scale = "0.5" if doc.endswith("/evidence") else "0.62"
    too_wide = FIGURES.replace("SCALE", scale)
    end = time.monotonic() + 5  # a narrow picture takes the place of the wide one a moment later
    while (found := page.evaluate(too_wide)) and time.monotonic() < end:
        page.wait_for_timeout(50)
    assert found == []


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
    assert set(page.evaluate(GROUNDS)) <= {"rgba(0, 0, 0, 0)"}, "a figure has a light ground"


@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_the_home_page_says_all_on_one_screen(open_page, size):
    page, _ = open_page("chapters/index", viewport=size)
    for part in (".home", ".doors"):
        box = page.locator(part).first.bounding_box()
        assert box["y"] + box["height"] <= size["height"]


def test_a_barrier_would_be_seen(chromium, tmp_path):
    page = tmp_path / "page.html"
    page.write_text(
        "<html lang='en'><title>A page</title><h1>A page</h1><main><img src='data:,'>"
        "<p style='color: #999; background: #fff'>pale</p><p>A text.</p>"
        "<div style='background: #222'><p>A text on another ground.</p></div></main></html>",
        "utf-8",
    )
    tab, _ = opened(chromium, page.as_uri())
    assert "image-alt" in " ".join(barriers(tab, RULES))
    found = Axe().run(tab, None, COLOURS).response["violations"]
    assert [len(v["nodes"]) for v in found] == [2]
    (said,) = faint(tab)
    assert said.startswith("color-contrast: ") is said.endswith("(2)") is True
    tab.context.close()


def phone_with(chromium, html: str, wide: int):
    """A page with the book's style and script, and ``html`` in it."""
    page, _ = opened(chromium, "about:blank", viewport={"width": wide, "height": 844})
    page.set_content(
        f"<!doctype html><style>{CSS.read_text(encoding='utf-8')} .only-dark {{display: none !important}}</style>"
        f"<script>{SCRIPT.read_text(encoding='utf-8')}</script>"
        f"<body style='margin: 0 20px'><main class='bd-article bd-content'>{html}</main></body>"
    )
    return page


@pytest.mark.parametrize("wide", [390, 320, 1280])
def test_panels_of_a_picture_stand_below_each_other_on_a_phone(chromium, wide):
    """Each had to be looked for by scrolling, and its letters were small."""
    with plt.style.context(STYLE):
        fig, grid = panels((8.6, 4.4), (2, 3), "budget", "value", sharex=True, sharey=True)
        for ax in grid.flat:
            ax.plot([1, 2], label="a line")
        legend(fig)
        fig.supylabel("a label at the side")
        html = figure_html(fig, "A caption", "a picture of six panels")
    page = phone_with(chromium, html, wide)
    found = page.evaluate(
        """() => ({
        panels: [...document.querySelectorAll('.stacked > .piece')].map(n => n.getBoundingClientRect().top),
        words: document.querySelectorAll('.entries > .piece').length,
        scale: document.querySelector('.crop img')?.width,
        alt: document.querySelector('.stacked')?.ariaLabel,
        picture: getComputedStyle(document.querySelector('.picture')).display})"""
    )
    over = page.evaluate(OVERFLOW)
    page.context.close()
    assert over == []
    if wide == 1280:
        assert (found["panels"], found["picture"]) == ([], "block")
        return
    tops = found.pop("panels")
    assert len(tops) == 6
    assert tops == sorted(set(tops))
    told = {"words": 2, "scale": 860, "alt": "a picture of six panels", "picture": "none"}
    assert found == told


def test_code_that_wraps_on_a_phone_keeps_its_indentation_and_its_text(chromium):
    """The rest of a line began at the margin, as if it were in no block."""
    code = f"if x:\n    y = call({'argument, ' * 12})\nz"
    page = phone_with(chromium, f'<div class="highlight"><pre>{code}\n</pre></div>', 390)
    text, lefts, least = page.evaluate(
        """() => { const text = document.querySelector('pre').textContent, lines = [...document.querySelectorAll('.code-line')], range = document.createRange();
        const boxes = (line) => { range.selectNodeContents(line); return [...range.getClientRects()].map(b => b.left); };
        const start = boxes(lines[0])[0], probe = document.createElement('span');
        probe.textContent = '    '; lines[0].append(probe);
        return [text, boxes(lines[1]).slice(1), start + probe.getBoundingClientRect().width]; }"""
    )
    page.context.close()
    assert text == f"{code}\n"
    assert len(lefts) >= 2
    assert min(lefts) >= least


@pytest.mark.parametrize(("wide", "drawn"), [(390, 350), (1280, 640)])
def test_a_picture_is_drawn_for_the_phone_that_shows_it(chromium, wide, drawn):
    """Letters were too small to read, or the right half was out of sight."""
    with plt.style.context(STYLE):
        fig, ax = plt.subplots(figsize=(6.4, 3))
        ax.plot([1, 2])
        html = figure_html(fig, "A caption", "a picture of one line")
    page = phone_with(chromium, html, wide)
    found = page.evaluate(
        """() => { const image = document.querySelector('.picture img'), box = image.parentElement.parentElement;
        return [image.naturalWidth / 2, box.scrollWidth - box.clientWidth]; }"""
    )
    page.context.close()
    assert found == [drawn, 0]


FOUND = [("GRR", "ldp/protocols"), ("papermill", "front/reading")]


@pytest.mark.parametrize(("word", "expected"), FOUND)
def test_search_finds_a_page(open_page, word, expected):
    page, wrong = open_page("search", f"?q={word}")
    found = f"#search-results li:has(a[href*='{expected}'])"
    page.wait_for_selector(f"{found} p.context", timeout=20_000)
    excerpt = page.locator(f"{found} p.context").first.inner_text()
    assert word.lower() in excerpt.lower()
    settle((page, wrong))
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
