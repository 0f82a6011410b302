"""Sheets of questions from the bank: for students without the keys, and for the teacher with them.

The questions are in ``course/bank.yml`` and ``course/quizzes.yml``, which explain their fields.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from course.sessions import COURSE, TEMPLATES
from lib.files import read_yaml, template, write_whole

Item = dict[str, Any]


def quizzes() -> dict[str, tuple[str, list[Item]]]:
    """Heading and items of each sheet: the two quizzes, and the bank session by session.

    Examples
    --------
    >>> {name: len(items) for name, (_, items) in quizzes().items()}["final"]
    12
    """
    bank = {item["id"]: item for item in read_yaml(COURSE / "bank.yml", dict)["items"]}
    sheets = {}
    for name, quiz in read_yaml(COURSE / "quizzes.yml", dict).items():
        items = [item if isinstance(item, dict) else bank[item] for item in quiz["items"]]
        sheets[name] = f"# {quiz['title']}\n\n{quiz['minutes']} minutes. {quiz['advice']}", items
    for number in sorted({item["session"] for item in bank.values()}):
        own = [item for item in bank.values() if item["session"] == number]
        sheets[f"session-{number}"] = f"# Questions for session {number}", own
    return sheets


def evaluated(code: str, names: dict[str, Any]) -> Callable[[Any], float]:
    """Run the code of an item with ``names``; returned is what reads a number, or an expression in
    the names that there are then.

    Examples
    --------
    >>> evaluated("key = 2 * n", {"n": 3})("key / 2")
    3.0
    """
    space = dict(names)
    exec(code, space)
    return lambda stated: float(eval(stated, space) if isinstance(stated, str) else stated)


def computed(item: Item) -> tuple[float, list[float]]:
    """The key of an item of the kind ``number``, and its planted wrong answers, by its code.

    Examples
    --------
    >>> computed({"code": "key = 3", "wrong": [{"answer": "key / 2"}, {"answer": 4}]})
    (3.0, [1.5, 4.0])
    """
    number = evaluated(item["code"], {})
    return number("key"), [number(one["answer"]) for one in item["wrong"]]


def question(item: Item, *, key: bool) -> str:
    """An item in Markdown, with its key, the misconceptions and sample answers if they are wanted.

    Examples
    --------
    >>> item = {"id": "x", "kind": "choice", "text": "1 + 1?", "key": "Two.",
    ...         "wrong": [{"answer": "Eleven.", "shows": "Joins the digits."}]}
    >>> print(question(item, key=False))
    1 + 1?
    <BLANKLINE>
    - Eleven.
    - Two.
    """
    right, wrong = None, item.get("wrong", [])
    shown = [one["answer"] for one in wrong]
    if item["kind"] == "number":
        right, values = computed(item)
        shown = [f"{value:.4g}" for value in values]
    text = template(TEMPLATES / "question.md.j2").render(
        item=item,
        key=key,
        right=right,
        choices=sorted([item["key"], *shown]) if item["kind"] == "choice" else [],
        notes=[*zip(shown, wrong, strict=True)],
        tags=[f"{name}: {item[name]}" for name in ("id", "difficulty", "read") if name in item],
    )
    return text.strip()


def write_sheets(out: Path) -> list[Path]:
    """Write ``students/NAME.md`` and ``teacher/NAME.md`` of each sheet, and return their paths."""
    written = []
    for name, (heading, items) in quizzes().items():
        for reader in ("students", "teacher"):
            texts = [question(item, key=reader == "teacher") for item in items]
            parts = [f"## Question {n}\n\n{text}" for n, text in enumerate(texts, 1)]
            path = out / reader / f"{name}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, "\n\n".join([heading, *parts]) + "\n", private=reader == "teacher")
            written.append(path)
    return written
