"""Decks say one thing a slide, with notes; what the book computes comes from the book."""

from __future__ import annotations

import base64
import io
import re

import pytest
from matplotlib import pyplot as plt
from matplotlib.text import Text
from PIL import Image

from course.drawings import DRAWINGS, LARGE, draw
from course.pictures import REFERENCE, with_files
from course.plans import clock, write_plans
from course.sessions import sessions
from course.slides import Slide, deck, imprint, render, to_html
from lib.pages.chapter import STYLE
from lib.paths import CHAPTERS
from tests.course.grading import FIGURE, executed

ALL = sessions()
by_number = pytest.mark.parametrize("session", ALL, ids=lambda s: f"session {s.number}")
IMAGE = re.compile(r'<img src="data:[^"]*" alt="[^"]*">')


@by_number
def test_the_deck_has_the_figures_and_the_live_runs_of_the_session(session):
    """Each figure that it takes is one that its page draws, and each drawing is there."""
    words = "\n".join(f"{s.title}\n{s.body}\n{s.notes}" for s in deck(session))
    taken = {(page, name) for _, page, name, _ in REFERENCE.findall(words)}
    assert {(f["page"], f["name"]) for f in session.figures} <= taken
    for run in session.live:
        assert f"python -m lib rerun {run['run']}" in words
    for kind, page, name, _ in REFERENCE.findall(words):
        if kind == "drawing":
            assert page in DRAWINGS
            continue
        source = (CHAPTERS / f"{page}.md").read_text(encoding="utf-8")
        assert kind == "number" or f'name="{name}"' in source, (page, name)


def words_shown(slide: Slide) -> int:
    """Words of a body that an audience reads; a number or a formula is one, a picture none."""
    text = re.sub(r"\{(?:figure|drawing)\}`[^`]*`|^\. \. \.$|[-|]{3,}", "", slide.body, flags=re.M)
    text = re.sub(r"\$\$.*?\$\$|\$.*?\$|\{number\}`[^`]*`", " x ", text, flags=re.S)
    return sum(bool(re.search(r"\w", word)) for word in text.split())


@by_number
def test_a_deck_shows_more_than_it_tells(session):
    """At most 35 words on a slide; on two slides in three a picture, or formulas in steps."""
    slides = deck(session)
    assert 12 <= len(slides) <= 24
    for slide in slides:
        assert 2 <= len(slide.title.split()) <= 16
        assert len(slide.notes.split()) >= 8
    assert {s.title: words_shown(s) for s in slides if words_shown(s) > 35} == {}
    shows = re.compile(r"\{figure\}|\{drawing\}|^\. \. \.$.*?\$\$", re.M | re.S)
    telling = [s.title for s in slides if not shows.search(s.body)]
    assert 3 * len(telling) <= len(slides), telling


def minutes_said(slide: Slide) -> float:
    """Minutes to say a slide and its notes at 120 words a minute, and 5 seconds for each build."""
    words = words_shown(slide) + len(f"{slide.title} {slide.notes}".split())
    return words / 120 + len(re.findall(r"^\. \. \.$", slide.body, re.M)) / 12


@by_number
def test_what_is_said_leaves_two_thirds_of_the_minutes_to_the_class(session):
    """In each row of the plan, which goes through the deck once: for tasks and live runs."""
    slides, before = deck(session), 0
    for row in session.plan:
        start, end = map(int, row["slides"].split("-"))
        assert start in {max(before, 1), before + 1}
        said = sum(map(minutes_said, slides[max(start - 1, before) : end]))
        before = end
        assert 3 * said <= row["minutes"], row["do"]
    assert before == len(slides)


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_drawing_says_what_it_shows_in_letters_for_the_last_row(name):
    """A drawing stands on a slide in its own size, or is scaled to the room that it has there."""
    content, _, alt = draw(name)
    assert len(alt.split()) >= 15
    sizes = re.findall(rb'(?:width|height)="([\d.]+)pt"', content)[:2]
    wide, high = (float(size) * 96 / 72 for size in sizes)
    scale = min(1, (1152 if wide > 800 else 770) / wide, 560 / high)
    with plt.style.context([STYLE, LARGE]):
        fig, _ = DRAWINGS[name]()
        sizes = [t.get_fontsize() for t in fig.findobj(Text) if t.get_visible() and t.get_text()]
    assert min(sizes) * 96 / 72 * scale >= 16


@by_number
def test_each_slide_names_author_licence_and_source(session, monkeypatch):
    monkeypatch.setattr("course.slides.filled", lambda text, *_: text)
    page = render(session)
    feet = re.findall(r'<p class="place">(.*?)</p>', page, re.S)
    assert len(feet) == len(deck(session))
    said = f"{imprint()['authors']} · CC BY 4.0 · course/slides/{session.number}.md"
    assert all(said in foot for foot in feet)
    assert 'rel="license">CC BY 4.0</a>' in page.rpartition("<section")[2]


