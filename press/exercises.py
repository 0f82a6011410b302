"""Exercises of an executed page: the boxes in which a reader enters an answer, and pages without
the solutions.
"""

from __future__ import annotations

import hashlib
import json
import re
from html import escape
from typing import Any

from nbformat import NotebookNode

from lib.pages.answers import KIND

_MARK = re.compile(r"^```\{solution-(?:start\} (\S+)|end\})[^`]*^```$", re.M)


def answers(cells: list[NotebookNode]) -> dict[str, list[dict[str, Any]]]:
    """What the solutions of a page stated with :func:`lib.pages.answers.answer`, by the label of
    their exercise; it is taken out of the cells.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    label = ""
    for cell in cells:
        if cell.cell_type == "markdown":
            label = [label, *_MARK.findall(cell.source)][-1]
        for out in cell.get("outputs", []):
            if body := out.get("data", {}).pop(KIND, None):
                found.setdefault(label, []).append(body)
    return found


def seal(salt: str, text: str) -> str:
    """What a page holds of the text of an answer."""
    return hashlib.sha256(f"{salt}|{text}".encode()).hexdigest()[:16]


def _box(salt: str, body: dict[str, Any]) -> str:
    """A place for ``answers.js``, with hashes where ``body`` has the answer."""
    body["keys"] = [seal(salt, text) for text in body.pop("accept")]
    body["hints"] = {seal(salt, text): said for text, said in body["hints"].items()}
    body.pop("value", None)
    data = json.dumps(body | {"salt": salt}, ensure_ascii=False)
    return f'\n\n<div class="answer" data-answer="{escape(data)}"></div>'


def add_boxes(cells: list[NotebookNode]) -> None:
    """Put the boxes of an executed page below the texts of their exercises."""
    for label, stated in answers(cells).items():
        boxes = "".join(_box(f"{label}-{number}", body) for number, body in enumerate(stated, 1))
        text = rf"^```{{exercise}}[^\n]*\n:label: {re.escape(label)}\n.*?(?=\n```$)"
        for cell in cells:
            if found := re.search(text, cell.source, re.M | re.S):
                cell.source = cell.source[: found.end()] + boxes + cell.source[found.end() :]


def without_solutions(cells: list[NotebookNode]) -> list[NotebookNode]:
    """The cells without those of solutions; of a cell that only touches one the rest stays."""
    kept, inside = [], False
    for cell in cells:
        if cell.cell_type == "code":
            kept += [] if inside else [cell]
            continue
        before, *marked = _MARK.split(cell.source)
        text = "" if inside else before
        for label, after in zip(marked[::2], marked[1::2], strict=True):
            inside = bool(label)
            text += "" if inside else after
        cell.source = text.strip()
        kept += [cell] if cell.source else []
    return kept
