"""The lecturer's plans of the six sessions on one page: minutes, guesses, sample answers."""

from __future__ import annotations

import re
from itertools import accumulate
from pathlib import Path
from typing import Any

from course.assignment import SOURCES, read
from course.sessions import MINUTES, TEMPLATES, TRACKS, Session, measured_on, sessions
from course.slides import markdown
from lib import validate
from lib.files import template, write_whole
from lib.paths import ROOT
from press.teaching import facts
from press.toc import Page

NAME = "lesson-plans.html"
PACE = 75  # words a minute of a text that is worked through, with its code, figures and formulas


def clock(session: Session) -> list[dict[str, Any]]:
    """The rows of a plan, each with the minutes at which it begins and ends.

    Examples
    --------
    >>> rows = clock(sessions()[0])
    >>> rows[0]["start"], rows[-1]["end"]
    (0, 90)
    """
    ends = accumulate(row["minutes"] for row in session.plan)
    return [
        row | {"start": end - row["minutes"], "end": end}
        for row, end in zip(session.plan, ends, strict=True)
    ]


def title(page: str) -> str:
    """The title of a page, named as ``foundations/primer``."""
    return facts(Page(f"chapters/{page}", ROOT)).title


def workload(session: Session, track: str) -> dict[str, int]:
    """Minutes of a session by what they go to: reading before it, class, the assignment after it.

    Code, figures and formulas are not counted as words; a slow pace leaves time for them.

    Raises
    ------
    ValueError
        For a track that is none of :data:`course.sessions.TRACKS`.

    Examples
    --------
    >>> sorted(workload(sessions()[0], "policy"))
    ['assignment', 'class', 'reading']
    """
    validate.choice("track", track, TRACKS)
    text = "".join(entry.text for entry in session.reading[track])
    words = len(re.sub(r"^(```+|:::+).*?^\1|\$.*?\$", "", text, flags=re.M | re.S).split())
    home = read(SOURCES / f"{session.assignment}.md").info["minutes"]
    return {"reading": round(words / PACE), "class": MINUTES, "assignment": home}


def plans() -> str:
    """The page, as HTML that needs nothing beside it."""

    def inline(text: str) -> str:
        """MyST as HTML: the title of a page in the place of a link to it."""
        text = re.sub(r"\{doc\}`(?:\.\./)?([^`<]+)`", lambda m: f"*{title(m[1])}*", text)
        text = re.sub(r"\{term\}`([^`<]*?)\s*(?:<[^`]*>)?`", r"\1", text)
        return markdown().renderInline(text)

    page = template(TEMPLATES / "plans.html.j2", md=inline, title=title, workload=workload)
    shown = [(session, clock(session)) for session in sessions()]
    return page.render(sessions=shown, tracks=TRACKS, measured=measured_on())


def write_plans(folder: Path) -> Path:
    """Write :func:`plans` into ``folder``, and return the file. It has sample answers."""
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / NAME, plans())
    return folder / NAME
