"""Chapters as pairs: ``x.md`` (MyST, the text, which is the source) and ``x.ipynb`` (no outputs,
what papermill runs), which is written from it.

A notebook carries a hash of what it said when it was written. So one that was edited since is
known, and never overwritten: the person who edited says which of the two to keep.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from itertools import zip_longest
from pathlib import Path
from typing import Any

import jupytext
import nbformat

from lib.files import shown, write_whole
from lib.paths import CHAPTERS
from press.toc import SETUP, markdown, put, read_notebook, tags

COLAB = """\
# On Colab only, once a session: fetch the companion and what it needs. Elsewhere this does nothing.
import sys

if "google.colab" in sys.modules:
    import os
    import subprocess

    if not os.path.isdir("/content/companion"):
        question = "Where is the companion's repository? https://github.com/OWNER/NAME "
        clone = ["git", "clone", "--depth", "1", input(question).strip(), "/content/companion"]
        subprocess.run(clone, check=True)
        subprocess.run([sys.executable, "/content/companion/.binder/colab.py"], check=True)
        raise SystemExit("Installed. Restart the session (menu Runtime), then run all cells.")
    os.chdir("/content/companion")"""
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
WRITTEN = "as_written"  # key of the hash in a notebook's metadata
HEAD = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---
"""
# how an editor shows a notebook or a cell, what it runs it with, and what papermill notes of it
VIEW = (
    "collapsed heading_collapsed hidden scrolled jupyter trusted editable deletable vscode colab id"
    " outputId execution executionInfo ExecuteTime papermill kernelspec language_info widgets"
    " celltoolbar toc toc-autonumbering toc-showcode toc-showmarkdowntxt toc-showtags accelerator"
    f" orig_nbformat jupytext {WRITTEN}"
).split()
_FRONT = re.compile(r"---\s*\n(?:.*\n)*?---\s*\n")  # a page's own settings, above its text
_TAGS = re.compile(r"^(:tags: .*\n)\n", re.M)  # the texts have no empty line after them
# what git leaves, and what jupytext takes for the end of a line, which Markdown does not
_ODD = re.compile(r"^(?:<{7}|>{7}|\|{7})(?= |$)|[\0-\x08\x0b-\x1f\x85\u2028\u2029]", re.M)


def _read(text: Path) -> str:
    try:
        return text.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{text} must be UTF-8, got another byte at {error.start}") from None


def _split(body: str) -> tuple[str, str]:
    """The front matter of a page, ``""`` where it has none, and the rest."""
    at = front.end() if (front := _FRONT.match(body)) else 0
    return body[:at], body[at:]


def _check(body: str, path: Path) -> None:
    if odd := _ODD.search(body):
        line = body.count("\n", 0, odd.start()) + 1
        raise ValueError(
            f"{path} must be free of git's conflict markers and control characters,"
            f" got {odd[0]!r} in line {line}"
        )


def is_pair_source(text: Path) -> bool:
    """Whether a Markdown page has code: its front matter names jupytext."""
    return "jupytext:" in _split(_read(text))[0]


def notebook_of(text: Path) -> nbformat.NotebookNode:
    """The notebook that belongs to a MyST page: no outputs, and cell ids that do not change between
    calls.

    A first cell sets Colab up; elsewhere it does nothing.

    Raises
    ------
    ValueError
        If the text cannot be read as one, or git has left a conflict in it.
    """
    return _notebook(_read(text), text)


def _notebook(body: str, path: Path) -> nbformat.NotebookNode:
    _check(body, path)
    if "jupytext:" not in _split(body)[0]:
        page = path.with_suffix(".md")
        raise ValueError(f"{page} must begin with front matter that names jupytext, got none")
    try:
        cells = _own(jupytext.reads(body, fmt="md:myst").cells)
    except Exception as error:  # jupytext raises whatever a broken text leads to
        said = " ".join(str(error).split())[:200]
        raise ValueError(f"{path} must be a text in MyST, got an error: {said}") from None
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number:03d}"
    setup = nbformat.v4.new_code_cell(COLAB, metadata={"tags": [SETUP]}, id="cell-setup")
    notebook = nbformat.v4.new_notebook(cells=[setup, *cells], metadata=METADATA, nbformat_minor=5)
    notebook.metadata[WRITTEN] = _hash(notebook)
    return notebook


