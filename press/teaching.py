"""What a teacher needs to know of each chapter, read off its source; and its measured run time."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pandas as pd

from lib.paths import DATA
from press.toc import Page

LEVELS = ("easy", "medium", "hard")
TIMES = DATA / "run_times.csv"


@dataclass(frozen=True)
class Stated:
    """What a chapter says of itself, ``""`` where it does not; one of :data:`LEVELS` for each
    exercise.
    """

    title: str
    objectives: str
    before: str
    levels: tuple[str, ...]


def _first(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.M | re.S)
    return found.group(1).strip() if found else ""


def facts(page: Page) -> Stated:
    """Title, objectives, prerequisites and levels of exercises of a page, from its ``.md``."""
    text = page.text.read_text("utf-8")
    exercises = re.findall(r"^```\{exercise\}.*?^```", text, re.M | re.S)
    return Stated(
        _first(r"^# ([^\n]+)$", text.split("---", 2)[-1]),
        _first(r"^\*\*What you will be able to do\.\*\* (.*?)\n(?:\n|:::)", text),
        _first(r"^\*\*Before this\*\*:? (.*?)\n(?:\n|:::)", text),
        tuple(_first(rf"\(\*({'|'.join(LEVELS)})\*[,)]", body) for body in exercises),
    )


def run_times() -> pd.Series:
    """Seconds of each chapter under the quick profile, as measured last."""
    return pd.read_csv(TIMES, comment="#").set_index("chapter")["seconds"]


def measured_on() -> str:
    """Under what circumstances, in the words of the first line of the file."""
    return TIMES.read_text("utf-8").partition("\n")[0].lstrip("# ")
