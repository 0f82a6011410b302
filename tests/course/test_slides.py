"""Decks say one thing a slide, with notes; what the book computes comes from the book."""

from __future__ import annotations

import base64
import io
import json
import re
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest
from matplotlib import pyplot as plt
from matplotlib import rc_context
from matplotlib.text import Text
from PIL import Image

from course.drawings import DRAWINGS, LARGE, draw
from course.pictures import shown, with_files
from course.plans import clock, plans, write_plans
from course.sessions import sessions
from course.slides import DECKS, Slide, deck, imprint, references, render, to_html, write_slides
from lib.pages.chapter import STYLE
from lib.paths import CHAPTERS
from tests.press.measure import LONGEST_SENTENCE, sentences

ALL = sessions()
by_number = pytest.mark.parametrize("session", ALL, ids=lambda s: f"session {s.number}")
FIGURE = (
    '<figure class="plot" id="fig-one"><div class="picture">'
    '<img class="only-light" src="data:image/png;base64,AA==" alt="a line that falls to 0.5"'
    ' width="600" height="400"><img class="only-dark" src="data:," alt="dark"></div>'
    "<figcaption><strong>A line falls.</strong> Simulated, seed 1.5. No data.</figcaption></figure>"
)


@pytest.fixture
def executed(tmp_path) -> Path:
    """A book of one page, executed: a number and a figure."""
    glued = nbformat.v4.new_output(
        "display_data", {"text/plain": "'5 < 7'"}, metadata={"scrapbook": {"name": "count"}}
    )
    drawn = nbformat.v4.new_output("display_data", {"text/html": FIGURE})
    path = tmp_path / "executed" / "chapters" / "one" / "page.ipynb"
    path.parent.mkdir(parents=True)
    cell = nbformat.v4.new_code_cell("", outputs=[glued, drawn])
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    return tmp_path / "executed"


# --- the decks -----------------------------------------------------------------------------------


@by_number
def test_a_deck_fills_ninety_minutes_with_one_message_a_slide(session):
    slides = deck(session)
    assert 12 <= len(slides) <= 24
    for slide in slides:
        assert 2 <= len(slide.title.split()) <= 16
        assert len(slide.notes.split()) >= 8


@by_number
def test_the_plan_goes_through_the_deck_once(session):
    ranges = [tuple(map(int, row["slides"].split("-"))) for row in session.plan]
    assert ranges[0][0] == 1
    assert ranges[-1][1] == len(deck(session))
    for (_, end), (start, _) in pairwise(ranges):
        assert start in (end, end + 1)


@by_number
def test_the_deck_has_the_figures_and_the_live_runs_of_the_session(session):
    slides = deck(session)
    taken = {(page, name) for slide in slides for kind, page, name in references(slide)}
    assert {(f["page"], f["name"]) for f in session.figures} <= taken
    words = "\n".join(f"{slide.body}\n{slide.notes}" for slide in slides)
    for run in session.live:
        assert f"python -m lib rerun {run['run']}" in words


@by_number
def test_a_figure_of_a_deck_is_one_that_its_page_draws(session):
    for slide in deck(session):
        for kind, page, name in references(slide):
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
    """In each row of the plan: for tasks, questions and live runs."""
    slides, before = deck(session), 0
    for row in session.plan:
        start, end = map(int, row["slides"].split("-"))
        said = sum(map(minutes_said, slides[max(start - 1, before) : end]))
        before = end
        assert 3 * said <= row["minutes"], row["do"]


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_drawing_says_what_it_shows_in_letters_for_the_last_row(name):
    """A drawing stands on a slide in its own size, or is scaled to the room that it has there."""
    content, _, alt = draw(name)
    assert len(alt.split()) >= 15
    wide, high = (
        float(v) * 96 / 72 for v in re.findall(rb'(?:width|height)="([\d.]+)pt"', content)[:2]
    )
    scale = min(1, (1152 if wide > 800 else 770) / wide, 560 / high)
    with rc_context(), plt.style.context([STYLE, LARGE]):
        fig, _ = DRAWINGS[name]()
        sizes = [t.get_fontsize() for t in fig.findobj(Text) if t.get_visible() and t.get_text()]
        plt.close(fig)
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


def test_a_slide_takes_one_piece_of_a_figure(executed, tmp_path):
    """The upper piece of a picture of 6 by 8 pixels of a page, and the label below all."""
    packed = io.BytesIO()
    picture = Image.new("RGBA", (12, 16))  # without ground, as the book's figures are
    picture.paste("red", (0, 0, 12, 4))
    picture.paste("blue", (0, 12, 12, 16))
    picture.save(packed, "PNG")
    code = base64.b64encode(packed.getvalue()).decode()
    cut = 'data-pieces="[[[[0,0,6,4]],[[2,6,2,2]]],[[[0,4,6,2]]]]"'
    source = FIGURE.replace('class="picture"', f'class="picture" {cut}').replace("AA==", code)
    path = executed / "chapters" / "one" / "page.ipynb"
    path.write_text(
        path.read_text("utf-8").replace(json.dumps(FIGURE), json.dumps(source)), "utf-8"
    )
    with_files("{figure}`one/page:fig-one#0`", executed, tmp_path)
    piece = Image.open(tmp_path / "pictures" / "fig-one0.png")
    assert piece.size == (12, 12)
    colours = [piece.getpixel((5, y)) for y in (1, 6, 10)]
    assert colours == [(255, 0, 0), (255, 255, 255), (0, 0, 255)]


