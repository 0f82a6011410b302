"""A chapter that failed: its page is shown up to the error, and says that the rest was not run."""

from __future__ import annotations

import re
from dataclasses import dataclass

import nbformat

from press.toc import glued, page_code

REST = '<p class="failed-cell" role="note">This cell failed; what follows was not run.</p>'
MARK = "papermill-error-cell-tag"  # of the cells that papermill adds
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_GLUE = re.compile(r"\{glue:text\}`([^`:]+)(:[^`]*)?`")


@dataclass(frozen=True)
class Failure:
    """A cell that failed: its page, its number among the page's code cells, and the error."""

    doc: str
    cell: int
    error: str
    traceback: str

    def __str__(self) -> str:
        return f"{self.doc}, code cell {self.cell}: {self.error}"


def _errors(cell: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [out for out in cell.get("outputs", []) if out.output_type == "error"]


def failures(notebook: nbformat.NotebookNode, doc: str) -> list[Failure]:
    """The cell of an executed page that failed, if one did."""
    return [
        Failure(
            doc, number, f"{out.ename}: {out.evalue}", _COLOUR.sub("", "\n".join(out.traceback))
        )
        for number, cell in enumerate(page_code(notebook), 1)
        for out in _errors(cell)
    ]


def show_failure(notebook: nbformat.NotebookNode) -> None:
    """Say below the error of a failed page that the rest was not run, and write *not available*
    for each value that was to be glued into its prose.
    """
    notebook.cells = [cell for cell in notebook.cells if MARK not in cell.metadata.get("tags", [])]
    there = {name for cell in notebook.cells for name in glued(cell)}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            said = _GLUE.sub(lambda m: m[0] if m[1] in there else "*not available*", cell.source)
            cell.source = said
        elif _errors(cell):
            cell.metadata["tags"] = []  # they might hide it
            rest = {"text/html": REST, "text/plain": "This cell failed; what follows was not run."}
            cell.outputs.append(nbformat.v4.new_output("display_data", rest))
