"""Failures of a page: a cell that failed has one sentence, where its outputs end."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

import nbformat

from lib.typeset import typeset
from press.toc import Page, glued, page_code, read_notebook, tags

KEY = "failure"  # of the sentence, in the metadata of an output
# what hides the outputs of a cell, and what hides the rest alike
FOLDS = {"hide-cell": "hide-input", "hide-output": "", "remove-cell": "remove-input"}
FOLDS |= {"remove-output": ""}
_GLUE = re.compile(r"\{glue:text\}`([^`:]+)(:[^`]*)?`")


@dataclass(frozen=True)
class Failure:
    """A cell that failed: its page, its number among the page's code cells, and the sentence."""

    doc: str
    cell: int
    sentence: str

    def __str__(self) -> str:
        return f"{self.doc}, code cell {self.cell}: {self.sentence}"


def sentence_output(sentence: str) -> nbformat.NotebookNode:
    """The output that shows ``sentence`` in the place of an error."""
    html = re.sub("`([^`]*)`", r"<code>\1</code>", escape(typeset(sentence), quote=False))
    data = {"text/html": f'<p class="failed-cell" role="note">{html}</p>', "text/plain": sentence}
    return nbformat.v4.new_output("display_data", data, metadata={KEY: sentence})


def failures(notebook: nbformat.NotebookNode, doc: str) -> list[Failure]:
    """The failures of an executed page, in its order."""
    return [
        Failure(doc, number, said)
        for number, cell in enumerate(page_code(notebook), 1)
        for out in cell.get("outputs", [])
        if (said := _sentence(out))
    ]


def _sentence(output: nbformat.NotebookNode) -> str | None:
    """What an output says of a failure; that of a strict execution is the error itself."""
    if output.output_type == "error":
        return f"This cell failed: {output.ename}: {output.evalue}"
    return output.get("metadata", {}).get(KEY)


def without_execution(page: Page, why: str) -> nbformat.NotebookNode:
    """The page without outputs, for one whose kernel ended; its first code cell says ``why``."""
    notebook = read_notebook(page.notebook)
    page_code(notebook)[0].outputs = [sentence_output(f"This page could not be executed: {why}.")]
    return notebook


def show_failures(cells: Iterable[nbformat.NotebookNode]) -> None:
    """Open the cells of a failed page whose sentence would be folded, and write *not available*
    for each value that was to be glued into the prose.
    """
    cells = list(cells)
    there = {name for cell in cells for name in glued(cell)}

    def text(match: re.Match) -> str:
        return match[0] if match[1] in there else "*not available*"

    for cell in cells:
        if cell.cell_type == "markdown":
            cell.source = _GLUE.sub(text, cell.source)
        elif any(KEY in out.get("metadata", {}) for out in cell.get("outputs", [])):
            cell.metadata["tags"] = sorted({FOLDS.get(tag, tag) for tag in tags(cell)} - {""})
