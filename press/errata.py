"""The errata of all papers in one list: what the tables at the top of their pages say."""

from __future__ import annotations

import re

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from lib.paths import CHAPTERS

PAPERS = {
    "stratified": "private means",
    "synthesizers": "synthesizers",
    "ldp": "LDP and fairness",
    "coherence": "coherence",
}
HEADS = ("paper", "entry", "place", "status")
_ROW = re.compile(r"^\| \[([^\]]+)\]\(#(errata-[\w-]+)\) \| (.+?) \| (.+?) \|$", re.M)


def entries() -> list[tuple[str, ...]]:
    """Paper, words, anchor, place and status of each entry, in the order of the pages."""
    texts = {name: (CHAPTERS / "errata" / f"{name}.md").read_text("utf-8") for name in PAPERS}
    return [(PAPERS[name], *row) for name, text in texts.items() for row in _ROW.findall(text)]


class Errata(SphinxDirective):
    """The list as a table; ``companion.js`` puts menus and a search above a ``filtered`` one."""

    def run(self) -> list[nodes.Node]:
        """A container with the table."""
        rows = (
            f"| {paper} | {{ref}}`{words} <{anchor}>` | {place} | {status} |"
            for paper, words, anchor, place, status in entries()
        )
        lines = [f"| {' | '.join(HEADS)} |", "|---|---|---|---|", *rows]
        box = nodes.container(classes=["filtered"])
        self.state.nested_parse(StringList(lines, "errata"), self.content_offset, box)
        return [box]
