"""From the staging folder to HTML, warnings as errors, and nothing in it that asks another machine."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from lib.book.reach import digest

__all__ = ["RenderError", "outside_resources", "render"]

_LOADS = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|embed)\b[^>]*?\ssrc=["'](?:https?:)?//[^"']+["'][^>]*>"""
    r"""|<link\b(?=[^>]*\brel=["']?(?:stylesheet|preload|icon|preconnect|modulepreload))[^>]*?\shref=["'](?:https?:)?//[^"']+["'][^>]*>""",
    re.IGNORECASE,
)


_FONT_PRELOADS = re.compile(r'<link rel="preload" as="font"[^>]*>')


class RenderError(RuntimeError):
    """jupyter-book refused the book, or a page would load something from elsewhere."""


def outside_resources(html: Path) -> list[str]:
    """Tags in the pages below ``html`` that load a resource from another host (links do not count)."""
    return [
        f"{page.relative_to(html)}: {match.group(0)[:160]}"
        for page in sorted(html.rglob("*.html"))
        for match in _LOADS.finditer(page.read_text(errors="replace"))
    ]


def drop_font_preloads(html: Path) -> None:
    """Take out the theme's early font requests: from ``file://`` a browser refuses them, with an error on each page."""
    for page in html.rglob("*.html"):
        text = page.read_text()
        if (shorter := _FONT_PRELOADS.sub("", text)) != text:
            page.write_text(shorter)


def render(folder: Path, output: Path) -> Path:
    """Build ``folder`` into ``output/_build/html`` unless the page there was made from the same bytes.

    Raises
    ------
    RenderError
        With jupyter-book's own output, on a warning or an error.
    """
    html, stamp = output / "_build" / "html", output / "_build" / "html.key"
    key = digest([file for file in folder.rglob("*") if file.is_file()], folder)
    index = html / "index.html"
    if index.exists() and stamp.exists() and stamp.read_text() == key:
        return index
    stamp.unlink(missing_ok=True)
    command = [str(Path(sys.executable).with_name("jupyter-book")), "build", str(folder), "--path-output", str(output),
               "-W", "-n", "--keep-going"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode or not index.exists():
        raise RenderError(done.stdout + done.stderr)
    drop_font_preloads(html)
    if loads := outside_resources(html):
        raise RenderError("pages load from other hosts:\n" + "\n".join(loads))
    stamp.write_text(key)
    return index
