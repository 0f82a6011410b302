"""The lessons in other forms, from the pages of the built book: a PDF to print, and an EPUB.

A Chromium opens each page and hands on what is read on paper: no controls, no badges, no code that
is folded, no boxes, no solutions. Formulas are pictures in the PDF and MathML in the EPUB.
"""

from __future__ import annotations

import base64
import re
import shutil
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lib import validate
from lib.files import read_yaml, template, write_whole
from lib.paths import ROOT
from press.toc import Page, front

ONLINE = ("chapters/index", "chapters/front/reading", "chapters/front/who_pays")  # of the screen
_OPF, _NAV, _PAGE, _PRINTED = (
    template(Path(__file__).parent / "templates" / f"offprint.{kind}.j2", autoescape=True)
    for kind in ("opf", "nav", "xhtml", "html")
)
_IMAGE = re.compile(r'src="data:image/png;base64,([^"]*)"')
_CLEAN = Path(__file__).with_name("offprint.js")
_CONTAINER = (
    '<?xml version="1.0"?><container version="1.0"'
    ' xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/>'
    "</rootfiles></container>"
)


def printed(root: Path = ROOT) -> list[Page]:
    """The pages that an offprint has, in their order."""
    return [page for page in front(root) if page.doc not in ONLINE]


@contextmanager
def _chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    names = ("chromium", "chromium-browser", "google-chrome")
    program = next(filter(None, map(shutil.which, names)), None)
    validate.require(program is not None, "chromium", "installed, to print pages", program)
    with sync_playwright() as driver:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = driver.chromium.launch(executable_path=program, args=flags)
        yield browser.new_page(viewport={"width": 1000, "height": 1200}, color_scheme="light")
        browser.close()


def _articles(tab: Any, html: Path, docs: Sequence[str], math: str) -> list[dict[str, str]]:
    """Name, title, XHTML and style of each page; ``math`` is ``svg`` or ``mathml``."""
    script, found = _CLEAN.read_text("utf-8"), []
    for doc in docs:
        tab.goto((html / f"{doc}.html").as_uri(), wait_until="load")
        tab.evaluate("() => window.MathJax?.startup?.promise")
        found.append(tab.evaluate(script, {"doc": doc, "docs": [*docs], "math": math}))
    return found


def write_pdf(html: Path, output: Path, docs: Sequence[str]) -> int:
    """Print the pages ``docs`` of the built book ``html`` as one PDF; its bytes are returned.

    Raises
    ------
    ValueError
        If no Chromium is installed.
    """
    joined = html / "offprint.html"  # beside the styles that it needs
    with _chromium() as tab:
        articles = _articles(tab, html, docs, "svg")
        joined.write_text(_PRINTED.render(articles=articles, title=_title()), "utf-8")
        try:
            tab.goto(joined.as_uri(), wait_until="load")
            raw = tab.pdf(
                format="A4",
                outline=True,
                tagged=True,
                print_background=True,
                display_header_footer=True,
                header_template="<span></span>",
                footer_template='<p style="font-size:8px;width:100%;text-align:center">'
                '<span class="pageNumber"></span></p>',
                margin={"top": "18mm", "bottom": "18mm", "left": "20mm", "right": "20mm"},
            )
        finally:
            joined.unlink()
    write_whole(output, raw)
    return len(raw)


def write_epub(html: Path, output: Path, docs: Sequence[str]) -> int:
    """The pages ``docs`` of the built book ``html`` as an EPUB 3; its bytes are returned.

    Raises
    ------
    ValueError
        If no Chromium is installed.
    """
    with _chromium() as tab:
        articles = _articles(tab, html, docs, "mathml")
    images: dict[str, str] = {}

    def image(match: re.Match) -> str:
        name = images.setdefault(match[1], f"images/{len(images)}.png")
        return f'src="{name}"'

    for article in articles:
        article["body"] = _IMAGE.sub(image, article["body"])
    about = {"articles": articles, "images": [*images.values()], "title": _title()}
    files = {
        "META-INF/container.xml": _CONTAINER.encode(),
        "book.opf": _OPF.render(about).encode(),
        "nav.xhtml": _NAV.render(about).encode(),
        **{f"{one['name']}.xhtml": _PAGE.render(one).encode() for one in articles},
        **{name: base64.b64decode(code) for code, name in images.items()},
    }
    temporary = output.with_suffix(".part")
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        # first, and not compressed
        archive.writestr(zipfile.ZipInfo("mimetype"), "application/epub+zip", zipfile.ZIP_STORED)
        for name, raw in files.items():
            archive.writestr(zipfile.ZipInfo(name), raw, zipfile.ZIP_DEFLATED)
    temporary.replace(output)
    return output.stat().st_size


def _title() -> str:
    return read_yaml(ROOT / "_config.yml", dict)["title"]
