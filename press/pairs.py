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

from lib.files import write_whole
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
# how an editor shows a cell, and what papermill notes of it
VIEW = (
    "collapsed heading_collapsed hidden scrolled jupyter trusted editable deletable vscode colab id"
    " outputId execution executionInfo ExecuteTime papermill"
).split()
_TAGS = re.compile(r"^(:tags: .*\n)\n", re.M)  # the texts have no empty line after them
_CONFLICT = re.compile(r"^(<{7}|>{7}) ", re.M)


def is_pair_source(text: Path) -> bool:
    """Whether a Markdown page has code: its front matter names jupytext."""
    _, *head = text.read_text("utf-8").split("---", 2)
    return len(head) == 2 and "jupytext:" in head[0]


def notebook_of(text: Path) -> nbformat.NotebookNode:
    """The notebook that belongs to a MyST page: no outputs, and cell ids that do not change between
    calls.

    A first cell sets Colab up; elsewhere it does nothing.

    Raises
    ------
    ValueError
        If git has left a conflict in the text.
    """
    return _notebook(text.read_text("utf-8"), text)


def _notebook(body: str, text: Path) -> nbformat.NotebookNode:
    if conflict := _CONFLICT.search(body):
        line = body[: conflict.start()].count("\n") + 1
        raise ValueError(f"{text} must be free of git's conflict markers, got one in line {line}")
    cells = jupytext.reads(body, fmt="md:myst").cells
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number:03d}"
    setup = nbformat.v4.new_code_cell(COLAB, metadata={"tags": [SETUP]}, id="cell-setup")
    own = METADATA | {WRITTEN: _hash(cells)}
    return nbformat.v4.new_notebook(cells=[setup, *cells], metadata=own, nbformat_minor=5)


def _said(cells: list[nbformat.NotebookNode]) -> list[list]:
    """What both sides of a pair have: kind, source and metadata of the page's own cells, but for
    empty ones.
    """
    return [
        [c.cell_type, c.source.rstrip(), _kept(c), c.get("attachments") or None]
        for c in cells
        if SETUP not in tags(c) and c.source.strip()
    ]


def _hash(cells: list[nbformat.NotebookNode]) -> str:
    return hashlib.sha256(json.dumps(_said(cells), sort_keys=True).encode()).hexdigest()


def _kept(cell: nbformat.NotebookNode) -> dict[str, Any]:
    return {key: value for key, value in cell.metadata.items() if value and key not in VIEW}


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
            said = _hash(stored.cells)
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
    notebook = _notebook(body := as_text(stored, text), text)
    pairs = zip_longest(_said(stored.cells), _said(notebook.cells))
    if lost := [number for number, (one, other) in enumerate(pairs, 1) if one != other]:
        what = f"cell {lost[0]} with metadata, attachments or a form of its own"
        raise ValueError(f"{path} must have nothing that a text cannot hold, got {what}")
    write_whole(text, body)
    return [text, *_write(notebook, partner)]


def as_text(notebook: nbformat.NotebookNode, text: Path) -> str:
    """The notebook as the page ``text``, with the front matter of that page if it is there."""
    own = without_traces(notebook)
    own.cells = [cell for cell in own.cells if cell.source.strip()]
    own.metadata = nbformat.from_dict({"language_info": {"pygments_lexer": "ipython3"}})
    _, head, _ = (text.read_text("utf-8") if text.exists() else HEAD).split("---", 2)
    body = jupytext.writes(own, fmt="md:myst").split("---", 2)[2]
    return "---".join(["", head, _TAGS.sub(r"\1", body)])


def write_pairs(folder: Path) -> list[Path]:
    """:func:`write_pair` for every text below ``folder``; a ``ValueError`` has all refusals."""
    written, refused = [], []
    for text in filter(is_pair_source, markdown(folder)):
        try:
            written += write_pair(text)
        except ValueError as error:
            refused.append(str(error))
    if refused:
        raise ValueError("\n".join(refused))
    return written


if __name__ == "__main__":  # before a commit
    print(*(written := write_pairs(CHAPTERS)), sep="\n")
    raise SystemExit(bool(written))
