"""What the pages need of Sphinx beyond ``_config.yml``: places of explorers, the words of pages for
the search, and addresses of pages that have moved.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from lib.files import template
from lib.paths import CHAPTERS

EXPLORERS = CHAPTERS / "_static" / "explorers"
_MOVED = template(Path(__file__).parent / "templates" / "moved.html.j2")


def setup(app: Any) -> dict[str, bool]:
    """Connect the three."""
    texts: dict[str, str] = {}

    def finished(app: Any, failed: Exception | None) -> None:
        if not failed:
            write_texts(texts, app)
            write_moved(app)

    app.add_directive("explorer", Explorer)
    app.add_config_value("moved_pages", {}, "html", types=(dict,))
    app.connect("doctree-resolved", lambda _, tree, doc: texts.update({doc: words_of(tree)}))
    app.connect("build-finished", finished)
    return {"parallel_read_safe": True}


def explorer_names() -> list[str]:
    """The explorers that there are: the scripts of their folder, without what they share."""
    return sorted({path.stem for path in EXPLORERS.glob("*.js")} - {"core", "formulas"})


class Explorer(SphinxDirective):
    """The place of an explorer on a page, with the sentence that invites to it.

    ``figure`` is the anchor of the page's own figure of the same thing, which the explorer
    replaces where scripts run; with ``beside`` both are shown.
    """

    required_arguments = 1
    option_spec: ClassVar = {"figure": directives.unchanged_required, "beside": directives.flag}
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Raw HTML around the content; ``companion.js`` fills it."""
        name, figure = self.arguments[0], self.options.get("figure", "")
        if name not in explorer_names():
            raise self.error(f"explorer must be one of {explorer_names()}, got {name!r}")
        if not (figure and self.content):
            raise self.error(f"{name} must have a sentence and the anchor of a static figure")
        invitation = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, invitation)
        replaces = "" if "beside" in self.options else f' data-replaces="{figure}"'
        before = f'<div class="explorer" id="explore-{name}" data-explorer="{name}"{replaces}>'
        after = (
            f'<p class="explorer-still">Without scripts, <a href="#{figure}">the figure of this'
            " page</a> shows one setting.</p></div>"
        )
        raw = (nodes.raw("", html, format="html") for html in (before, after))
        return [next(raw), *invitation.children, next(raw)]


def words_of(tree: nodes.document) -> str:
    """What is read on a page, in one line, without code and what is not text."""
    skipped = (nodes.raw, nodes.comment, nodes.literal_block, nodes.title)
    texts = (t for t in tree.findall(nodes.Text) if not isinstance(t.parent, skipped))
    return " ".join(" ".join(text.astext() for text in texts).split())


def write_texts(texts: dict[str, str], app: Any) -> None:
    """The words of each page for the excerpts of a search: a script, since a page that is opened
    from a file can load nothing else (``companion.js`` reads it). Those of pages that were not
    written this time are kept beside what Sphinx remembers of them.
    """
    kept = Path(app.doctreedir, "search_texts.json")
    if kept.exists():
        texts = json.loads(kept.read_text("utf-8")) | texts
    kept.write_text(words := json.dumps(texts, ensure_ascii=False, sort_keys=True), "utf-8")
    path = Path(app.outdir, "_static", "search_texts.js")
    path.write_text(f"window.PAGE_TEXTS = {words};\n", "utf-8")


def write_moved(app: Any) -> None:
    """At the address of each page that has moved, one that leads on: an anchor to the first of its
    new pages that has it, all else to the anchor that ``moved_pages`` in ``_config.yml`` names.
    """
    html = Path(app.outdir)
    for old, (first, *others) in app.config.moved_pages.items():
        path, (main, _, anchor) = html / f"{old}.html", first.partition("#")
        pages = [page for doc in (*others, main) if (page := html / f"{doc}.html").exists()]
        homes = {
            Path(os.path.relpath(page, path.parent)).as_posix(): re.findall(
                r'\bid="([^"]+)"', page.read_text("utf-8")
            )
            for page in pages
        }
        if homes:  # one page alone is rendered, too
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_MOVED.render(homes=homes, to=f"{[*homes][-1]}#{anchor}"), "utf-8")
