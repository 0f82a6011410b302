"""What a teacher needs to know of each chapter, read off its source; and its measured run time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from lib.paths import DATA
from press.toc import Page

LEVELS = ("easy", "medium", "hard")
TIMES = DATA / "run_times.csv"


@dataclass(frozen=True)
class Exercise:
    """Title, label, one of :data:`LEVELS` (or ``""``), whether a solution with code belongs
    to it, and whether a box checks its answer or the mark *reason* says that none can.
    """

    title: str
    label: str
    level: str
    solved: bool
    checked: bool
    reason: bool


@dataclass(frozen=True)
class Stated:
    """What a chapter says of itself; ``minutes`` is the badge's, ``""`` what is missing."""

    doc: str
    title: str
    objectives: str
    before: str
    minutes: str
    data_badge: bool
    exercises: tuple[Exercise, ...]


def _first(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.M | re.S)
    return found.group(1).strip() if found else ""


def _exercises(text: str) -> Iterator[Exercise]:
    pattern = r"^```\{exercise\}([^\n]*)\n:label: (\S+)\n(.*?)^```"
    for title, label, body in re.findall(pattern, text, re.M | re.S):
        begin, end = (rf"^```\{{solution-{at}\}}" for at in ("start", "end"))
        solution = _first(rf"{begin} {re.escape(label)}\n(.*?){end}", text)
        level = _first(rf"\(\*({'|'.join(LEVELS)})\*[,)]", body)
        solved = "{code-cell}" in solution and ":class: dropdown" in solution
        checked = bool(re.search(r"^\s*answer\(", solution, re.M))
        yield Exercise(title.strip(), label, level, solved, checked, "*, *reason*)" in body)


def facts(page: Page) -> Stated:
    """Title, objectives, prerequisites, badges and exercises of a page, from its ``.md``."""
    text = page.text.read_text("utf-8")
    badge = _first(r"^badges\((.*?)\)$", text)
    return Stated(
        page.doc,
        _first(r"^# ([^\n]+)$", text.split("---", 2)[-1]),
        _first(r"^\*\*What you will be able to do\.\*\* (.*?)\n(?:\n|:::)", text),
        _first(r"^\*\*Before this\*\*:? (.*?)\n(?:\n|:::)", text),
        _first(r"minutes=([\d.]+)", badge),
        bool(badge),
        tuple(_exercises(text)),
    )


def run_times(path: Path = TIMES) -> pd.Series:
    """Seconds of each chapter under the quick profile, as measured last; empty if nobody has."""
    if not path.exists():
        return pd.Series(dtype=float, name="seconds", index=pd.Index([], dtype=str, name="chapter"))
    return pd.read_csv(path, comment="#").set_index("chapter")["seconds"]


def measured_on(path: Path = TIMES) -> str:
    """Under what circumstances, in the words of the first line of the file."""
    return (
        path.read_text("utf-8").partition("\n")[0].lstrip("# ") if path.exists() else "not measured"
    )
