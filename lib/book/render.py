"""From the staging folder to HTML, warnings as errors, and nothing in it that asks another
machine.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from lib.book.reach import digest
from lib.files import write_whole
from lib.processes import run_program

_LOADS = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|embed)\b"""
    r"""[^>]*?\ssrc=["'](?:https?:)?//[^"']+["'][^>]*>"""
    r"""|<link\b(?=[^>]*\brel=["']?(?:stylesheet|preload|icon|preconnect|modulepreload))"""
    r"""[^>]*?\shref=["'](?:https?:)?//[^"']+["'][^>]*>""",
    re.IGNORECASE,
)


_UNWANTED = re.compile(
    # the theme's early font requests: from file:// a browser refuses them, with an error on each
    # page
    r'<link rel="preload" as="font"[^>]*>'
    # jupyter-book adds every script below _static: MathJax a second time, beside Sphinx's own
    # deferred tag, and those of the explorers, which a page with one asks for (companion.js)
    r'|<script src="[^"]*(?:mathjax|explorers)/[^"]*"></script>'
    # the launcher of live code, which the book does not use, knows an address elsewhere
    r'|<script>const THEBE_JS_URL = [^<]*</script>|<script async="async"'
    r' src="[^"]*sphinx-thebe\.js[^"]*"></script>'
    # a list in name only: its children are no items
    r'|(?<=<div) role="list"(?= class="citation-list")'
)


class RenderError(RuntimeError):
    """jupyter-book refused the book, or a page would load something from elsewhere."""


def outside_resources(html: Path) -> list[str]:
    """Tags in the pages below ``html`` that load a resource from another host (links do not
    count).
    """
    return [
        f"{page.relative_to(html)}: {match.group(0)[:160]}"
        for page in sorted(html.rglob("*.html"))
        for match in _LOADS.finditer(page.read_text(errors="replace"))
    ]


def drop_unwanted(html: Path) -> None:
    """Take out what the theme and its extensions put into each page and the book does not want."""
    for page in html.rglob("*.html"):
        text = page.read_text()
        if (shorter := _UNWANTED.sub("", text)) != text:
            page.write_text(shorter)


def jupyter_book(folder: Path, output: Path, *, strict: bool = True) -> Path:
    """Render ``folder`` and return the folder of its pages; ``strict``: a warning is an error.

    Raises
    ------
    RenderError
        With jupyter-book's own output.
    """
    program = str(Path(sys.executable).with_name("jupyter-book"))
    command = [program, "build", str(folder), "--path-output", str(output)]
    done = run_program([*command, "-W", "-n", "--keep-going"] if strict else command)
    html = output / "_build" / "html"
    if done.returncode or not (html / "index.html").exists():
        raise RenderError(done.stdout + done.stderr)
    drop_unwanted(html)
    return html


def render(folder: Path, output: Path) -> Path:
    """Build ``folder`` into ``output/_build/html`` unless the page there was made from the same
    bytes.

    Raises
    ------
    RenderError
        With jupyter-book's own output, on a warning or an error.
    """
    html, stamp = output / "_build" / "html", output / "_build" / "html.key"
    key = digest([file for file in folder.rglob("*") if file.is_file()], folder)
    index = html / "index.html"
    if index.exists() and stamp.exists() and stamp.read_bytes() == key.encode():
        return index
    stamp.unlink(missing_ok=True)
    # From nothing: the stage is new, so every page is read again anyway, and what an older build
    # remembers would warn
    # of labels that have moved since, and keep pages that are no longer listed.
    for old in (html, html.with_name(".doctrees")):
        shutil.rmtree(old, ignore_errors=True)
    jupyter_book(folder, output)
    if loads := outside_resources(html):
        raise RenderError("pages load from other hosts:\n" + "\n".join(loads))
    write_whole(stamp, key)
    return index
