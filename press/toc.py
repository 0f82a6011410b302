"""The pages of the book, as ``_toc.yml`` lists them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import nbformat
from sphinx_external_toc.parsing import parse_toc_yaml

from lib.files import write_whole

FOLDER = "chapters/reference"
SETUP = "setup"  # tag of the cell that no .md has
GENERATED = f"{FOLDER}/"  # begins the names of pages that are written at build time
LESSON = re.compile(
    r"chapters/(foundations|means|synth|ldp|coherence|across|data)/(?!(evidence|proofs)$)[\w-]+"
)  # the cells of these pages run in the page


@dataclass(frozen=True)
class Page:
    """A page: its place without ending, e.g. ``chapters/ldp/fairness``, below ``root``."""

    doc: str
    root: Path

    @property
    def notebook(self) -> Path:
        """The notebook of the pair."""
        return self.root / f"{self.doc}.ipynb"

    @property
    def text(self) -> Path:
        """The text of the pair, which is edited."""
        return self.root / f"{self.doc}.md"

    @property
    def is_chapter(self) -> bool:
        """Whether the page has code (a pair), and is executed."""
        return self.notebook.exists()

    @property
    def is_generated(self) -> bool:
        """Whether the build writes the page."""
        return self.doc.startswith(GENERATED)


def markdown(folder: Path) -> list[Path]:
    """The Markdown files below ``folder``, without hidden folders (``.ipynb_checkpoints``)."""
    found = sorted(folder.rglob("*.md"))
    return [f for f in found if not any(p[0] == "." for p in f.relative_to(folder).parts)]


def put(path: Path, text: str) -> bool:
    """Write ``text`` unless it is there: Sphinx goes by the times of files. Whether it was not."""
    if path.exists() and path.read_text("utf-8", "replace") == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)
    return True


def read_notebook(path: Path) -> nbformat.NotebookNode:
    """The notebook at ``path``; a ``ValueError`` names a file that is none."""
    try:
        return nbformat.read(path, as_version=4)
    except FileNotFoundError:
        raise
    except Exception as error:  # nbformat raises whatever a broken file leads to
        paired = path.with_suffix(".md").exists()
        hint = "; git may have left a conflict in it" if paired else ""
        said = " ".join(str(error).split())[:80]
        raise ValueError(f"{path} must be a notebook, got another file ({said}){hint}") from None


def tags(cell: nbformat.NotebookNode) -> set[str]:
    """The tags of a cell."""
    return set(cell.metadata.get("tags", ()))


def page_code(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """The code cells of the page itself: without the set-up, and what papermill injected."""
    cells = (cell for cell in notebook.cells if cell.cell_type == "code")
    return [cell for cell in cells if not tags(cell) & {SETUP, "injected-parameters"}]


def glued(cell: nbformat.NotebookNode) -> dict[str, nbformat.NotebookNode]:
    """What a cell glues into the prose: the data of each value, by name."""
    named = [(o.get("metadata", {}).get("scrapbook"), o) for o in cell.get("outputs", ())]
    return {about["name"]: out["data"] for about, out in named if about}


def glued_texts(notebook: nbformat.NotebookNode) -> dict[str, str]:
    """The values that an executed page glues into its prose, as they are read there."""
    found = {name: data for cell in notebook.cells for name, data in glued(cell).items()}
    return {name: str(next(iter(data.values()))).strip("'\"") for name, data in found.items()}


def pages(root: Path) -> list[Page]:
    """Every page in reading order.

    Raises
    ------
    ValueError
        If a page of the table of contents has no file.
    """
    listed = [Page(doc, root) for doc in parse_toc_yaml(root / "_toc.yml")]
    for page in listed:
        if not (page.is_generated or page.is_chapter or page.text.exists()):
            raise ValueError(
                f"_toc.yml lists {page.doc!r}, but there is neither {page.doc}.md nor"
                f" {page.doc}.ipynb"
            )
    return listed
