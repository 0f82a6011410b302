"""Quizzes and bank for a university's system: QTI for Canvas.

``text2qti`` writes QTI from a plain text, which is kept beside it, since a lecturer edits that more
easily. It has the key and its tolerance, and tells what each planted mistake is: a choice says it
to those who made that mistake, a number to everyone who was wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from text2qti.config import Config
from text2qti.qti import QTI
from text2qti.quiz import Quiz

from course.bank import Item, computed, quizzes
from lib.files import write_whole

_POINTS = {"easy": 1, "medium": 2, "hard": 3}


def points(item: Item) -> int:
    """What an item is worth: 1 to 3, by its difficulty."""
    return _POINTS[item["difficulty"]]


def _number(value: float) -> str:
    """Enough digits to lie well within any tolerance."""
    return f"{value:.8g}"


def plain(name: str, heading: str, items: Sequence[Item]) -> str:
    """A sheet as ``text2qti`` reads it.

    Examples
    --------
    >>> item = {"id": "x", "kind": "choice", "difficulty": "easy", "text": "1 + 1?", "key": "Two.",
    ...         "wrong": [{"answer": "Eleven.", "shows": "Joins the digits."}]}
    >>> print(plain("sums", "# Sums", [item]).partition("Title")[2])
    : x
    Points: 1
    1. 1 + 1?
    b) Eleven.
    ... Joins the digits.
    *b) Two.
    <BLANKLINE>
    """
    title, _, advice = heading.removeprefix("# ").partition("\n\n")
    lines = [f"Quiz title: {title}", f"Quiz description: {advice or name}", "", ""]
    for number, item in enumerate(items, 1):
        lines += [f"Title: {item['id']}", f"Points: {points(item)}"]
        lines += [_indented(f"{number}. ", item["text"]), *_answers(item), ""]
    return "\n".join(lines)


def _indented(mark: str, text: str) -> str:
    """A text of several lines, as one part of a sheet."""
    return mark + text.strip().replace("\n", "\n" + " " * len(mark))


def _answers(item: Item) -> list[str]:
    wrong = item.get("wrong", [])
    if item["kind"] == "choice":
        lines = []
        for text, shows in sorted([(item["key"], ""), *((w["answer"], w["shows"]) for w in wrong)]):
            lines.append(_indented("*b) " if text == item["key"] else "b) ", text))
            if shows:
                lines.append(_indented("... ", shows))
        return lines
    if item["kind"] == "number":
        key, values = computed(item)
        typical = [f"{v:.4g}: {one['shows']}" for v, one in zip(values, wrong, strict=True)]
        key_line = f"= {_number(key)} +- {_number(item['tolerance'])}"
        return [_indented("- ", " ".join(typical)), key_line]
    return [_indented("... ", item["answers"]["full"]), "____"]


def write_qti(name: str, heading: str, items: Sequence[Item], out: Path) -> Path:
    """Write ``NAME.zip``, which Canvas imports, beside the text that it was made of."""
    text, archive = plain(name, heading, items), out / f"{name}.zip"
    write_whole(out / f"{name}.txt", text, private=True)
    write_whole(archive, QTI(Quiz(text, config=Config())).zip_bytes(), private=True)
    return archive


def export(out: Path) -> list[Path]:
    """Write every sheet, and return the files to import."""
    folder = out / "qti"
    folder.mkdir(parents=True, exist_ok=True)
    return [write_qti(name, *sheet, folder) for name, sheet in quizzes().items()]