def _own(cells: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """The cells without the set-up, if nobody has edited it."""
    return [cell for cell in cells if not (SETUP in tags(cell) and cell.source.strip() == COLAB)]


def _said(notebook: nbformat.NotebookNode) -> list[list]:
    """What both sides of a pair have: kind, source and metadata of the page's own cells, but for
    empty ones, and metadata of the notebook.
    """
    cells = [
        [c.cell_type, c.source.strip("\n").rstrip(), _kept(c), c.get("attachments") or None]
        for c in _own(notebook.cells)
    ]
    about = ["notebook", "", _kept(notebook), None]
    return [said for said in (*cells, about) if any(said[1:])]


def _hash(notebook: nbformat.NotebookNode) -> str:
    return hashlib.sha256(json.dumps(_said(notebook), sort_keys=True).encode()).hexdigest()


def _kept(part: nbformat.NotebookNode) -> dict[str, Any]:
    """The metadata of a cell or notebook that somebody has written."""
    return {k: v for k, v in part.metadata.items() if (v or v == 0) and k not in VIEW}


def without_traces(notebook: nbformat.NotebookNode, *dropped: str) -> nbformat.NotebookNode:
    """A notebook without the set-up, the cells with a tag in ``dropped``, and metadata of editors
    and of papermill, whose times would make every build differ.
    """
    notebook = nbformat.from_dict(notebook)
    notebook.cells = [cell for cell in notebook.cells if not tags(cell) & {SETUP, *dropped}]
    notebook.metadata.pop("papermill", None)
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict(_kept(cell))
    return notebook


def write_pair(text: Path) -> list[Path]:
    """Write the notebook of ``text`` unless it is as it should be; the files that were written.

    Raises
    ------
    ValueError
        With both files and the two commands that settle it, if the notebook says something else
        and was edited since it was written, or if either cannot be read.
    """
    partner = text.with_suffix(".ipynb")
    try:
        notebook = notebook_of(text)
        if partner.exists():
            stored = read_notebook(partner)
            said = _hash(stored)
            if said not in (notebook.metadata[WRITTEN], stored.metadata.get(WRITTEN)):
                raise ValueError("the notebook says something else and was edited")
    except ValueError as error:
        text_, partner_ = (os.path.relpath(path) for path in (text, partner))
        raise ValueError(
            f"{text_} and {partner_} must agree, got this: {error}\n"
            f"  to keep the text:      python -m lib book --keep {text_}\n"
            f"  to keep the notebook:  python -m lib book --keep {partner_}"
        ) from None
    return _write(notebook, partner)


def _write(notebook: nbformat.NotebookNode, partner: Path) -> list[Path]:
    return [partner] if put(partner, nbformat.writes(notebook) + "\n") else []


def keep(path: Path) -> list[Path]:
    """Keep this side of a pair, and write the other from it; the files that were written.

    Raises
    ------
    ValueError
        If ``path`` is neither a text nor a notebook, or a text cannot hold the notebook.
    """
    text, partner = path.with_suffix(".md"), path.with_suffix(".ipynb")
    if path not in (text, partner) or not path.exists():
        raise ValueError(f"--keep must be a page's .md or .ipynb, got {path}")
    if path == text:
        return _write(notebook_of(text), partner)
    stored = read_notebook(path)
    notebook = _notebook(body := as_text(stored, text), path)
    pairs = zip_longest(_said(stored), _said(notebook))
    if lost := [one or other for one, other in pairs if one != other]:
        raise ValueError(
            f"{path} must have nothing that a text cannot hold, got {shown(lost[0])}:"
            " save a pasted picture as a file, write other things in another way"
        )
    write_whole(text, body)
    return [text, *_write(notebook, partner)]


def as_text(notebook: nbformat.NotebookNode, text: Path) -> str:
    """The notebook as the page ``text``, with the front matter of that page if it is there."""
    own = without_traces(notebook)
    own.cells = [cell for cell in own.cells if cell.source.strip()]
    own.metadata = nbformat.from_dict({"language_info": {"pygments_lexer": "ipython3"}})
    front = _split(_read(text))[0] if text.exists() else ""
    body = _split(jupytext.writes(own, fmt="md:myst"))[1]
    return (front or HEAD) + _TAGS.sub(r"\1", body)


def write_pairs(folder: Path) -> list[Path]:
    """:func:`write_pair` for every text below ``folder`` that has code or a notebook; a
    ``ValueError`` has all refusals.
    """
    written, refused = [], []
    for text in markdown(folder):
        try:
            if is_pair_source(text) or text.with_suffix(".ipynb").exists():
                written += write_pair(text)
            else:
                _check(_read(text), text)
        except ValueError as error:
            refused.append(str(error))
    if refused:
        raise ValueError("\n".join(refused))
    return written


if __name__ == "__main__":  # before a commit
    print(*(written := write_pairs(CHAPTERS)), sep="\n")
    raise SystemExit(bool(written))
