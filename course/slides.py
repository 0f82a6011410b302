"""Slides of a session: HTML that opens from a file, and a PDF where there is a Chromium.

A deck is ``course/slides/N.md``: slides between lines of ``---``, each a heading, words and, after
a line ``Notes:``, what the lecturer says. A line ``. . .`` starts what appears with the next key;
a page that is printed shows all. ``{figure}`page:name``` is a figure of the book and
``{number}`page:name``` a number of its text: they are read from the chapters as the last build
executed them. Drawings are files in ``course/slides/drawings``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import sphinx_revealjs
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from course.sessions import COURSE, TEMPLATES, Session, sessions
from lib import validate
from lib.files import read_yaml, template
from lib.paths import BUILD, CHAPTERS, ROOT
from press.stage import mathjax
from press.toc import glued_texts, read_notebook

DECKS = COURSE / "slides"
OUT = BUILD / "slides"
EXECUTED = BUILD / "executed" / "quick"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
REFERENCE = re.compile(r"\{(figure|number)\}`([\w/-]+):([\w-]+)`")
_FIGURE = re.compile(
    r'<figure class="plot" id="([^"]+)".*?<img alt="([^"]*)" src="([^"]+)".*?'
    r"<figcaption>(?:<strong>.*?</strong>)?(.*?)</figcaption>",
    re.S,
)


@dataclass(frozen=True)
class Slide:
    """Title (one message), body and notes, in Markdown."""

    title: str
    body: str
    notes: str


def deck(session: Session) -> list[Slide]:
    """The slides of a session: its question, those of its file, and its closing question.

    Raises
    ------
    ValueError
        If a slide has no title or no notes.
    """
    aims = "\n".join(f"- {objective}" for objective in session.objectives)
    slides = [Slide(session.title, f"*{session.question}*", f"What we are after today:\n\n{aims}")]
    text = (DECKS / f"{session.number}.md").read_text(encoding="utf-8")
    for part in re.split(r"^---$", text, flags=re.M):
        found = re.fullmatch(r"\s*## (.+?)\n(.*?)^Notes:(.+)", part, re.M | re.S)
        if not found:
            what = "a heading (##), a body and `Notes:`"
            raise validate.refusal(f"slide of session {session.number}", what, part.strip()[:80])
        slides.append(Slide(*map(str.strip, found.groups())))
    notes = "Everybody writes first. A sample answer is in your plan of this session."
    last = Slide("The question to take home", f"*{session.closing['question']}*", notes)
    return [*slides, last]


@cache
def shown(page: str, executed: Path) -> dict[str, dict[str, str]]:
    """Numbers of a page and its figures for a slide (HTML), by name, from the last build.

    Raises
    ------
    FileNotFoundError
        If the book has not been built.
    """
    path = executed / "chapters" / f"{page}.ipynb"
    if not path.exists():
        raise FileNotFoundError(f"{path} is not there: run `make book` first")
    notebook = read_notebook(path)
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", [])]
    html = "".join(out.get("data", {}).get("text/html", "") for out in outputs)
    figures = {
        name: f'<figure role="group"><img src="{source}" alt="{alt}">'
        f"<figcaption>{said.strip()} <cite>{escape(page)}</cite></figcaption></figure>"
        for name, alt, source, said in _FIGURE.findall(html)
    }
    numbers = {name: escape(text) for name, text in glued_texts(notebook).items()}
    return {"figure": figures, "number": numbers}


def _math(content: str, options: dict[str, Any]) -> str:
    start, end = (r"\[", r"\]") if options["display_mode"] else (r"\(", r"\)")
    return f"{start}{escape(content)}{end}"


@cache
def markdown() -> MarkdownIt:
    """Markdown with tables, and formulas as MathJax reads them."""
    return MarkdownIt("commonmark").enable("table").use(dollarmath_plugin, renderer=_math)


def to_html(text: str, executed: Path = EXECUTED) -> str:
    """Markdown with formulas, drawings, and what it takes from the book, as HTML."""

    def taken(found: re.Match[str]) -> str:
        kind, page, name = found.groups()
        known = shown(page, executed)[kind]
        return known[validate.choice(f"{kind} of {page}", name, known)]

    filled = REFERENCE.sub(taken, text)
    first, *later = map(markdown().render, re.split(r"^\. \. \.$", filled, flags=re.M))
    builds = (f'<div class="fragment">\n{part}</div>\n' for part in later)
    drawing = r'<figure role="group">\1</figure>'
    return re.sub(r"<p>(<img [^>]*>)</p>", drawing, "".join([first, *builds]))


@cache
def imprint() -> dict[str, str]:
    """Title, authors, version and licence of the slides, from the files that state them."""
    cited = read_yaml(ROOT / "CITATION.cff", dict)
    licence = (ROOT / "LICENSE-TEXT.md").read_text(encoding="utf-8")
    return {
        "book": cited["title"].partition("?")[0],
        "title": cited["title"],
        "authors": ", ".join(author["name"] for author in cited["authors"]),
        "version": str(cited["version"]),
        "licence": re.findall(r"\((CC [^)]+)\)", licence)[0],
        "terms": re.findall(r"<(https://creativecommons[^>]+)/legalcode>", licence)[0],
    }


def render(session: Session, executed: Path = EXECUTED) -> str:
    """The page of one deck."""
    slides = []
    for slide in deck(session):
        title = to_html(slide.title, executed).removeprefix("<p>").removesuffix("</p>\n")
        body = to_html(slide.body, executed)
        figure = re.search(r"(?:<p>)?(<figure.*?</figure>)(?:</p>)?", body, re.S)
        words = body.replace(figure[0], "").strip() if figure else body
        parts = {"title": title, "figure": figure[1] if figure else "", "words": words}
        slides.append(parts | {"notes": to_html(slide.notes, executed)})
    shown = {"session": session, "slides": slides, "imprint": imprint()}
    return template(TEMPLATES / "slides.html.j2").render(shown) + "\n"


def write_slides(
    numbers: Iterable[int] = range(1, 7), folder: Path = OUT, executed: Path = EXECUTED
) -> list[Path]:
    """Write ``session-N.html`` of each session into ``folder``, and beside them what they need.

    Raises
    ------
    FileNotFoundError
        If the book has not been built.
    ValueError
        For a session, a figure or a number that is not there.
    """
    known = {session.number: session for session in sessions()}
    chosen = [validate.choice("session", number, known) for number in numbers]
    texts = {folder / f"session-{n}.html": render(known[n], executed) for n in chosen}
    assets = folder / "assets"
    assets.mkdir(parents=True, exist_ok=True)
    reveal = Path(sphinx_revealjs.__path__[0], "_static", "revealjs")
    for name in ("dist/reset.css", "dist/reveal.css", "dist/reveal.js", "plugin/notes/notes.js"):
        shutil.copy(reveal / name, assets)
    for name in ("slides.css", "mathjax.js", "deck.js"):
        shutil.copy(TEMPLATES / name, assets)
    shutil.copy(mathjax(), assets / "tex-svg.js")
    shutil.copy(reveal / "LICENSE", assets / "licence-reveal.txt")
    shutil.copy(CHAPTERS / "_static/licences/mathjax.txt", assets / "licence-mathjax.txt")
    shutil.copytree(DECKS / "drawings", folder / "drawings", dirs_exist_ok=True)
    for path, text in texts.items():
        path.write_text(text, "utf-8")
    return [*texts]


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
        command = [program, *options, *waits, f"{page.resolve().as_uri()}?print"]
        done = subprocess.run(command, capture_output=True, timeout=180)
        if target.exists() and pages_of(target) == slides:
            return target
    words = done.stderr.decode(errors="replace")[-300:]
    raise RuntimeError(f"{program} printed no page for each slide of {page}: {words}")


def pages_of(pdf: Path) -> int:
    """The number of pages of a PDF that Chromium wrote."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf.read_bytes()))
