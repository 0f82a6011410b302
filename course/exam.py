"""The written examinations: a paper for students, and the scheme to mark it by.

Items and what they are worth are in ``course/exam.yml``. A seed draws the numbers of a paper, so
that rooms or years have others; its key is computed with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course.bank import evaluated
from course.keys import seed_number
from course.sessions import COURSE, TEMPLATES
from lib.files import read_yaml, template
from lib.rng import stream

MINUTES = 90


@dataclass(frozen=True)
class Question:
    """An item with its numbers: what students read, and how it is marked.

    ``partial`` has answers on the way, the points that each earns, and the remark on it.
    """

    item: dict[str, Any]
    values: dict[str, Any]
    key: float | None = None
    tolerance: float = 0.0
    partial: tuple[tuple[float, int, str], ...] = ()

    @property
    def text(self) -> str:
        """The task, with its numbers."""
        return self.item["text"].format(**self.values)


def solve(item: dict[str, Any], values: dict[str, Any]) -> Question:
    """An item with these numbers, its key computed from them."""
    if item["kind"] == "reason":
        return Question(item, values)
    number = evaluated(item["code"], values)
    partial = [(number(one["answer"]), one["points"], one["shows"]) for one in item["partial"]]
    return Question(item, values, number("key"), number(item["tolerance"]), tuple(partial))


def papers(seed: str) -> dict[str, tuple[str, list[Question]]]:
    """Title and questions of each paper, drawn by ``seed``: the examination and its resit.

    Examples
    --------
    >>> [sum(question.item["points"] for question in own) for _, own in papers("2027").values()]
    [90, 90]
    """
    found = {}
    for name, whole in read_yaml(COURSE / "exam.yml", dict).items():
        questions = []
        for item in whole["items"]:
            rng = stream(seed_number(seed), "examination", name, item["id"])
            options = item["parameters"].items()
            values = {key: own[rng.integers(len(own))] for key, own in options}
            questions.append(solve(item, values))
        found[name] = whole["title"], questions
    return found


def write_exams(seed: str, out: Path) -> list[Path]:
    """Write ``NAME.md``, the paper, and ``NAME-scheme.md``, which only the teacher may see."""
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for name, (title, questions) in papers(seed).items():
        for ending, key in {"": False, "-scheme": True}.items():
            text = template(TEMPLATES / "exam.md.j2").render(
                title=title, questions=questions, key=key, minutes=MINUTES
            )
            written.append(out / f"{name}{ending}.md")
            written[-1].write_text(text.rstrip() + "\n", "utf-8")
    return written
