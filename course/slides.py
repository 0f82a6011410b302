"""Slides of a session: HTML that opens from a file, and a PDF where there is a Chromium.

A deck is ``course/slides/N.md``: slides between lines of ``---``, each a heading, words and, after
a line ``Notes:``, what the lecturer says. ``{figure}`page:name``` alone on a line is a figure of
the book, ``{number}`page:name``` a number of its text. Both are read from the chapters as the last
build executed them, so slides show what the book shows.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import metadata
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from course.sessions import COURSE, TEMPLATES, Session, sessions
from lib import validate
from lib.files import template, write_whole
from lib.paths import BUILD, CHAPTERS
from lib.processes import run_program
from press.failures import failures
from press.policy import FRAMES, with_policy
from press.stage import mathjax
from press.toc import glued_texts, read_notebook

DECKS = COURSE / "slides"
EXECUTED = BUILD / "executed" / "quick"
OUT = BUILD / "slides"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
_REFERENCE = re.compile(r"\{(figure|number)\}`([\w/-]+):([\w-]+)`")


@dataclass(frozen=True)
class Slide:
    """Title (one message), body and notes, in Markdown."""

    title: str
    body: str
    notes: str


def deck(session: Session, folder: Path = DECKS) -> list[Slide]:
    """The slides of a session: its question, those of its file, and its closing question.

    Raises
    ------
    ValueError
        If a slide has no title or no notes.
    """
    aims = "\n".join(f"- {objective}" for objective in session.objectives)
    slides = [Slide(session.title, f"*{session.question}*", f"What we are after today:\n\n{aims}")]
    text = (folder / f"{session.number}.md").read_text(encoding="utf-8")
    for part in re.split(r"^---$", text, flags=re.M):
        found = re.fullmatch(r"\s*## (.+?)\n(.*?)^Notes:(.+)", part, re.M | re.S)
        if not found:
            what = "a heading (##), a body and `Notes:`"
            raise validate.refusal(f"slide of session {session.number}", what, part.strip()[:80])
        slides.append(Slide(*map(str.strip, found.groups())))
    notes = "Everybody writes first. A sample answer is in your plan of this session."
    last = Slide("The question to take home", f"*{session.closing['question']}*", notes)
    return [*slides, last]


def references(slide: Slide) -> list[tuple[str, str, str]]:
    """Kind (``figure`` or ``number``), page and name of what a slide takes from the book."""
    return _REFERENCE.findall(f"{slide.title}\n{slide.body}\n{slide.notes}")


@cache
def shown(page: str, executed: Path = EXECUTED) -> dict[str, Any]:
    """Figures (HTML) and numbers of a page, by name, from the last build, and its failures.

    Raises
    ------
    FileNotFoundError
        If the book has not been built.
    """
    path = executed / "chapters" / f"{page}.ipynb"
    if not path.exists():
        raise FileNotFoundError(f"{path} is not there: run `make book` first")
    notebook = read_notebook(path)
    found: dict[str, Any] = {"figure": {}, "number": glued_texts(notebook)}
    found["failures"] = failures(notebook, f"chapters/{page}")
    for cell in notebook.cells:
        for out in cell.get("outputs", []):
            data = out.get("data", {})
            for name in re.findall(r'<figure class="plot" id="([^"]+)"', data.get("text/html", "")):
                found["figure"][name] = data["text/html"]
    return found


def _from_book(kind: str, page: str, name: str, executed: Path) -> str:
    """What a slide takes; of a figure the picture for a light ground, its alternative text, and
    what its caption says of data.
    """
    found = shown(page, executed)
    known = found[kind]
    if name not in known and found["failures"]:
        what = "one that the last build made"
        said = found["failures"][0]
        raise ValueError(f"{kind} of {page} must be {what}, got {name!r}; it failed: {said}")
    html = known[validate.choice(f"{kind} of {page}", name, known)]
    if kind == "number":
        return escape(html)
    picture = re.findall(r'<img class="only-light" (.*?)>', html)[0]
    caption = re.findall(r"<figcaption>(.*?)</figcaption>", html, re.S)[0]
    source = re.sub(r"^(<strong>.*?</strong>|.*?\.(?=\s))\s*", "", caption, flags=re.S)
    size = re.sub(r'\s(width|height)="\d+"', "", picture)
    words = f"<figcaption>{source} <cite>{escape(page)}</cite></figcaption>"
    return f"<figure><img {size}>{words}</figure>"


def _math(content: str, options: dict[str, Any]) -> str:
    start, end = (r"\[", r"\]") if options["display_mode"] else (r"\(", r"\)")
    return f"{start}{escape(content)}{end}"


@cache
def markdown() -> MarkdownIt:
    """Markdown with tables, and formulas as MathJax reads them."""
    return MarkdownIt("commonmark").enable("table").use(dollarmath_plugin, renderer=_math)


def to_html(text: str, executed: Path = EXECUTED) -> str:
    """Markdown with formulas, and what it takes from the book, as HTML."""
    filled = _REFERENCE.sub(lambda m: _from_book(m[1], m[2], m[3], executed), text)
    return markdown().render(filled)


def render(session: Session, executed: Path = EXECUTED, folder: Path = DECKS) -> str:
    """The page of one deck."""
    slides = []
    for slide in deck(session, folder):
        title = to_html(slide.title, executed).removeprefix("<p>").removesuffix("</p>\n")
        body = to_html(slide.body, executed)
        figure = re.search(r"(?:<p>)?(<figure>.*?</figure>)(?:</p>)?", body, re.S)
        words = body.replace(figure[0], "").strip() if figure else body
        parts = {"title": title, "figure": figure[1] if figure else "", "words": words}
        slides.append(parts | {"notes": to_html(slide.notes, executed)})
    page = template(TEMPLATES / "slides.html.j2").render(session=session, slides=slides) + "\n"
    view = carried()["speaker-view.html"].locate()
    return with_policy(page, Path(str(view)).read_text("utf-8"), more=FRAMES)


@cache
def carried() -> dict[str, metadata.PackagePath]:
    """The files of reveal.js, by name, from the package that carries it.

    Raises
    ------
    FileNotFoundError
        If it is not installed.
    """
    part = re.compile(r"_static/revealjs/(LICENSE|dist/[\w.]+|plugin/notes/[\w-]+\.(js|html))$")
    with suppress(metadata.PackageNotFoundError):
        listed = metadata.files("sphinx-revealjs") or []
        if found := {file.name: file for file in listed if part.search(file.as_posix())}:
            return found
    raise FileNotFoundError("reveal.js must be installed: run `make book` first")


def copy_assets(folder: Path) -> None:
    """Put reveal.js, MathJax, their licences, and the style and scripts of the slides into
    ``folder``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("reset.css", "reveal.css", "reveal.js", "notes.js", "LICENSE"):
        target = "licence-reveal.txt" if name == "LICENSE" else name
        shutil.copy(str(carried()[name].locate()), folder / target)
    shutil.copy(mathjax(), folder / "tex-svg.js")
    licence = CHAPTERS / "_static" / "licences" / "mathjax.txt"
    shutil.copy(licence, folder / "licence-mathjax.txt")
    for name in ("slides.css", "mathjax.js", "deck.js"):
        shutil.copy(TEMPLATES / name, folder)


