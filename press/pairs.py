"""Chapters as pairs: ``x.md`` (MyST, the text that is reviewed) and ``x.ipynb`` (no outputs,
what papermill runs).

Either may be edited; what reads a pair calls :func:`sync` before. It remembers what both sides had
when they agreed, since the times of files say nothing after a clone.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from contextlib import suppress
from difflib import SequenceMatcher
from pathlib import Path

import jupytext
import nbformat
from jupytext.compare import NotebookDifference, compare_notebooks

from lib.files import read_json, write_whole
from lib.paths import ROOT
from press.toc import SETUP, read_notebook, tags

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


def is_pair_source(text: Path) -> bool:
    """Whether a Markdown page has code: its front matter names jupytext."""
    _, *head = text.read_text("utf-8").split("---", 2)
    return len(head) == 2 and "jupytext:" in head[0]


def notebook_of(text: Path) -> nbformat.NotebookNode:
    """The notebook that belongs to a MyST page: no outputs, and cell ids that do not change between
    calls.

    A first cell sets Colab up; elsewhere it does nothing.
    """
    cells = jupytext.read(text).cells
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number:03d}"
    setup = nbformat.v4.new_code_cell(COLAB, metadata={"tags": [SETUP]}, id="cell-setup")
    return nbformat.v4.new_notebook(cells=[setup, *cells], metadata=METADATA, nbformat_minor=5)


def without_traces(notebook: nbformat.NotebookNode, *dropped: str) -> nbformat.NotebookNode:
    """An executed notebook without the set-up, the cells with a tag in ``dropped``, and papermill's
    own metadata, whose times would make every build differ.
    """
    notebook = nbformat.from_dict(notebook)
    notebook.cells = [cell for cell in notebook.cells if not tags(cell) & {SETUP, *dropped}]
    for part in (notebook, *notebook.cells):
        for key in ("papermill", "execution"):
            part.metadata.pop(key, None)
    return notebook


def difference(text: Path) -> str | None:
    """How the ``.ipynb`` beside ``text`` differs from it, or None if it does not."""
    partner = text.with_suffix(".ipynb")
    if not partner.exists():
        return f"{partner} is missing"
    stored = read_notebook(partner)
    if any(cell.get("outputs") or cell.get("execution_count") for cell in stored.cells):
        return f"{partner} has outputs"
    try:
        compare_notebooks(stored, notebook_of(text), fmt="md:myst")
    except NotebookDifference as error:
        return f"{partner}: {error}"
    return None


def sync(folder: Path, root: Path = ROOT) -> list[Path]:
    """Bring the pairs below ``folder`` into step; the files that were written are returned.

    The side that has changed since the two agreed wins. Without a memory of that (a new clone), it
    is the side that differs from the last commit, or else the newer one. The notebook loses its
    outputs.

    Raises
    ------
    ValueError
        Naming a pair of which both sides have changed.
    """
    memory = root / "_build" / "pairs.json"
    known = {}
    with suppress(OSError, ValueError):
        known = read_json(memory, dict)
    agreed, written = {}, []
    for text in filter(is_pair_source, sorted(folder.rglob("*.md"))):
        name = os.path.relpath(text.with_suffix(""), root)
        agreed[name], new = _sync_one(text, known.get(name))
        written += new
    if agreed.items() - known.items():
        memory.parent.mkdir(exist_ok=True)
        write_whole(memory, json.dumps(known | agreed, indent=1))
    return written


def _sync_one(text: Path, agreed: str | None) -> tuple[str, list[Path]]:
    """The content on which both sides agree now, and the files that were written."""
    partner, written = text.with_suffix(".ipynb"), []
    notebook = notebook_of(text)
    if partner.exists():
        stored = read_notebook(partner)
        sides = _content(notebook), _content(stored)
        if sides[0] != sides[1] and _notebook_wins(text, sides, agreed):
            write_whole(text, as_text(stored, text))
            notebook, written = notebook_of(text), [text]
    body = nbformat.writes(notebook) + "\n"
    if not partner.exists() or partner.read_text("utf-8") != body:
        write_whole(partner, body)
        written.append(partner)
    return _content(notebook), written


def _content(notebook: nbformat.NotebookNode) -> str:
    """A hash of what both sides of a pair have: kind, source and tags of the page's own cells."""
    own = [cell for cell in notebook.cells if SETUP not in tags(cell)]
    cells = [(c.cell_type, c.source.rstrip(), sorted(tags(c))) for c in own]
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()


def _notebook_wins(text: Path, sides: tuple[str, str], agreed: str | None) -> bool:
    """Whether the notebook is what was edited, for a pair whose sides (text, notebook) differ."""
    partner = text.with_suffix(".ipynb")
    old = {agreed} if agreed else _committed(text)
    changed = [side not in old for side in sides]
    if not old:
        return partner.stat().st_mtime > text.stat().st_mtime
    if all(changed):
        raise ValueError(
            f"{text} or its .ipynb must be as they were when they agreed, got both changed; to keep"
            f" the text delete {partner.name}, to keep the notebook restore {text.name}"
        )
    return changed[1]


def _committed(text: Path) -> set[str]:
    """The content of the pair in the last commit; of a pair that did not agree there, both."""
    found = set()
    for path in (text, text.with_suffix(".ipynb")):
        place = f"HEAD:./{path.name}"
        with suppress(OSError, subprocess.CalledProcessError, ValueError):
            command = ["git", "-C", str(path.parent), "show", place]
            said = subprocess.run(command, capture_output=True, check=True).stdout.decode()
            found.add(_content(jupytext.reads(said, fmt="md:myst" if path == text else "ipynb")))
    return found


def as_text(notebook: nbformat.NotebookNode, text: Path) -> str:
    """The notebook as the page ``text``: its front matter, and its blank lines where only they
    differ.
    """
    own = without_traces(notebook)
    own.metadata = nbformat.from_dict({"language_info": {"pygments_lexer": "ipython3"}})
    _, head, before = text.read_text("utf-8").split("---", 2)
    after = jupytext.writes(own, fmt="md:myst").split("---", 2)[2]
    old, new = before.splitlines(True), after.splitlines(True)
    lines: list[str] = []
    for _, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        blank = [*filter(str.strip, old[i:j])] == [*filter(str.strip, new[k:m])]
        lines += old[i:j] if blank else new[k:m]
    return f"---{head}---{''.join(lines)}"


def pair_up(root: Path = ROOT) -> None:
    """Bring the chapters into step before they are read, and print which files that changed."""
    for path in sync(root / "chapters", root):
        print(f"written from the other side of its pair: {path}", file=sys.stderr)


def main(folder: Path = Path("chapters")) -> int:
    """``python -m press.pairs``: name the pairs that do not agree; 1 if there is one."""
    texts = filter(is_pair_source, sorted(folder.rglob("*.md")))
    for drifted in (found := [*filter(None, map(difference, texts))]):
        print(drifted)
    return int(bool(found))


if __name__ == "__main__":
    raise SystemExit(main())