TYPED = re.compile(r"(?<![ερα=±R] )(?<![\d.−])\d+\.\d+|\d+%")
GIVEN = set("0.1% 80% 20% 1% 5% 10% 2% 0.1 0.4 95% −0.02 1.561 0.5 0.01".split())


@by_number
def test_no_slide_types_a_number_that_the_book_computes(session):
    """Settings, the paper's own numbers and everyday shares may be typed; results may not."""
    assert TYPED.findall("the error is 0.0321 in 91% of the tables") == ["0.0321", "91%"]
    for slide in deck(session):
        text = re.sub(r"\{\w+\}`[^`]*`|`[^`]*`|\$[^$]*\$|ε = [\d.]+", "", slide.title + slide.body)
        assert set(TYPED.findall(text)) <= GIVEN, slide.title


# --- what comes from the book --------------------------------------------------------------------


def test_a_slide_takes_one_piece_of_a_figure(tmp_path):
    """The upper piece of a picture of 6 by 8 pixels of a page, and the label below all."""
    packed = io.BytesIO()
    picture = Image.new("RGBA", (12, 16))  # without ground, as the book's figures are
    picture.paste("red", (0, 0, 12, 4))
    picture.paste("blue", (0, 12, 12, 16))
    picture.save(packed, "PNG")
    code = base64.b64encode(packed.getvalue()).decode()
    cut = 'data-pieces="[[[[0,0,6,4]],[[2,6,2,2]]],[[[0,4,6,2]]]]"'
    figure = FIGURE.replace('class="picture"', f'class="picture" {cut}').replace("AA==", code)
    with_files("{figure}`one/page:fig-one#0`", executed(tmp_path, figure), tmp_path)
    piece = Image.open(tmp_path / "pictures" / "fig-one0.png")
    assert piece.size == (12, 12)
    colours = [piece.getpixel((5, y)) for y in (1, 6, 10)]
    assert colours == [(255, 0, 0), (255, 255, 255), (0, 0, 255)]


def test_an_edited_deck_is_rendered_with_its_pictures(tmp_path):
    """The text that is written beside a deck holds numbers and links to files, and makes it."""
    book = executed(tmp_path)
    body = "## A line\n\n{figure}`one/page:fig-one`\n\n{number}`one/page:count`\n\n. . .\n\nso\n\n"
    (tmp_path / "1.md").write_text(f"{body}{{drawing}}`coin`\n\nNotes:\nWhy?\n", encoding="utf-8")
    text = with_files((tmp_path / "1.md").read_text(encoding="utf-8"), book, tmp_path / "out")
    assert "![a line that falls to 0.5](pictures/fig-one.png" in text
    assert "5 < 7" in text
    (tmp_path / "out" / "1.md").write_text(text, encoding="utf-8")
    first, again = (render(ALL[0], book, folder) for folder in (tmp_path, tmp_path / "out"))
    assert len(IMAGE.findall(first)) == 2
    assert IMAGE.findall(again) == IMAGE.findall(first)
    assert again.count('class="fragment"') == 1
    assert first.count("<section") == 3
    assert '<div class="body beside">\n<figure role="group">' in first
    assert not re.findall(r'<(?!a )[^>]*(?:src|href)="(?:https?:)?//', first)


def test_numbers_and_figures_are_those_of_the_executed_page(tmp_path):
    text = "**{number}`one/page:count`** of $x<y$\n\n{figure}`one/page:fig-one`"
    html = to_html(text, executed(tmp_path))
    assert "<strong>5 &lt; 7</strong> of" in html
    assert r"\(x&lt;y\)" in html
    assert 'alt="a line that falls to 0.5"' in html
    assert "only-dark" not in html
    assert "<figcaption>Simulated, seed 1.5. No data." in html


# --- plans ---------------------------------------------------------------------------------------


@by_number
def test_the_plans_have_all_that_the_lecturer_needs(session, tmp_path):
    """On one page, without roles of MyST."""
    page = write_plans(tmp_path / "teacher").read_text(encoding="utf-8")
    assert not re.findall(r"\{\w+\}`", page)
    text = re.sub(r"&\w+;|&#\d+;|[\"'<>]", "", re.sub("<[^>]*>", "", page))
    assert "sample answers" in text  # it is for the lecturer only, and says so
    plain = [session.closing["answer"], *session.evening, *(row["do"] for row in session.plan)]
    for words in plain:
        assert re.sub(r"[\"'<>*`]", "", words)[-40:] in text
    rows = clock(session)
    assert [row["end"] - row["start"] for row in rows] == [row["minutes"] for row in rows]