def test_an_edited_deck_is_rendered_with_its_pictures(executed, tmp_path):
    """The text that is written beside a deck holds numbers and links to files, and makes it."""
    body = "## A line\n\n{figure}`one/page:fig-one`\n\n{number}`one/page:count`\n\n. . .\n\nso\n\n"
    (tmp_path / "1.md").write_text(f"{body}{{drawing}}`coin`\n\nNotes:\nWhy?\n", encoding="utf-8")
    text = with_files((tmp_path / "1.md").read_text(encoding="utf-8"), executed, tmp_path / "out")
    assert "![a line that falls to 0.5](pictures/fig-one.png" in text
    assert "5 < 7" in text
    (tmp_path / "out" / "1.md").write_text(text, encoding="utf-8")
    first, again = (render(ALL[0], executed, folder) for folder in (tmp_path, tmp_path / "out"))
    pictures = re.findall(r'<img src="data:[^"]*" alt="[^"]*">', first)
    assert len(pictures) == 2
    assert re.findall(r'<img src="data:[^"]*" alt="[^"]*">', again) == pictures
    assert again.count('class="fragment"') == 1


TYPED = re.compile(r"(?<![ερα=±R] )(?<![\d.−])\d+\.\d+|\d+%")
GIVEN = {
    "0.1%",
    "80%",
    "20%",
    "1%",
    "5%",
    "10%",
    "2%",
    "0.1",
    "0.4",
    "95%",
    "−0.02",
    "1.561",
    "0.5",
    "0.01",
}


@by_number
def test_no_slide_types_a_number_that_the_book_computes(session):
    """Settings, the paper's own numbers and everyday shares may be typed; results may not."""
    for slide in deck(session):
        text = re.sub(r"\{\w+\}`[^`]*`|`[^`]*`|\$[^$]*\$|ε = [\d.]+", "", slide.title + slide.body)
        assert set(TYPED.findall(text)) <= GIVEN, slide.title


def test_a_typed_result_would_be_seen():
    assert TYPED.findall("the error is 0.0321 in 91% of the tables") == ["0.0321", "91%"]


@by_number
def test_slides_and_plans_are_in_short_sentences(session):
    texts = [f"{s.title}\n\n{s.body}\n\n{s.notes}" for s in deck(session)]
    texts += [session.closing["answer"], *session.evening, *(row["do"] for row in session.plan)]
    long = [s for text in texts for s in sentences(text) if len(s.split()) > LONGEST_SENTENCE]
    assert long == []


# --- what comes from the book --------------------------------------------------------------------


def test_numbers_and_figures_are_those_of_the_executed_page(executed):
    html = to_html("**{number}`one/page:count`** of $x<y$\n\n{figure}`one/page:fig-one`", executed)
    assert "<strong>5 &lt; 7</strong> of" in html
    assert r"\(x&lt;y\)" in html
    assert 'alt="a line that falls to 0.5"' in html
    assert "only-dark" not in html
    assert "<figcaption>Simulated, seed 1.5. No data." in html


@pytest.mark.parametrize("kind", ["number", "figure"])
def test_a_name_that_the_page_does_not_have_is_refused(executed, kind):
    with pytest.raises(ValueError, match=rf"{kind} of one/page must be one of .*, got 'gone'"):
        to_html(f"{{{kind}}}`one/page:gone`", executed)


def test_without_a_book_the_error_says_what_to_run(tmp_path):
    with pytest.raises(FileNotFoundError, match="run `make book` first"):
        write_slides([1], tmp_path / "out", tmp_path)
    assert not (tmp_path / "out").exists()


def test_a_slide_without_notes_is_refused(tmp_path):
    text = (DECKS / "1.md").read_text(encoding="utf-8")
    (tmp_path / "1.md").write_text(text.replace("Notes:", "", 1), encoding="utf-8")
    with pytest.raises(ValueError, match="slide of session 1 must be a heading"):
        deck(ALL[0], tmp_path)


def test_a_figure_stands_beside_the_words_of_its_slide(executed, tmp_path):
    body = "## A line falls\n\n{figure}`one/page:fig-one`\n\n- it falls\n\nNotes:\nWhy?\n"
    (tmp_path / "1.md").write_text(body, encoding="utf-8")
    page = render(ALL[0], executed, tmp_path)
    assert page.count("<section") == 3
    assert '<div class="body beside">\n<figure role="group">' in page
    assert not re.findall(r'<(?!a )[^>]*(?:src|href)="(?:https?:)?//', page)
    assert shown("one/page", executed)["number"] == {"count": "5 < 7"}


# --- plans ---------------------------------------------------------------------------------------


@by_number
def test_the_plans_have_all_that_the_lecturer_needs(session):
    text = re.sub(r"&\w+;|&#\d+;|[\"'<>]", "", re.sub("<[^>]*>", "", plans()))
    plain = [session.closing["answer"], *session.evening, *(row["do"] for row in session.plan)]
    for words in plain:
        assert re.sub(r"[\"'<>*`]", "", words)[-40:] in text
    rows = clock(session)
    assert [row["end"] - row["start"] for row in rows] == [row["minutes"] for row in rows]


def test_the_plans_are_one_file_without_roles(tmp_path):
    text = write_plans(tmp_path / "teacher").read_text(encoding="utf-8")
    assert "{doc}" not in text
    assert "{term}" not in text
    assert "sample answers" in text
