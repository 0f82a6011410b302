"""Decks: what the book computes comes from the book; every slide opens and fits."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from course.sessions import sessions
from course.slides import (
    chromium,
    deck,
    pages_of,
    render,
    to_html,
    write_pdf,
    write_slides,
)

ALL = sessions()


def executed(folder: Path) -> Path:
    """A book of one page, executed: a number and a figure."""
    figure = (
        '<figure class="plot" id="fig-one"><img alt="a line" src="data:," width="6">'
        "<figcaption><strong>It falls.</strong> Seed 1.5. No data.</figcaption></figure>"
    )
    glued = nbformat.v4.new_output(
        "display_data", {"text/plain": "'5 < 7'"}, metadata={"scrapbook": {"name": "count"}}
    )
    drawn = nbformat.v4.new_output("display_data", {"text/html": figure})
    path = folder / "chapters" / "one" / "page.ipynb"
    path.parent.mkdir(parents=True)
    cell = nbformat.v4.new_code_cell("", outputs=[glued, drawn])
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    return folder


def test_numbers_and_figures_are_those_of_the_executed_page(tmp_path, monkeypatch):
    book, body = (
        executed(tmp_path),
        "{figure}`one/page:fig-one`\n\n**{number}`one/page:count`** of $x<y$",
    )
    html = to_html(f"{body}\n\n. . .\n\n![two words](drawings/a.svg)", book)
    assert "<strong>5 &lt; 7</strong> of" in html
    assert r"\(x&lt;y\)" in html
    assert '<img src="data:," alt="a line"><figcaption>Seed 1.5. No data. <cite>' in html
    assert (
        '<figure role="group"><img src="drawings/a.svg" alt="two words"'
        in html.split("fragment")[1]
    )
    for kind in ("number", "figure"):
        with pytest.raises(ValueError, match=f"{kind} of one/page must be one of .*, got 'gone'"):
            to_html(f"{{{kind}}}`one/page:gone`", book)
    with pytest.raises(FileNotFoundError, match="run `make book` first"):
        to_html("{number}`one/other:count`", book)
    with pytest.raises(ValueError, match="session must be one of 1, 2, 3, 4, 5, 6, got 7"):
        write_slides([7], tmp_path)
    monkeypatch.setattr("course.slides.DECKS", tmp_path)
    (tmp_path / "1.md").write_text(f"## One\n\n{body}\n\nNotes:\nWhy?\n", "utf-8")
    page = render(ALL[0], book)
    assert page.count("<section") == 3
    assert page.count("CC BY 4.0 · course/slides/1.md") == 3
    (tmp_path / "1.md").write_text("## One\n\nno notes\n", "utf-8")
    with pytest.raises(ValueError, match="slide of session 1 must be a heading"):
        deck(ALL[0])


# what sticks out of the slide, or of the part of it that is between title and foot
OVERFLOW = """(index) => {
    Reveal.slide(index);
    const slide = Reveal.getCurrentSlide(), low = slide.querySelector('.place').getBoundingClientRect().top;
    return [...slide.querySelectorAll('h1, h2, .body *')].filter(n => !n.ownerSVGElement && !n.closest('mjx-assistive-mml'))
        .filter(n => { const r = n.getBoundingClientRect();
            return r.width && (r.left < 0 || r.top < 0 || r.right > innerWidth + .5 || r.bottom > low + 8
                || n.scrollWidth > n.clientWidth + 1 && getComputedStyle(n).display !== 'inline' && n.clientWidth)
                || n.tagName === 'IMG' && !n.naturalWidth; })
        .map(n => `${n.tagName} ${n.textContent.slice(0, 40)}`);
}"""


@pytest.mark.browser
@pytest.mark.skipif(chromium() is None, reason="no Chromium on this machine")
def test_every_slide_opens_and_fits_and_is_printed(tmp_path):
    """From the chapters that the last build executed."""
    playwright = pytest.importorskip("playwright.sync_api")
    try:
        written = write_slides(folder=tmp_path)
    except FileNotFoundError:
        pytest.skip("no book is built: make book")
    with playwright.sync_playwright() as program:
        browser = program.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1280, "height": 720})
        wrong: list[str] = []
        tab.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        for path, session in zip(written, ALL, strict=True):
            tab.goto(path.as_uri())
            tab.wait_for_function("() => window.Reveal && Reveal.isReady && Reveal.isReady()")
            slides = deck(session)
            assert tab.evaluate("Reveal.getTotalSlides()") == len(slides)
            found = {slide.title: tab.evaluate(OVERFLOW, i) for i, slide in enumerate(slides)}
            assert {title: what for title, what in found.items() if what} == {}
        browser.close()
    assert wrong == []
    pdf = write_pdf(written[1], chromium())
    assert pages_of(pdf) == len(deck(ALL[1]))
    assert b"/StructTreeRoot" in pdf.read_bytes()
