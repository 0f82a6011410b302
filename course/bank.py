"""The question bank and the two quizzes as texts for ``text2qti``, and for print without keys.

The questions are in ``course/bank.yml`` and ``course/quizzes.yml``, which explain their fields. A
text has each key with its tolerance, and tells what a planted mistake is: a choice says it to those
who made that mistake, a number to everyone who was wrong. An item earns 1 to 3 points, by its
difficulty.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from course.sessions import COURSE
from lib.files import read_yaml

Item = dict[str, Any]
_POINTS = {"easy": 1, "medium": 2, "hard": 3}


def sheets() -> dict[str, tuple[str, str, list[Item]]]:
    """Title, advice and items of each sheet: the bank by session, and the two quizzes.

    Examples
    --------
    >>> {name: len(items) for name, (*_, items) in sheets().items()}["final"]
    12
    """
    items = sorted(read_yaml(COURSE / "bank.yml", dict)["items"], key=lambda one: one["session"])
    known = {item["id"]: item for item in items}
    found = {"bank": ("Question bank", "Questions by session.", items)}
    for name, quiz in read_yaml(COURSE / "quizzes.yml", dict).items():
        own = [item if isinstance(item, dict) else known[item] for item in quiz["items"]]
        found[name] = quiz["title"], f"{quiz['minutes']} minutes. {quiz['advice']}", own
    return found


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


def question(number: int, item: Item, *, key: bool) -> str:
    """An item, with its key and remarks if they are wanted.

    Examples
    --------
    >>> item = {"id": "x", "kind": "choice", "difficulty": "easy", "text": "1 + 1?", "key": "Two.",
    ...         "wrong": [{"answer": "Eleven.", "shows": "Joins the digits."}]}
    >>> print(question(1, item, key=True))
    Title: x
    Points: 1
    1. 1 + 1?
    b) Eleven.
    ... Joins the digits.
    *b) Two.
    """
    wrong, start = item.get("wrong", []), f"{number}. "
    parts = [("Title: ", item["id"]), ("Points: ", f"{_POINTS[item['difficulty']]}")] * key
    parts.append((start, item["text"]))
    if item["kind"] == "choice":
        for choice, shows in sorted(
            [(item["key"], ""), *((w["answer"], w["shows"]) for w in wrong)]
        ):
            mark = "*b) " if choice == item["key"] else "b) "
            parts.append((mark if key else "   - ", choice))
            parts += [("... ", shows)] * bool(key and shows)
    elif key and item["kind"] == "number":
        right, values = computed(item)
        typical = (f"{v:.4g}: {one['shows']}" for v, one in zip(values, wrong, strict=True))
        parts += [("- ", " ".join(typical)), ("= ", f"{right:.8g} +- {item['tolerance']:.8g}")]
    elif key:
        parts += [("... ", item["answers"]["full"]), ("____", "")]
    # a text of several lines stays one part of a sheet
    return "\n".join(a + b.strip().replace("\n", "\n" + " " * len(a)) for a, b in parts)


def write_sheets(out: Path) -> list[Path]:
    """Write each sheet as ``NAME.txt``, of which ``text2qti`` makes what Canvas imports, and as
    ``NAME.md`` for students; return the paths.
    """
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for name, (title, advice, items) in sheets().items():
        heads = {"txt": "Quiz title: {}\nQuiz description: {}", "md": "# {}\n\n{}"}
        for ending, head in heads.items():
            shown = [question(n, item, key=ending == "txt") for n, item in enumerate(items, 1)]
            written.append(out / f"{name}.{ending}")
            written[-1].write_text("\n\n".join([head.format(title, advice), *shown]), "utf-8")
    return written
