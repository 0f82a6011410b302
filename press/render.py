"""From the staging folder to HTML, and nothing in it that asks another machine."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
from contextlib import suppress
from pathlib import Path

from lib.files import write_whole
from lib.processes import run_program
from press.inputs import digest
from press.toc import GENERATED, read_notebook

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
    r'|<script type="text/x-thebe-config">.*?</script>|<script>kernelName = [^<]*</script>'
    # a list in name only: its children are no items
    r'|(?<=<div) role="list"(?= class="citation-list")',
    re.DOTALL,
)

# the theme's toggle of a folded part of the side bar, which has no name of its own
_TOGGLE = re.compile(r'>([^<]*)</a>(<details\b[^>]*><summary)(?=><span class="toctree-toggle")')


class RenderError(RuntimeError):
    """jupyter-book refused the book, or a page would load something from elsewhere."""


def outside_resources(html: Path) -> list[str]:
    """Tags in the pages below ``html`` that load a resource from another host (links do not
    count).
    """
    return [
        f"{page.relative_to(html)}: {match[0][:160]}"
        for page in sorted(html.rglob("*.html"))
        for match in _LOADS.finditer(page.read_text("utf-8", "replace"))
    ]


def drop_unwanted(html: Path) -> None:
    """Take out what the theme and its extensions put into each page and the book does not want;
    toggles without a name get one.
    """
    for page in html.rglob("*.html"):
        text = page.read_text("utf-8")
        kept = _TOGGLE.sub(r'>\1</a>\2 aria-label="Pages of \1"', _UNWANTED.sub("", text))
        if kept != text:
            page.write_text(kept, "utf-8")


def jupyter_book(folder: Path, output: Path, *, strict: bool = True) -> tuple[Path, list[str]]:
    """Render ``folder``; the folder of its pages and the warnings are returned, and ``strict``
    makes these errors.

    Raises
    ------
    RenderError
        With jupyter-book's own output.
    """
    program = str(Path(sys.executable).with_name("jupyter-book"))
    command = [program, "build", str(folder), "--path-output", str(output), "-n", "--keep-going"]
    done = run_program([*command, "-W"] if strict else command)
    html = output / "_build" / "html"
    if done.returncode or not (html / "index.html").exists():
        raise RenderError(done.stdout + done.stderr)
    drop_unwanted(html)
    said = re.sub(r"\x1b\[[\d;]*m", "", done.stdout + done.stderr).replace(f"{folder}{os.sep}", "")
    return html, [line for line in said.splitlines() if re.search(r"\b(WARNING|ERROR): ", line)]


def _common(folder: Path) -> str:
    """A hash of all in the stage that pages other than its own may show, or be styled by.

    That is not what cells put out, nor the run times, checksums and line numbers of pages that
    the build writes.
    """
    own = Path(__file__).parent
    total = hashlib.sha256(digest([*own.rglob("*.py"), *own.rglob("*.js")], own).encode())
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = file.relative_to(folder).as_posix()
        total.update(f"{name}\0".encode())
        if file.suffix == ".ipynb":
            cells = read_notebook(file).cells
            written = [(c.cell_type, c.source, c.metadata.get("tags")) for c in cells]
            total.update(json.dumps(written).encode())
        elif name.startswith(GENERATED):
            total.update(re.sub(r"[0-9a-f]{64}|\d+", "", file.read_text("utf-8")).encode())
        else:
            total.update(file.read_bytes())
    return total.hexdigest()


def render(folder: Path, output: Path, *, strict: bool = True) -> tuple[Path, list[str]]:
    """Build ``folder`` into ``output/_build/html`` unless the page there was made from the same
    bytes; the page to open and the warnings are returned.

    If only outputs of cells have changed, the other pages stay.

    Raises
    ------
    RenderError
        With jupyter-book's own output, on an error, and if ``strict`` on a warning.
    """
    html, stamp = output / "_build" / "html", output / "_build" / "html.key"
    key = digest([file for file in folder.rglob("*") if file.is_file()], folder)
    common = _common(folder)
    index = html / "index.html"
    known = stamp.read_text("utf-8", "replace").splitlines()[:1_000] if stamp.exists() else []
    made_from, before, *warnings = known if index.exists() and len(known) > 1 else ("", "")
    if made_from == key and not (strict and warnings):
        return index, warnings
    stamp.unlink(missing_ok=True)
    shutil.rmtree(html / "_static" / "live", ignore_errors=True)  # it has the code of before
    updated = False
    if before == common and not warnings:
        with suppress(RenderError):  # only the pages whose files are newer
            updated = bool(jupyter_book(folder, output))
    if not updated:
        # From nothing: what an older build remembers would warn of labels that have moved since,
        # and keep pages that are no longer listed.
        for old in (html, html.with_name(".doctrees")):
            shutil.rmtree(old, ignore_errors=True)
        _, warnings = jupyter_book(folder, output, strict=strict)
    if loads := outside_resources(html):
        raise RenderError("pages load from other hosts:\n" + "\n".join(loads))
    write_whole(stamp, "\n".join([key, common, *warnings]))
    return index, warnings
