"""Settings of Sphinx that a configuration file cannot hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from docutils import nodes
from jinja2.sandbox import SandboxedEnvironment
from sphinx_proof import domain
from sphinx_proof import nodes as numbered


def setup(app: Any) -> dict[str, bool]:
    """Let numpydoc read its template once (it would read it for each docstring), name the book's
    own theorems, number exercises, and keep the words of the pages for the search.
    """
    from numpydoc import docscrape_sphinx

    first: list[SandboxedEnvironment] = []

    def environment(loader: Any) -> SandboxedEnvironment:
        if not first:
            first.append(SandboxedEnvironment(loader=loader))
        return first[0]

    docscrape_sphinx.SandboxedEnvironment = environment
    domain.translate = numbered._ = own_series
    app.connect("env-check-consistency", lambda _, env: number_within_pages(env))
    texts: dict[str, str] = {}
    app.connect("doctree-resolved", lambda _, tree, doc: texts.update({doc: words_of(tree)}))
    app.connect("build-finished", lambda app, _: write_texts(texts, Path(app.outdir)))
    return {"parallel_read_safe": True}


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


def write_texts(texts: dict[str, str], folder: Path) -> None:
    """The words of each page for the excerpts of a search: a script, since a page that is opened
    from a file can load nothing else (``companion.js`` reads it).
    """
    path = folder / "_static" / "search_texts.js"
    path.write_text(f"window.PAGE_TEXTS = {json.dumps(texts, ensure_ascii=False)};\n", "utf-8")
