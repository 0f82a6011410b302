"""Quizzes and bank for a university's system: QTI for Canvas, and XML for Moodle.

``text2qti`` writes QTI from a plain text, which is kept beside it, since a lecturer edits that more
easily. Both formats have the key and its tolerance, and tell what each planted mistake is: Moodle
and a choice say it to those who made that mistake, a number in Canvas to everyone who was wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

from markdown_it import MarkdownIt
from text2qti.config import Config
from text2qti.qti import QTI
from text2qti.quiz import Quiz

from course.bank import Item, computed, quizzes
from lib import validate
from lib.files import write_whole

_POINTS = {"easy": 1, "medium": 2, "hard": 3}
_KINDS = {"number": "numerical", "choice": "multichoice", "reason": "essay"}  # as Moodle calls them
_SHARES = {"full": "100%", "half": "50%", "none": "0%"}
_HTML = {"format": "html"}  # of what Moodle shows as such


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


def _html(text: str) -> str:
    return MarkdownIt("commonmark").enable("table").render(text)


def _add(parent: Xml.Element, tag: str, text: str, **attributes: str) -> Xml.Element:
    """An element with a ``text`` in it, which is how Moodle holds whatever is read."""
    element = Xml.SubElement(parent, tag, attributes)
    Xml.SubElement(element, "text").text = text
    return element


def _moodle(item: Item) -> Xml.Element:
    """An item as Moodle has it."""
    question = Xml.Element("question", type=_KINDS[item["kind"]])
    _add(question, "name", item["id"])
    _add(question, "questiontext", _html(item["text"]), **_HTML)
    Xml.SubElement(question, "defaultgrade").text = str(points(item))
    if item["kind"] == "reason":
        levels = (f"{share}: {item['answers'][level]}" for level, share in _SHARES.items())
        _add(question, "graderinfo", _html("\n\n".join(levels)), **_HTML)
        Xml.SubElement(question, "responsefieldlines").text = "15"
        return question
    choice = item["kind"] == "choice"
    if choice:
        Xml.SubElement(question, "single").text = "true"
        Xml.SubElement(question, "shuffleanswers").text = "true"
        answers = [item["key"], *(one["answer"] for one in item["wrong"])]
    else:
        key, values = computed(item)
        answers = [_number(value) for value in (key, *values)]
    remarks = ["", *(one["shows"] for one in item["wrong"])]
    for number, (answer, shows) in enumerate(zip(answers, remarks, strict=True)):
        fraction = "0" if number else "100"  # the first is right
        element = _add(question, "answer", answer, fraction=fraction, **_HTML if choice else {})
        _add(element, "feedback", _html(shows), **_HTML)
        if not choice:
            Xml.SubElement(element, "tolerance").text = _number(item["tolerance"])
    return question


def write_moodle(name: str, heading: str, items: Sequence[Item], out: Path) -> Path:
    """Write ``NAME.xml``, which Moodle imports into a category of its own."""
    quiz = Xml.Element("quiz")
    category = Xml.SubElement(quiz, "question", type="category")
    _add(category, "category", f"$course$/top/Who pays for privacy/{name}")
    _add(category, "info", _html(heading.partition("\n\n")[2]), **_HTML)
    quiz.extend(_moodle(item) for item in items)
    Xml.indent(quiz)
    path = out / f"{name}.xml"
    text = Xml.tostring(quiz, encoding="unicode")
    write_whole(path, f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n', private=True)
    return path


FORMATS: dict[str, Callable[[str, str, Sequence[Any], Path], Path]] = {
    "qti": write_qti,
    "moodle": write_moodle,
}


def export(form: str, out: Path) -> list[Path]:
    """Write every sheet in a form, and return the files to import.

    Raises
    ------
    ValueError
        For a form that is none of :data:`FORMATS`.
    """
    write = FORMATS[validate.choice("format", form, FORMATS)]
    folder = out / form
    folder.mkdir(parents=True, exist_ok=True)
    return [write(name, *sheet, folder) for name, sheet in quizzes().items()]
