"""Exercises of an executed page: the boxes in which a reader enters an answer, and pages without
the solutions.
"""

from __future__ import annotations

import hashlib
import json
import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from html import escape
from typing import Any

from joblib import Memory
from nbformat import NotebookNode

from lib.pages.answers import KIND
from lib.paths import BUILD

Stated = dict[str, list[dict[str, Any]]]  # answers, by the label of their exercise

ROUNDS = 600_000  # of PBKDF2, which browsers have; they have no scrypt

_MARK = re.compile(r"^```\{solution-(?:start\} (\S+)|end\})[^`]*^```$", re.M)


def answers(cells: list[NotebookNode]) -> Stated:
    """What the solutions of a page stated with :func:`lib.pages.answers.answer`, by the label of
    their exercise; it is taken out of the cells.
    """
    found: Stated = {}
    label = ""
    for cell in cells:
        if cell.cell_type == "markdown":
            label = [label, *_MARK.findall(cell.source)][-1]
        for out in cell.get("outputs", []):
            if body := out.get("data", {}).pop(KIND, None):
                found.setdefault(label, []).append(body)
    return found


def seal(salt: str, text: str) -> str:
    """What a page holds of the text of an answer, by a slow function; kept between builds.

    There are few texts of two digits, so a program can try them, likely ones first: that found half
    of the book's numbers in 95 tries or fewer, 13 seconds of a core, and all choices at once.
    """
    return Memory(BUILD / "seals", verbose=0).cache(_derived)(salt, text, ROUNDS)


def _derived(salt: str, text: str, rounds: int) -> str:
    return hashlib.pbkdf2_hmac("sha256", text.encode(), salt.encode(), rounds, 8).hex()


def _box(salt: str, body: dict[str, Any]) -> str:
    """A place for ``answers.js``, with hashes where ``body`` has the answer."""
    texts = [*body["accept"], *body["hints"]]
    with ThreadPoolExecutor() as pool:
        sealed = dict(zip(texts, pool.map(partial(seal, salt), texts), strict=True))
    body["keys"] = [sealed[text] for text in body.pop("accept")]
    body["hints"] = {sealed[text]: said for text, said in body["hints"].items()}
    body.pop("value", None)
    data = json.dumps(body | {"salt": salt, "rounds": ROUNDS}, ensure_ascii=False)
    return f'\n\n<div class="answer" data-answer="{escape(data)}"></div>'


def add_boxes(cells: list[NotebookNode], stated: Stated | None = None) -> None:
    """Put boxes below the texts of exercises: for what the executed cells state, or ``stated``."""
    for label, bodies in (answers(cells) if stated is None else stated).items():
        boxes = "".join(_box(f"{label}-{number}", body) for number, body in enumerate(bodies, 1))
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
