"""Chapters as pairs: ``x.md`` (MyST, the text that is reviewed) and ``x.ipynb`` (no outputs,
what papermill runs).
"""

from __future__ import annotations

from pathlib import Path

import jupytext
import nbformat
from jupytext.compare import NotebookDifference, compare_notebooks

from lib.book.launch import colab_cell
from lib.book.toc import read_notebook, tags
from lib.files import write_whole
from lib.paths import ROOT

SETUP = "setup"  # tag of the cell that no .md has
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def is_pair_source(text: Path) -> bool:
    """Whether a Markdown page has code: its front matter names jupytext."""
    head = text.read_text().split("---", 2)
    return len(head) == 3 and "jupytext:" in head[1]


def notebook_of(text: Path, root: Path = ROOT) -> nbformat.NotebookNode:
    """The notebook that belongs to a MyST page: no outputs, and cell ids that do not change between
    calls.

    A first cell sets Colab up; elsewhere it does nothing.
    """
    notebook = jupytext.read(text)
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number:03d}"
    setup = nbformat.v4.new_code_cell(colab_cell(root), metadata={"tags": [SETUP]}, id="cell-setup")
    notebook.cells.insert(0, setup)
    return notebook


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


def difference(text: Path, root: Path = ROOT) -> str | None:
    """How the ``.ipynb`` beside ``text`` differs from it, or None if it does not."""
    partner = text.with_suffix(".ipynb")
    if not partner.exists():
        return f"{partner} is missing"
    stored = read_notebook(partner)
    if any(cell.get("outputs") or cell.get("execution_count") for cell in stored.cells):
        return f"{partner} has outputs"
    try:
        compare_notebooks(stored, notebook_of(text, root), fmt="md:myst")
    except NotebookDifference as error:
        return f"{partner}: {error}"
    return None


def sync(folder: Path, root: Path = ROOT) -> list[Path]:
    """Write the ``.ipynb`` of every pair below ``folder`` from its ``.md``; those that changed
    are returned.
    """
    changed = []
    for text in sorted(folder.rglob("*.md")):
        if is_pair_source(text):
            body = nbformat.writes(notebook_of(text, root)) + "\n"
            partner = text.with_suffix(".ipynb")
            if not partner.exists() or partner.read_text() != body:
                write_whole(partner, body)
                changed.append(partner)
    return changed


def main(folder: Path = Path("chapters")) -> int:
    """``python -m lib.book.pairs``: name the pairs that do not agree; 1 if there is one."""
    drifted = [
        d
        for text in sorted(folder.rglob("*.md"))
        if is_pair_source(text) and (d := difference(text))
    ]
    print(*drifted, sep="\n", end="\n" if drifted else "")
    return int(bool(drifted))


if __name__ == "__main__":
    raise SystemExit(main())
