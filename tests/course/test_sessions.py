"""The six sessions: their reading is short and in order, their commands run, their plans fit."""

from __future__ import annotations

import re
from posixpath import dirname, join, normpath

import pandas as pd
import pytest

from course.plans import plans
from course.sessions import COURSE, PACE, TRACKS, sessions, syllabus, workload
from course.suffers import SEEDS, STORED, in_words
from lib.paths import CHAPTERS, ROOT
from press.rerun import chapter, requested
from press.teaching import facts
from press.toc import Page, pages

ALL = sessions()
by_number = pytest.mark.parametrize("session", ALL, ids=lambda s: f"session {s.number}")


def before(page: str) -> set[str]:
    """Pages that a page asks for; the list of letters is looked up, not read."""
    said = facts(Page(f"chapters/{page}", ROOT)).before
    asked = {normpath(join(dirname(page), name)) for name in re.findall(r"\{doc\}`([^`<]+)`", said)}
    return {name for name in asked if not name.startswith("front/")}


@pytest.mark.parametrize("track", TRACKS)
def test_at_most_5000_words_are_read_for_a_session_and_what_they_build_on_before(track):
    read: set[str] = set()
    for session in ALL:
        assert 1_000 < PACE * workload(session, track)["reading"] <= 5_000
        own = {entry.page for entry in session.reading[track]}
        read |= own
        assert set().union(*map(before, own)) <= read
    assert track == "theory" or not any(page.endswith("proofs") for page in read)


def test_the_sessions_follow_the_order_of_the_book():
    order = [page.doc.removeprefix("chapters/") for page in pages(ROOT)]
    firsts = [order.index(session.reading["policy"][0].page) for session in ALL]
    assert firsts == sorted(firsts)
    assert [(s.number, s.assignment[:2]) for s in ALL] == [(n, f"a{n}") for n in range(1, 7)]


@by_number
def test_a_live_run_changes_something_and_figures_are_there(session):
    for run in session.live:
        name, *words = run["run"].split()
        (changed,) = requested(chapter(name), words)
        text = chapter(name).text.read_text(encoding="utf-8")
        for parameter, value in changed.items():
            default = re.search(rf"^{parameter}: \w+ = (\S+)", text, re.M)[1]
            assert str(value) != default.strip('"')
    for figure in session.figures:
        source = (CHAPTERS / f"{figure['page']}.md").read_text(encoding="utf-8")
        assert f'name="{figure["name"]}"' in source


@by_number
def test_the_syllabus_keeps_what_the_plans_tell(session):
    shown = syllabus(session)
    page = re.sub(r"&\w+;|[\"'<>]", "", re.sub("<[^>]*>", "", plans()))
    told = [row["do"] for row in session.plan] + [row["look"] for row in session.live]
    for words in (session.closing["answer"], *session.evening, *told):
        assert words not in shown
        assert re.sub(r"[\"'<>*`$]|\{\w+\}", "", words)[-30:] in page


def test_the_stated_workload_is_that_of_the_sessions():
    hours = [sum(sum(workload(s, track).values()) for s in ALL) / 60 for track in TRACKS]
    text = (COURSE / "README.md").read_text("utf-8")
    least, most = map(int, re.search(r"(\d+) to (\d+) hours", text).groups())
    assert least <= min(hours) <= max(hours) <= most <= 30


def test_who_suffers_most_is_as_stored():
    """Session three's first guess: each number that the plan prints."""
    runs, said = pd.read_csv(STORED), ALL[2].live[0]["look"]
    assert set(runs["seed"]) == {*SEEDS}
    for place, numbers in in_words(runs).items():
        assert all(f"{place.partition(', ')[2]} {number}" in said for number in numbers)
