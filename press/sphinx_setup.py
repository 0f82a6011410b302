"""What the pages need of Sphinx beyond ``_config.yml``: their words for the search, and addresses
of pages that have moved.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

from docutils import nodes

TEMPLATES = Path(__file__).parent / "templates"


def setup(app: Any) -> dict[str, bool]:
    """Connect both."""
    texts: dict[str, str] = {}
    app.add_config_value("moved_pages", {}, "html", types=(dict,))
    app.connect("config-inited", lambda _, config: config.templates_path.append(str(TEMPLATES)))
    app.connect("html-collect-pages", moved)
    app.connect("doctree-resolved", lambda _, tree, doc: texts.update({doc: words_of(tree)}))
    app.connect("build-finished", partial(write_texts, texts))
    return {"parallel_read_safe": True}


def moved(app: Any) -> list[tuple[str, dict[str, str], str]]:
    """At the address of each page that is no more, a page that leads on."""
    return [(old, {"to": new}, "moved.html") for old, new in app.config.moved_pages.items()]


def words_of(tree: nodes.document) -> str:
    """What is read on a page, in one line, without code and what is not text."""
    skipped = (nodes.raw, nodes.comment, nodes.literal_block, nodes.title)
    texts = (t for t in tree.findall(nodes.Text) if not isinstance(t.parent, skipped))
    return " ".join(" ".join(text.astext() for text in texts).split())


def write_texts(texts: dict[str, str], app: Any, failed: Exception | None) -> None:
    """The words of each page for the excerpts of a search: a script, since a page that is opened
    from a file can load nothing else (``companion.js`` reads it). Those of pages that were not
    written this time are kept beside what Sphinx remembers of them.
    """
    if failed:
        return
    kept = Path(app.doctreedir, "search_texts.json")
    if kept.exists():
        texts = json.loads(kept.read_text("utf-8")) | texts
    kept.write_text(words := json.dumps(texts, ensure_ascii=False, sort_keys=True), "utf-8")
    path = Path(app.outdir, "_static", "search_texts.js")
    path.write_text(f"window.PAGE_TEXTS = {words};\n", "utf-8")
