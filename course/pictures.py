"""What a slide shows: figures and numbers of the book, drawings, and pictures from files.

``{figure}`page:name``` alone on a line is a figure of the book, ``{figure}`page:name#0``` the first
of the pieces into which a phone cuts it, ``{number}`page:name``` a number of its text: they are
read from the chapters as the last build executed them, so slides show what the book shows.
``{drawing}`name``` is one of :mod:`course.drawings`, and ``![words](pictures/file)`` a picture
beside the text of the deck.
"""

from __future__ import annotations

import base64
import io
import json
import re
from dataclasses import dataclass
from functools import cache
from html import escape, unescape
from pathlib import Path
from typing import Any

from PIL import Image

from course.drawings import draw
from lib import validate
from lib.paths import BUILD
from press.failures import failures
from press.toc import glued_texts, read_notebook

EXECUTED = BUILD / "executed" / "quick"
ROOM = 760, 500  # pixels of a slide that a figure beside words has
KINDS = {"png": "image/png", "svg": "image/svg+xml", "jpg": "image/jpeg"}
REFERENCE = re.compile(r"\{(figure|number|drawing)\}`([\w/-]+)(?::([\w-]+)(?:#(\d+))?)?`")
_FILE = re.compile(r'^!\[(.+?)\]\(([\w./-]+\.(\w+))(?: "(.*?)")?\)$', re.M)


@dataclass(frozen=True)
class Picture:
    """Bytes of a kind of :data:`KINDS`, what they show in words, and a caption (HTML)."""

    content: bytes
    kind: str
    alt: str
    caption: str = ""

    def html(self) -> str:
        """The picture as a figure that needs no other file."""
        code = base64.b64encode(self.content).decode()
        words = f"<figcaption>{self.caption}</figcaption>" if self.caption else ""
        source = f"data:{KINDS[self.kind]};base64,{code}"
        return f'<figure role="group"><img src="{source}" alt="{escape(self.alt)}">{words}</figure>'


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
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", [])]
    texts = [out.get("data", {}).get("text/html", "") for out in outputs]
    drawn = re.compile(r'<figure class="plot" id="([^"]+)"')
    return {
        "figure": {name: text for text in texts for name in drawn.findall(text)},
        "number": glued_texts(notebook),
        "failures": failures(notebook, f"chapters/{page}"),
    }


def _from_book(kind: str, page: str, name: str, executed: Path) -> str:
    """A number as it is printed, or the HTML of a figure."""
    found = shown(page, executed)
    known, failed = found[kind], found["failures"]
    if name not in known and failed:
        what = "one that the last build made"
        raise ValueError(f"{kind} of {page} must be {what}, got {name!r}; it failed: {failed[0]}")
    return known[validate.choice(f"{kind} of {page}", name, known)]


def figure(page: str, name: str, piece: str | None, executed: Path) -> Picture:
    """A figure of the book for a light ground: of those drawn for a page and for a phone the one
    with larger letters on a slide; or a ``piece`` of it. Its caption is what the book's says of
    data.
    """
    html = _from_book("figure", page, name, executed)
    light = html.split('<img class="only-dark"')[0].split("</picture>")[0]
    alt = unescape(re.findall(r'alt="([^"]*)"', light)[0])
    sizes = re.findall(r'width="(\d+)" height="(\d+)"', light)
    codes = re.findall(r"data:image/png;base64,([\w+/=]+)", light)
    scales = [min(ROOM[0] / int(w), ROOM[1] / int(h)) for w, h in sizes]
    content = base64.b64decode(codes[scales.index(max(scales))])
    if piece:
        cut = json.loads(re.findall(r'data-pieces="([^"]*)"', html)[0])
        content = _only(content, [row[-1] for row in cut[int(piece)]])
        alt = f"One panel of a figure, which is described as a whole: {alt}"
    words = re.findall(r"<figcaption>(.*?)</figcaption>", html, re.S)[0]
    caption = re.sub(r"^(<strong>.*?</strong>|.*?\.(?=\s))\s*", "", words, flags=re.S)
    return Picture(content, "png", alt, f"{caption} <cite>{escape(page)}</cite>")


def _only(content: bytes, boxes: list[list[int]]) -> bytes:
    """Parts of a PNG below each other, at their places from the left; ``boxes`` are in pixels of
    a page, half as fine.
    """
    whole, packed, top = Image.open(io.BytesIO(content)).convert("RGBA"), io.BytesIO(), 0
    left, right = min(b[0] for b in boxes), max(b[0] + b[2] for b in boxes)
    size = 2 * (right - left), 2 * sum(b[3] for b in boxes)
    out = Image.new("RGB", size, "white")
    for x, y, wide, high in boxes:
        part = whole.crop((2 * x, 2 * y, 2 * (x + wide), 2 * (y + high)))
        out.paste(part, (2 * (x - left), top), part)
        top += 2 * high
    out.save(packed, "PNG")
    return packed.getvalue()


def _taken(found: re.Match[str], executed: Path) -> str | Picture:
    """What a reference stands for: a number, or a picture."""
    kind, page, name, piece = found.groups()
    if kind == "number":
        return _from_book(kind, page, name, executed)
    return Picture(*draw(page)) if kind == "drawing" else figure(page, name, piece, executed)


def filled(text: str, executed: Path, folder: Path) -> str:
    """The text with HTML for what it takes; files are found in ``folder``."""

    def reference(found: re.Match[str]) -> str:
        taken = _taken(found, executed)
        return escape(taken) if isinstance(taken, str) else taken.html()

    def file(found: re.Match[str]) -> str:
        kind = validate.choice("kind of picture", found[3], KINDS)
        content = (folder / found[2]).read_bytes()
        return Picture(content, kind, found[1], found[4] or "").html()

    return REFERENCE.sub(reference, _FILE.sub(file, text))


def with_files(text: str, executed: Path, folder: Path) -> str:
    """The text with the book's numbers, and with links to its pictures, which are written into
    ``folder/pictures``.
    """
    pictures = folder / "pictures"

    def reference(found: re.Match[str]) -> str:
        picture = _taken(found, executed)
        if isinstance(picture, str):
            return picture
        name = f"{(found[3] or found[2])}{found[4] or ''}.{picture.kind}"
        pictures.mkdir(parents=True, exist_ok=True)
        (pictures / name).write_bytes(picture.content)
        caption = picture.caption.replace('"', "&quot;").replace("\n", " ")
        return f'![{picture.alt}](pictures/{name} "{caption}")'.replace(' "")', ")")

    return REFERENCE.sub(reference, text)
