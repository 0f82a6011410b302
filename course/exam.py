"""The written examination and its resit: a paper for students, and the scheme to mark it by.

Items and what they are worth are in ``course/exam.yml``. A seed draws the numbers of a paper, so
that rooms or years have others; its key is computed with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course.bank import evaluated
from course.plans import page
from course.sessions import COURSE, TEMPLATES
from course.slides import markdown
from lib import validate
from lib.files import read_yaml, template, write_whole
from lib.rng import stream

MINUTES = 90
PAPERS = ("exam", "resit")


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


def paper(name: str, seed: int) -> tuple[str, list[Question]]:
    """Title and questions of a paper, drawn by ``seed``.

    Raises
    ------
    ValueError
        For a name that is none of :data:`PAPERS`.

    Examples
    --------
    >>> title, questions = paper("resit", seed=1)
    >>> sum(question.item["points"] for question in questions)
    90
    """
    whole = read_yaml(COURSE / "exam.yml", dict)[validate.choice("paper", name, PAPERS)]
    questions = []
    for item in whole["items"]:
        rng = stream(seed, "examination", name, item["id"])
        values = {
            key: options[rng.integers(len(options))] for key, options in item["parameters"].items()
        }
        questions.append(solve(item, values))
    return whole["title"], questions


def write_exam(name: str, seed: int, out: Path) -> list[Path]:
    """Write ``NAME.md``, the paper, ``NAME-scheme.md``, which only the teacher may see, and both
    as HTML for print.
    """
    title, questions = paper(name, seed)
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for ending, key in {"": False, "-scheme": True}.items():
        text = template(TEMPLATES / "exam.md.j2").render(
            title=title, questions=questions, key=key, minutes=MINUTES
        )
        html = page(title, markdown().render(text))
        for kind, body in {"md": text.rstrip() + "\n", "html": html}.items():
            written.append(out / f"{name}{ending}.{kind}")
            write_whole(written[-1], body, private=True)
    return written
