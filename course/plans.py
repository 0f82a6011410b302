"""The lecturer's plans of the six sessions on one page: minutes, guesses, sample answers."""

from __future__ import annotations

import re
from itertools import accumulate
from pathlib import Path
from typing import Any

from course.sessions import TEMPLATES, TRACKS, Session, measured_on, sessions, workload
from course.slides import markdown
from lib.files import template, write_whole
from press.teaching import title

NAME = "lesson-plans.html"


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


def page(title: str, body: str) -> str:
    """HTML for print that needs nothing beside it."""
    return template(TEMPLATES / "page.html.j2").render(title=title, body=body)


def plans() -> str:
    """The page, as HTML that needs nothing beside it."""

    def inline(text: str) -> str:
        """MyST as HTML: the title of a page in the place of a link to it."""
        text = re.sub(r"\{doc\}`(?:\.\./)?([^`<]+)`", lambda m: f"*{title(m[1])}*", text)
        text = re.sub(r"\{term\}`([^`<]*?)\s*(?:<[^`]*>)?`", r"\1", text)
        return markdown().renderInline(text)

    plan = template(TEMPLATES / "plans.html.j2", md=inline, title=title, workload=workload)
    shown = [(session, clock(session)) for session in sessions()]
    body = plan.render(sessions=shown, tracks=TRACKS, measured=measured_on())
    return page("Lesson plans, with sample answers", body)


def write_plans(folder: Path) -> Path:
    """Write :func:`plans` into ``folder``, and return the file. It has sample answers."""
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / NAME, plans())
    return folder / NAME
