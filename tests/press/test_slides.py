"""The decks as a lecturer sees them: in Chromium at 1280 x 720, from files, and printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from course.assignment import read_all
from course.sessions import COURSE, sessions
from course.slides import chromium as printer
from course.slides import deck, pages_of, write_pdf, write_slides
from lib.files import read_yaml
from tests.press.test_browser import RAW_MATH, barriers, opened

pytestmark = pytest.mark.browser
ALL = sessions()
SCREEN = {"viewport": {"width": 1280, "height": 720}}
READY = "() => window.Reveal && Reveal.isReady && Reveal.isReady()"
# what sticks out of the slide, or of the part of it that is between title and foot
OVERFLOW = """(index) => {
    Reveal.slide(index);
    const slide = Reveal.getCurrentSlide(), low = slide.querySelector('.place').getBoundingClientRect().top;
    const words = (n) => `${n.tagName} ${n.getAttribute('class') || ''} ${n.textContent.slice(0, 40)}`;
    return [...slide.querySelectorAll('h1, h2, .body *')].filter(n => !n.ownerSVGElement && !n.closest('mjx-assistive-mml'))
        .filter(n => { const r = n.getBoundingClientRect();
            return r.width && (r.left < 0 || r.top < 0 || r.right > innerWidth + .5 || r.bottom > low + 8
                || n.scrollWidth > n.clientWidth + 1 && getComputedStyle(n).display !== 'inline' && n.clientWidth); })
        .map(words);
}"""

# pixels of the smallest letters of all slides: words, and ticks (12.5 of the book's own) of figures, which are
# pictures of twice their size
SMALLEST = """() => {
    const walk = document.createTreeWalker(document.querySelector('.slides'), NodeFilter.SHOW_TEXT), found = [];
    while (walk.nextNode()) {
        const n = walk.currentNode.parentElement;
        if (walk.currentNode.data.trim() && !n.closest('aside, mjx-container'))
            found.push([parseFloat(getComputedStyle(n).fontSize), n.textContent.slice(0, 40)]);
    }
    for (const i of document.querySelectorAll('img[src^="data:image/png"]'))
        found.push([12.5 * i.getBoundingClientRect().height / (i.naturalHeight / 2), i.alt.slice(0, 40)]);
    return found.filter(([pixels]) => pixels < 16);
}"""


@pytest.fixture(scope="module")
def decks(html, tmp_path_factory) -> list[Path]:
    """All decks, made from the chapters that the book was rendered from."""
    return write_slides(folder=tmp_path_factory.mktemp("slides"))


@pytest.fixture(scope="module", params=ALL, ids=lambda s: f"session {s.number}")
def shown(request, chromium, decks):
    """A deck in Chromium."""
    page, wrong = opened(chromium, decks[request.param.number - 1].as_uri(), **SCREEN)
    page.wait_for_function(READY)
    yield request.param, page, wrong
    page.context.close()


def test_every_slide_fits_the_screen(shown):
    session, page, wrong = shown
    slides = deck(session)
    assert page.evaluate("Reveal.getTotalSlides()") == len(slides)
    assert page.evaluate("Reveal.getScale()") == 1
    found = {slide.title: page.evaluate(OVERFLOW, i) for i, slide in enumerate(slides)}
    assert {title: what for title, what in found.items() if what} == {}
    assert page.evaluate(RAW_MATH) == []
    assert wrong == []


def test_the_window_of_the_speaker_shows_slides_and_notes(decks, chromium):
    tab, wrong = opened(chromium, decks[0].as_uri(), **SCREEN)
    tab.wait_for_function(READY)
    with tab.expect_popup() as opening:
        tab.keyboard.press("s")
    view = opening.value
    view.on("console", lambda m: wrong.see(0, m.text) if m.type == "error" else None)
    view.locator(".speaker-controls-notes .value").wait_for()
    assert "What we are after today" in view.locator(".speaker-controls-notes").inner_text()
    assert view.locator("iframe").count() == 2
    assert wrong == []
    tab.context.close()


def test_a_deck_has_no_serious_barrier(shown):
    """All its slides at once, as they are printed; each figure has the book's alternative text."""
    _, page, _ = shown
    alts = page.evaluate("() => [...document.images].map(i => i.alt.trim().length)")
    assert min(alts) >= 20
    page.goto(page.url.split("#")[0] + "?print")
    page.wait_for_selector("html.print")
    assert page.evaluate(SMALLEST) == []
    assert barriers(page, {"resultTypes": ["violations"]}) == []


def test_a_slide_that_is_too_full_would_be_seen(chromium, decks, tmp_path):
    words, page = '<div class="words">', decks[0].with_name("full.html")
    text = decks[0].read_text("utf-8").replace(words, words + "<p>more</p>" * 30)
    page.write_text(text.replace("<h1>", "<h1>" + "w" * 80, 1), "utf-8")
    tab, _ = opened(chromium, page.as_uri(), **SCREEN)
    tab.wait_for_function(READY)
    assert any("H1" in what for what in tab.evaluate(OVERFLOW, 0))
    assert any("more" in what for what in tab.evaluate(OVERFLOW, 3))
    tab.context.close()
    page.unlink()


def test_a_deck_is_printed_one_page_a_slide(decks):
    program = printer()
    if program is None:
        pytest.skip("no Chromium on this machine (apt install chromium): nothing is printed")
    pdf, source = write_pdf(decks[0], program), decks[0].read_text("utf-8")
    assert pages_of(pdf) == len(deck(ALL[0]))
    tagged = pdf.read_bytes()
    assert b"/StructTreeRoot" in tagged
    assert re.search(rb"/Lang ?\(en", tagged)
    slides = source[: source.index("</main>")]
    formulas = len(re.findall(r"\\[([]", re.sub(r"<aside.*?</aside>", "", slides, flags=re.S)))
    assert formulas > 10
    assert tagged.count(b"/Alt") == slides.count("<img ") + formulas
    assert len(re.findall(rb"/S ?/Figure", tagged)) == tagged.count(b"/Alt")


def test_the_public_book_has_the_syllabus_and_nothing_of_the_lecturers(html):
    """Neither pages nor their sources, notebooks or the index of the search."""
    secrets = [words[:40] for s in ALL for words in (s.closing["answer"], s.plan[0]["do"])]
    secrets += [item["text"][:50] for item in read_yaml(COURSE / "bank.yml", dict)["items"]]
    for assignment in read_all():
        secrets += [test for task in assignment.tasks.values() for test in task.tests]
        for written in assignment.info["rubric"].values():
            secrets += [sample["text"][:60] for sample in written["samples"]]
    assert len(secrets) > 150
    kinds = (".html", ".js", ".ipynb", ".md", ".txt")
    public = [f.read_text("utf-8", "replace") for f in html.rglob("*") if f.suffix in kinds]
    assert [words for words in secrets if any(words in text for text in public)] == []
    assert all(any(session.objectives[0] in text for text in public) for session in ALL)
