"""The book without the solutions of its exercises is whole."""

from __future__ import annotations

import ast
import re

from lib.paths import CHAPTERS, ROOT
from press.toc import pages, read_notebook, tags


def names(source: str, context: type) -> set[str]:
    """What a cell assigns (``ast.Store``) or uses (``ast.Load``), by import and definition, too."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, context):
            found.add(node.id)
        elif context is ast.Store and isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif context is ast.Store and isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    return found


def test_no_page_needs_a_name_of_its_solutions():
    """Students run the pages without them."""
    for page in (page for page in pages(ROOT) if page.is_chapter):
        mine, hidden = set(), set()
        for cell in read_notebook(page.notebook).cells:
            if cell.cell_type != "code" or cell.source.startswith("%"):
                continue
            own = hidden if "solution" in tags(cell) else mine
            own |= names(cell.source, ast.Store)
            if own is mine:
                assert names(cell.source, ast.Load) & hidden - mine == set(), page.doc


def test_every_exercise_has_a_solution_that_states_what_its_box_checks():
    for path in CHAPTERS.rglob("*.md"):
        text = path.read_text("utf-8")
        labels = re.findall(r"^```\{exercise\}.*\n:label: (\S+)", text, re.M)
        solutions = re.findall(
            r"^```\{solution-start\} (\S+)((?s:.*?))^```\{solution-end", text, re.M
        )
        assert labels == [label for label, body in solutions if "answer(" in body], path
