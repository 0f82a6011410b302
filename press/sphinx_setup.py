"""Settings of Sphinx that a configuration file cannot hold."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from jinja2.sandbox import SandboxedEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx_proof import domain
from sphinx_proof import nodes as numbered

from lib.files import template
from lib.paths import CHAPTERS
from press import strip
from press.reference import add_contents

EXPLORERS = CHAPTERS / "_static" / "explorers"
SHARED = ("core", "formulas")
_SCORER = str(Path(__file__).with_name("scorer.js"))  # Sphinx opens it by a path from anywhere
_MOVED = template(Path(__file__).parent / "templates" / "moved.html.j2")


def setup(app: Any) -> dict[str, bool]:
    """Let numpydoc read its template once (it would read it for each docstring), name the book's
    own theorems, number exercises, keep the words of the pages for the search, place explorers,
    fill the strips of pages, and lead from the addresses of pages that have moved.
    """
    from numpydoc import docscrape_sphinx

    made: dict[str, Any] = {}
    docscrape_sphinx.SandboxedEnvironment = lambda loader: made.setdefault(
        "", SandboxedEnvironment(loader=loader)
    )
    domain.translate = numbered._ = own_series
    app.connect("env-check-consistency", lambda _, env: number_within_pages(env))
    # two processes write the pages, for which there is no option; the third of three prepares them
    app.connect("env-check-consistency", lambda app, _: setattr(app, "parallel", 3))
    app.add_directive("explorer", Explorer)
    app.connect("config-inited", lambda _, config: setattr(config, "html_search_scorer", _SCORER))
    strip.setup(app)
    app.setup_extension("sphinx.ext.autodoc")  # has the event
    app.connect("autodoc-process-docstring", add_contents)
    texts = {}
    app.connect("doctree-resolved", lambda _, tree, doc: texts.update({doc: words_of(tree)}))
    app.connect("build-finished", lambda app, _: write_texts(texts, app))
    app.add_config_value("moved_pages", {}, "html", types=(dict,))
    app.connect("build-finished", write_moved)
    return {"parallel_read_safe": True}


def explorer_names() -> list[str]:
    """The explorers that there are: the scripts of their folder, without what they share."""
    return sorted({path.stem for path in EXPLORERS.glob("*.js")} - set(SHARED))


class Explorer(SphinxDirective):
    """The place of an explorer on a page, with the sentence that invites to it.

    ``figure`` is the anchor of the page's own figure of the same thing, which the explorer
    replaces where scripts run; with ``beside`` both are shown.
    """

    required_arguments = 1
    option_spec: ClassVar = {
        "figure": directives.unchanged_required,
        "beside": directives.flag,
    }
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Raw HTML around the content; ``companion.js`` fills it."""
        name = self.arguments[0]
        if name not in explorer_names():
            raise self.error(f"explorer must be one of {explorer_names()}, got {name!r}")
        self.assert_has_content()
        if "figure" not in self.options:
            raise self.error(
                "figure must be the anchor of a static figure of the page, got nothing"
            )
        invitation = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, invitation)
        replaces = "" if "beside" in self.options else f' data-replaces="{self.options["figure"]}"'
        opening = f'<div class="explorer" id="explore-{name}" data-explorer="{name}"{replaces}>'
        still = (
            f'<p class="explorer-still">Without scripts, <a href="#{self.options["figure"]}">the'
            " figure of this page</a> shows one setting.</p></div>"
        )
        before, after = (nodes.raw("", html, format="html") for html in (opening, still))
        return [before, *invitation.children, after]


def own_series(kind: str) -> str:
    """The book's numbers are a series of their own: "Book theorem 7" is not a paper's Theorem 7."""
    return kind if kind == "Proof" else f"Book {kind.lower()}"


def number_within_pages(env: Any) -> None:
    """Let the exercises of each page begin with 1."""
    for kinds in env.toc_fignumbers.values():
        if exercises := kinds.get("exercise"):
            order = sorted(exercises, key=exercises.get)
            kinds["exercise"] = {name: (number,) for number, name in enumerate(order, 1)}


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


def write_moved(app: Any, failed: Exception | None) -> None:
    """At the address of each page that has moved, one that leads on: an anchor to the first of its
    new pages that has it, all else to the anchor that ``moved_pages`` in ``_config.yml`` names.
    """
    html = Path(app.outdir)
    for old, (first, *others) in app.config.moved_pages.items():
        path, (main, _, anchor) = html / f"{old}.html", first.partition("#")
        pages = [html / f"{doc}.html" for doc in (*others, main)]
        if failed or not all(page.exists() for page in pages):  # one page alone is rendered, too
            continue
        addresses = [Path(os.path.relpath(page, path.parent)).as_posix() for page in pages]
        anchors = (re.findall(r'\bid="([^"]+)"', page.read_text("utf-8")) for page in pages)
        homes = dict(zip(addresses, anchors, strict=True))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_MOVED.render(homes=homes, to=f"{addresses[-1]}#{anchor}"), "utf-8")
