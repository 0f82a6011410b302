"""What a teacher needs to know of each chapter: title and exercises by level, read off its source,
and its measured run time.
"""

from __future__ import annotations

import re

import pandas as pd

from lib.paths import CHAPTERS, DATA

LEVELS = ("easy", "medium", "hard")
TIMES = DATA / "run_times.csv"


def _text(page: str) -> str:
    return (CHAPTERS / f"{page}.md").read_text("utf-8").split("---", 2)[-1]


def title(page: str) -> str:
    """The title of a page, named as ``"foundations/primer"``."""
    found = re.search("^# (.+)$", _text(page), re.M)
    return found[1] if found else ""


def levels(page: str) -> list[str]:
    """One of :data:`LEVELS` for each exercise of a page that states it."""
    exercises = re.findall(r"^```\{exercise\}.*?^```", _text(page), re.M | re.S)
    stated = (re.search(rf"\(\*({'|'.join(LEVELS)})\*[,)]", body) for body in exercises)
    return [found[1] for found in stated if found]


def run_times() -> pd.Series:
    """Seconds of each chapter under the quick profile, as measured last."""
    return pd.read_csv(TIMES, comment="#").set_index("chapter")["seconds"]


def measured_on() -> str:
    """Under what circumstances, in the words of the first line of the file."""
    return TIMES.read_text("utf-8").partition("\n")[0].lstrip("# ")
