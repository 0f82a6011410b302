"""From the staging folder to HTML."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat

from lib.files import write_whole
from lib.paths import ROOT
from lib.programs import environment
from press.execute import own_folder
from press.inputs import below, digest

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

# where browsers block storage, the theme's first script would stop it: a page has its own then,
# and one without scripts says what it lacks, in the light colours
_BEGINNING = {
    '<script data-cfasync="false">': """<script>
    try { localStorage.length + sessionStorage.length; } catch {
      for (const name of ["localStorage", "sessionStorage"]) {
        const kept = new Map(), getItem = (key) => kept.get(key) ?? null;
        const setItem = (key, text) => kept.set(key, String(text));
        const removeItem = (key) => kept.delete(key);
        Object.defineProperty(window, name, { value: { getItem, setItem, removeItem } });
      }
    }""",
    'data-theme="auto"': 'data-theme="light"',
    '<article class="bd-article">\n': """<article class="bd-article"><noscript><p class="ran-on">
    Without scripts this page has no search, no explorers, no Python and no boxes for answers.
    Formulas stand as TeX, and hints and solutions are open.</p></noscript>""",
}

# the book's own theorems, which no title and no link may confuse with those of a paper
_NUMBERED = re.compile(
    r'((?:"caption-number"|"reference internal" href="[^"]*#(?:\w+-)?(?:thm|prop|lem|def|cor|alg)'
    r'\w*-[^"]*")>)(Theorem|Proposition|Lemma|Definition|Corollary|Algorithm)(?= )'
)
_SHARED = re.compile(rb"^\W*(?:#+ |\([\w-]+\)=|:label:|:::|```\{).*", re.M)


class RenderError(RuntimeError):
    """jupyter-book refused the book."""


def finish(html: Path) -> None:
    """Take out of each page below ``html`` what the theme and its extensions put there and the book
    does not want, and name what has no name of its own.
    """
    for copied in html.glob("_sources/**/*.ipynb"):  # to download, as in the repository
        notebook = nbformat.read(copied, as_version=4)
        for cell in notebook.cells:
            cell |= {"outputs": []} if cell.cell_type == "code" else {}
        nbformat.write(notebook, copied)
    for page in sorted(html.rglob("*.html")):
        text = page.read_text("utf-8", "replace")
        kept = _TOGGLE.sub(r'>\1</a>\2 aria-label="Pages of \1"', _UNWANTED.sub("", text))
        kept = _NUMBERED.sub(lambda found: f"{found[1]}Book {found[2].lower()}", kept)
        for old, new in _BEGINNING.items():
            kept = kept.replace(old, new)
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
    # its script would name the place where this environment was made
    command = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build"]
    command += [str(folder), "--path-output", str(output), "-n", "--keep-going"]
    command += ["-W"] if strict else []
    with own_folder() as own:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=environment(Path(own)),
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    html = output / "_build" / "html"
    if done.returncode or not (html / "index.html").exists():
        if (full := os.strerror(errno.ENOSPC)) in done.stdout + done.stderr:
            raise OSError(errno.ENOSPC, full, str(output))
        raise RenderError(done.stdout + done.stderr)
    finish(html)
    said = re.sub(r"\x1b\[[\d;]*m", "", done.stdout + done.stderr).replace(f"{folder}{os.sep}", "")
    return html, [line for line in said.splitlines() if re.search(r"\b(WARNING|ERROR): ", line)]


def _keys(folder: Path) -> list[str]:
    """Hashes of all that the pages are made of, and of what one page may show of others: the
    contents, headings and labels, and the code of this package.
    """
    pages = [f for f in sorted(folder.rglob("*")) if f.suffix in (".md", ".ipynb")]
    said = (line for page in pages for line in _SHARED.findall(page.read_bytes()))
    shared = digest([folder / "_toc.yml", *below(ROOT / "press")], ROOT)
    shared += hashlib.sha256(b"\n".join(said)).hexdigest()
    code = [f for house in ("lib", "studies") for f in (ROOT / house).rglob("*.py")]
    return [digest([*below(folder), *code], ROOT) + shared, shared]


def render(folder: Path, output: Path, *, strict: bool = True) -> tuple[Path, list[str]]:
    """Build ``folder`` into ``output/_build/html`` unless the pages there were made from the same
    bytes; the page to open and the warnings are returned.

    Where no page shows what has changed on another, jupyter-book writes those that changed.

    Raises
    ------
    RenderError
        With jupyter-book's own output, on an error, and if ``strict`` on a warning.
    """
    html, stamp = output / "_build" / "html", output / "_build" / "html.key"
    index, (key, shared) = html / "index.html", _keys(folder)
    known = stamp.read_text("utf-8", "replace").splitlines() if stamp.exists() else []
    made_from, before, *warnings = known if index.exists() and len(known) > 1 else ("", "")
    if made_from == key and not (strict and warnings):
        return index, warnings
    stamp.unlink(missing_ok=True)
    if before != shared or warnings:
        # from nothing: what an older build remembers would warn of labels that have moved since,
        # and keep pages that are no longer listed
        for old in (html, html.with_name(".doctrees")):
            shutil.rmtree(old, ignore_errors=True)
    shutil.rmtree(html / "_static" / "live", ignore_errors=True)  # it has the code of before
    _, warnings = jupyter_book(folder, output, strict=strict)
    write_whole(stamp, "\n".join([key, shared, *warnings]))
    return index, warnings