def write_slides(
    numbers: Iterable[int] = range(1, 7), folder: Path = OUT, executed: Path = EXECUTED
) -> list[Path]:
    """Write ``session-N.html`` for each session into ``folder``, with all that it needs.

    Raises
    ------
    FileNotFoundError
        If the book has not been built.
    ValueError
        For a session, a figure or a number that is not there.
    """
    known = {session.number: session for session in sessions()}
    chosen = [known[validate.choice("session", number, known)] for number in numbers]
    pages = {folder / f"session-{s.number}.html": render(s, executed) for s in chosen}
    copy_assets(folder / "assets")
    for path, page in pages.items():
        write_whole(path, page)
    return [*pages]


def chromium() -> str | None:
    """The program that prints a deck, or None."""
    return next(filter(None, map(shutil.which, CHROMIUM)), None)


def write_pdf(page: Path, program: str) -> Path:
    """Print a deck, one page a slide, and return the PDF beside it.

    A busy machine may print before the formulas are set: such a PDF has fewer pages than the deck
    has slides, and is printed again with more time.

    Raises
    ------
    RuntimeError
        With Chromium's own words, if no PDF has a page for each slide.
    """
    target, slides = page.with_suffix(".pdf"), page.read_text(encoding="utf-8").count("<section")
    root = hasattr(os, "geteuid") and os.geteuid() == 0  # its sandbox does not run as root
    options = ["--headless", "--disable-gpu", "--no-pdf-header-footer", *["--no-sandbox"] * root]
    target.unlink(missing_ok=True)
    for time in (10_000, 30_000, 90_000):  # milliseconds
        waits = [f"--virtual-time-budget={time}", f"--print-to-pdf={target.resolve()}"]
        address = f"{page.resolve().as_uri()}?print"
        done = run_program([program, *options, *waits, address], timeout=180)
        if target.exists() and pages_of(target) == slides:
            return target
    target.unlink(missing_ok=True)
    raise RuntimeError(f"{program} printed no page for each slide of {page}: {done.stderr[-300:]}")


def pages_of(pdf: Path) -> int:
    """The number of pages of a PDF that Chromium wrote."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf.read_bytes()))
