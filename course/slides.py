"""Slides of a session: HTML that opens from a file, and a PDF where there is a Chromium.

A deck is ``course/slides/N.md``: slides between lines of ``---``, each a heading, words and, after
a line ``Notes:``, what the lecturer says. A line ``. . .`` starts what appears with the next key;
a page that is printed shows all. What a slide takes from the book, and what is drawn for it, is
said in :mod:`course.pictures`.
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
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from course.pictures import EXECUTED, filled, with_files
from course.sessions import COURSE, TEMPLATES, Session, sessions
from lib import validate
from lib.files import read_yaml, template, write_whole
from lib.paths import BUILD, CHAPTERS, ROOT
from press.stage import mathjax

DECKS = COURSE / "slides"
OUT = BUILD / "slides"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")


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


def _math(content: str, options: dict[str, Any]) -> str:
    start, end = (r"\[", r"\]") if options["display_mode"] else (r"\(", r"\)")
    return f"{start}{escape(content)}{end}"


@cache
def markdown() -> MarkdownIt:
    """Markdown with tables, and formulas as MathJax reads them."""
    return MarkdownIt("commonmark").enable("table").use(dollarmath_plugin, renderer=_math)


def to_html(text: str, executed: Path = EXECUTED, folder: Path = DECKS) -> str:
    """Markdown with formulas, pictures, and what it takes from the book, as HTML."""
    first, *later = re.split(r"^\. \. \.$", filled(text, executed, folder), flags=re.M)
    builds = (f'<div class="fragment">\n{markdown().render(part)}</div>\n' for part in later)
    return "".join([markdown().render(first), *builds])


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


def render(session: Session, executed: Path = EXECUTED, folder: Path = DECKS) -> str:
    """The page of one deck."""
    slides = []
    for slide in deck(session, folder):
        title = to_html(slide.title, executed).removeprefix("<p>").removesuffix("</p>\n")
        body = to_html(slide.body, executed, folder)
        figure = re.search(r"(?:<p>)?(<figure.*?</figure>)(?:</p>)?", body, re.S)
        words = body.replace(figure[0], "").strip() if figure else body
        parts = {"title": title, "figure": figure[1] if figure else "", "words": words}
        slides.append(parts | {"notes": to_html(slide.notes, executed)})
    shown = {"session": session, "slides": slides, "imprint": imprint()}
    return template(TEMPLATES / "slides.html.j2").render(shown) + "\n"


def reveal() -> Path:
    """The folder of reveal.js, in the package that carries it.

    Raises
    ------
    FileNotFoundError
        If it is not installed.
    """
    carrier = find_spec("sphinx_revealjs")
    if carrier is None or carrier.origin is None:
        raise FileNotFoundError("reveal.js must be installed: run `make book` first")
    return Path(carrier.origin).parent / "_static" / "revealjs"


def copy_assets(folder: Path) -> None:
    """Put reveal.js, MathJax, their licences, and the style and scripts of the slides into
    ``folder``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("dist/reset.css", "dist/reveal.css", "dist/reveal.js", "plugin/notes/notes.js"):
        shutil.copy(reveal() / name, folder)
    for name in ("slides.css", "mathjax.js", "deck.js"):
        shutil.copy(TEMPLATES / name, folder)
    shutil.copy(mathjax(), folder / "tex-svg.js")
    shutil.copy(reveal() / "LICENSE", folder / "licence-reveal.txt")
    shutil.copy(CHAPTERS / "_static/licences/mathjax.txt", folder / "licence-mathjax.txt")


def write_slides(
    numbers: Iterable[int] = range(1, 7),
    folder: Path = OUT,
    executed: Path = EXECUTED,
    source: Path = DECKS,
) -> list[Path]:
    """Write ``session-N.html`` for each session into ``folder``, with all that it needs, and into
    ``folder/source`` the deck to edit: the text with the book's numbers, and its pictures as files.

    Parameters
    ----------
    source : Path
        Where the decks ``N.md`` are, such as an edited ``folder/source``.

    Raises
    ------
    FileNotFoundError
        If the book has not been built.
    ValueError
        For a session, a figure or a number that is not there.
    """
    known = {session.number: session for session in sessions()}
    chosen = [known[validate.choice("session", number, known)] for number in numbers]
    pages = {folder / f"session-{s.number}.html": render(s, executed, source) for s in chosen}
    copy_assets(folder / "assets")
    for path, page in pages.items():
        write_whole(path, page)
    edited = folder / "source"
    if source.resolve() != edited.resolve():
        for name in (f"{session.number}.md" for session in chosen):
            text = (source / name).read_text(encoding="utf-8")
            write_whole(edited / name, with_files(text, executed, edited))
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
        command = [program, *options, *waits, address]
        done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
        if target.exists() and pages_of(target) == slides:
            return target
    target.unlink(missing_ok=True)
    raise RuntimeError(f"{program} printed no page for each slide of {page}: {done.stderr[-300:]}")


def pages_of(pdf: Path) -> int:
    """The number of pages of a PDF that Chromium wrote."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf.read_bytes()))
