"""The strip of a page: one closed line that holds what a reader needs who wants to rerun it.

A page writes it as a dropdown of the class ``about``, with objectives, claims and prerequisites.
Its cells with the tag ``parameters`` or ``about`` (badges, checks) stand before it in the notebook,
where papermill finds them, and inside it on the page.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.util import logging

CELLS = {"tag_parameters", "tag_about"}  # classes that MyST-NB gives to cells with these tags
_log = logging.getLogger(__name__)


def fill_strip(tree: nodes.document, doc: str) -> None:
    """Move the cells into the strip of the page ``doc``, in their order, and say how it is rerun.

    A page without a strip stays as it is; a second strip, or a cell without one, is warned of.
    """
    strips = [n for n in tree.findall(nodes.container) if "about" in n.get("container_classes", ())]
    cells = [n for n in tree.findall(nodes.container) if CELLS & {*n["classes"]}]
    if len(strips) > 1 or (not strips and any("tag_about" in n["classes"] for n in cells)):
        _log.warning("%s must have one dropdown of the class about, got %d", doc, len(strips))
    if not strips:
        return
    for cell in cells:
        cell.parent.remove(cell)
    title, *text = strips[0].children
    strips[0].children = []
    strips[0].extend([title, *cells, *([_command(doc)] if cells else []), *text])


def _command(doc: str) -> nodes.paragraph:
    command = f"python -m lib rerun {doc.removeprefix('chapters/')} NAME=VALUE"
    after = nodes.Text("; several values, by commas, stand side by side.")
    return nodes.paragraph("", "", nodes.Text("Rerun it: "), nodes.literal("", command), after)


def setup(app: Any) -> None:
    """Fill the strip of each page once it is read."""
    app.connect("doctree-read", lambda app, tree: fill_strip(tree, app.env.docname))
