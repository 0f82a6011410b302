"""Exercises of an executed page: the boxes in which a reader enters an answer, and pages without
the solutions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape
from typing import Any

from nbformat import NotebookNode

from lib.book.answers import KIND, seal

_MARK = re.compile(r"(^```\{solution-(?:start|end)\}[^`]*^```$)", re.M)


def solutions(cells: list[NotebookNode]) -> Iterator[tuple[str, NotebookNode]]:
    """The label of its exercise and the cell, for each code cell of a solution."""
    label = ""
    for cell in cells:
        if cell.cell_type == "code":
            if label:
                yield label, cell
        elif marks := _MARK.findall(cell.source):
            label = marks[-1].split("\n")[0].partition("} ")[2]


def answers(cells: list[NotebookNode]) -> dict[str, list[dict[str, Any]]]:
    """What the solutions of a page stated with :func:`lib.book.answers.answer`, by exercise."""
    found: dict[str, list[dict[str, Any]]] = {}
    for label, cell in solutions(cells):
        stated = [out.data[KIND] for out in cell.get("outputs", []) if KIND in out.get("data", {})]
        if stated:
            found.setdefault(label, []).extend(stated)
    return found


def _box(label: str, number: int, body: dict[str, Any]) -> str:
    """A place for ``answers.js``, with hashes where ``body`` has the answer."""
    shown = {k: v for k, v in body.items() if k not in ("value", "accept", "hints")}
    salt = f"{label}-{number}"
    shown |= {"salt": salt, "keys": [seal(salt, text) for text in body["accept"]]}
    shown["hints"] = {seal(salt, text): said for text, said in body["hints"].items()}
    data = escape(json.dumps(shown, ensure_ascii=False))
    return f'<div class="answer" data-answer="{data}"></div>'


def add_boxes(cells: list[NotebookNode]) -> None:
    """Put the boxes of an executed page below the texts of their exercises."""
    stated = answers(cells)

    def with_boxes(match: re.Match) -> str:
        bodies = stated.get(match["label"], [])
        boxes = [_box(match["label"], number, body) for number, body in enumerate(bodies, 1)]
        return "\n\n".join([match["text"], *boxes]) + "\n```"

    exercise = r"^(?P<text>```\{exercise\}[^\n]*\n:label: (?P<label>\S+)\n.*?)\n```$"
    for cell in cells:
        if cell.cell_type == "markdown":
            cell.source = re.sub(exercise, with_boxes, cell.source, flags=re.M | re.S)
        for out in cell.get("outputs", []):
            out.get("data", {}).pop(KIND, None)


def without_solutions(cells: list[NotebookNode]) -> list[NotebookNode]:
    """The cells without those of solutions; of a cell that only touches one the rest stays."""
    kept, inside = [], False
    for cell in cells:
        if cell.cell_type == "markdown":
            rest = ""
            for part in _MARK.split(cell.source):
                if _MARK.fullmatch(part):
                    inside = "{solution-start}" in part
                elif not inside:
                    rest += part
            cell.source = rest.strip()
            kept += [cell] if cell.source else []
        elif not inside:
            kept.append(cell)
    return kept
