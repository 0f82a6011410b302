"""The six sessions of the course, read from ``course/sessions.yml``: the syllabus that the book
shows, and the lecturer's plans, which it does not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from lib import validate
from lib.files import read_yaml, template
from lib.paths import CHAPTERS, ROOT

COURSE = ROOT / "course"
TEMPLATES = COURSE / "templates"
SESSIONS = COURSE / "sessions.yml"
TRACKS = {"policy": "policy, without proofs", "theory": "theory, with proofs"}
MINUTES = 90
PACE = 75  # words a minute of a text that is worked through, with its code, figures and formulas


@dataclass(frozen=True)
class Reading:
    """A page (``foundations/primer``) and those of its sections that are read; none named: all but
    the exercises.
    """

    page: str
    sections: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """What is read of the page's source: its beginning, and the sections.

        Raises
        ------
        ValueError
            For a section that the page does not have.
        """
        source = (CHAPTERS / f"{self.page}.md").read_text(encoding="utf-8")
        start, *parts = re.split(r"^## (.+)$", source, flags=re.M)
        known = dict(zip(parts[::2], parts[1::2], strict=True))
        wanted = self.sections or tuple(name for name in known if name != "Exercises")
        return start + "".join(known[validate.choice("section", name, known)] for name in wanted)


@dataclass(frozen=True)
class Session:
    """One session; the fields are those of ``course/sessions.yml``, which explains them."""

    number: int
    title: str
    question: str
    objectives: list[str]
    reading: dict[str, list[Reading]]
    optional: list[str]
    live: list[dict[str, Any]]
    plan: list[dict[str, Any]]
    figures: list[dict[str, Any]]
    misconceptions: list[dict[str, str]]
    closing: dict[str, str]
    assignment: str
    home: int
    evening: list[str]


def sessions(path: Path = SESSIONS) -> list[Session]:
    """All sessions in order.

    Raises
    ------
    ValueError
        If a field is missing or unknown, or the minutes of a plan are not 90.

    Examples
    --------
    >>> [session.number for session in sessions()]
    [1, 2, 3, 4, 5, 6]
    """
    names, found = [field.name for field in fields(Session)], []
    for record in read_yaml(path, dict)["sessions"]:
        validate.require({*record} == {*names}, "fields of a session", f"{names}", [*record])
        minutes = sum(row["minutes"] for row in record["plan"])
        name = f"minutes of session {record['number']}"
        validate.require(minutes == MINUTES, name, f"{MINUTES} in all", minutes)
        reading = {
            track: [Reading(entry["page"], tuple(entry.get("sections", ()))) for entry in entries]
            for track, entries in record["reading"].items()
        }
        found.append(Session(**record | {"reading": reading}))
    return found


def measured_on() -> str:
    """Where and how the seconds of the live runs were measured."""
    return read_yaml(SESSIONS, dict)["measured"]


def workload(session: Session, track: str) -> dict[str, int]:
    """Minutes of a session by what they go to: reading before it, class, the assignment after it.

    Code, figures and formulas are not counted as words; a slow pace leaves time for them.

    Raises
    ------
    ValueError
        For a track that is none of :data:`TRACKS`.

    Examples
    --------
    >>> sorted(workload(sessions()[0], "policy"))
    ['assignment', 'class', 'reading']
    """
    validate.choice("track", track, TRACKS)
    text = "".join(entry.text for entry in session.reading[track])
    words = len(re.sub(r"^(```+|:::+).*?^\1|\$.*?\$", "", text, flags=re.M | re.S).split())
    return {"reading": round(words / PACE), "class": MINUTES, "assignment": session.home}


def syllabus(session: Session) -> str:
    """The session in MyST for a page in ``chapters/guides``: no plan, sample answer or assignment.

    Examples
    --------
    >>> "Objectives" in syllabus(sessions()[0])
    True
    """
    return template(COURSE / "syllabus.md.j2").render(session=session, tracks=TRACKS)


def misconceptions() -> str:
    """A table of what students say in each session and what corrects it, in MyST."""
    rows = [
        f'| {session.number} | "{row["says"].rstrip(".")}." | {row["corrects"]} |'
        for session in sessions()
        for row in session.misconceptions
    ]
    return "\n".join(["| session | what students say | what corrects it |", "|---|---|---|", *rows])
