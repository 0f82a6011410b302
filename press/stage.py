"""The staging folder that jupyter-book renders: executed notebooks and plain pages."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import nbformat

from press.execute import Executed
from press.exercises import add_boxes, without_solutions
from press.failures import show_failure
from press.pairs import without_traces
from press.reference import reference
from press.toc import Page, put, read_notebook


def mathjax() -> Path:
    """MathJax 3 with SVG output in one file, from the Python package that carries it."""
    files = metadata.files("sphinx-mathjax-offline") or []
    return Path(next(file for file in files if file.name == "tex-svg.js").locate())


def fold_parameters(cells: list[nbformat.NotebookNode]) -> None:
    """Fold the parameters of a page, under their own name."""
    for cell in cells:
        if "parameters" in (tagged := cell.metadata.get("tags", [])):
            cell.metadata["tags"] = [*tagged, "hide-input"]
            words = dict.fromkeys(("code_prompt_show", "code_prompt_hide"), "Parameters")
            cell.metadata["mystnb"] = words


def _page_of(chapter: Executed, solutions: bool) -> str:
    """An executed chapter without the set-up and the injected cell, with boxes for answers."""
    notebook = without_traces(read_notebook(chapter.path), "injected-parameters")
    if chapter.failures:
        show_failure(notebook)
    fold_parameters(notebook.cells)
    add_boxes(notebook.cells)
    if not solutions:
        notebook.cells = without_solutions(notebook.cells)
    return nbformat.writes(notebook)


def copy_static(root: Path, folder: Path) -> None:
    """Put the book's style, scripts, what explorers look up, and MathJax into ``folder``."""
    from press.explorer_data import write_data  # loads the studies

    hidden = shutil.ignore_patterns(".*")  # jupyter-book would load an editor's copies, too
    shutil.copytree(root / "chapters" / "_static", folder, ignore=hidden)
    write_data(folder / "explorers" / "data")
    (folder / "mathjax").mkdir()
    shutil.copy(mathjax(), folder / "mathjax" / "tex-svg.js")


def stage(
    root: Path,
    pages: Sequence[Page],
    executed: Sequence[Executed],
    folder: Path,
    *,
    solutions: bool = True,
) -> None:
    """Bring ``folder`` up to date, with or without the solutions of exercises."""
    by_doc, texts = {chapter.doc: chapter for chapter in executed}, {}
    for page in pages:
        if page.is_generated:
            texts[folder / f"{page.doc}.rst"] = reference(page.doc, root)
        elif page.doc in by_doc:
            texts[folder / f"{page.doc}.ipynb"] = _page_of(by_doc[page.doc], solutions) + "\n"
        else:
            texts[folder / f"{page.doc}.md"] = page.text.read_text("utf-8")
    for path, text in texts.items():
        put(path, text)
    for path in {*folder.glob("chapters/**/*.*")} - {*texts}:
        path.unlink()
    for name in ("_config.yml", "_toc.yml", "references.bib"):
        shutil.copy2(root / name, folder / name)
    shutil.rmtree(folder / "_static", ignore_errors=True)
    copy_static(root, folder / "_static")
