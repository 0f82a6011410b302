"""The six sessions: their reading is short and in order, their commands run, their plans fit."""

from __future__ import annotations

import re
from itertools import combinations
from posixpath import dirname, join, normpath

import pandas as pd
import pytest

from course.sessions import COURSE, PACE, TRACKS, sessions, syllabus, workload
from course.suffers import MECHANISMS, SEEDS, STORED, in_words, one_run
from lib.paths import CHAPTERS, ROOT
from lib.runner.agreement import matches_stored
from lib.stats.summary import mean_interval
from press.rerun import chapter, requested
from press.teaching import facts
from press.toc import Page, pages
from tests.press.measure import plain, prose

ALL = sessions()
MOST_WORDS = 5_000
by_number = pytest.mark.parametrize("session", ALL, ids=lambda s: f"session {s.number}")


def before(page: str) -> list[str]:
    """Pages that a page asks for; the list of letters is looked up, not read."""
    said = facts(Page(f"chapters/{page}", ROOT)).before
    asked = [normpath(join(dirname(page), name)) for name in re.findall(r"\{doc\}`([^`<]+)`", said)]
    return [name for name in asked if not name.startswith("front/")]


def unread(track: str, course: list) -> list[str]:
    """Pages of a track that come before a page that they ask for."""
    read: set[str] = set()
    missing = []
    for session in course:
        own = [entry.page for entry in session.reading[track]]
        read |= {*own}
        missing += [f"{page} asks for {n}" for page in own for n in before(page) if n not in read]
    return missing


@pytest.mark.parametrize("track", TRACKS)
@by_number
def test_the_required_reading_is_short(session, track):
    words = sum(len(plain(prose(entry.text)).split()) for entry in session.reading[track])
    assert 1_000 < words <= MOST_WORDS


@pytest.mark.parametrize("track", TRACKS)
def test_what_a_page_asks_for_is_read_before_or_with_it(track):
    assert unread(track, ALL) == []
    assert "means/theory asks for foundations/primer" in unread(track, ALL[1:])


def test_the_sessions_follow_the_order_of_the_book_and_only_theory_has_proofs():
    order = [page.doc.removeprefix("chapters/") for page in pages(ROOT)]
    firsts = [order.index(session.reading["policy"][0].page) for session in ALL]
    assert firsts == sorted(firsts)
    assert [s.number for s in ALL] == list(range(1, 7)) == [int(s.assignment[1]) for s in ALL]
    read = {track: [r.page for s in ALL for r in s.reading[track]] for track in TRACKS}
    assert not any(page.endswith("proofs") for page in read["policy"])
    assert sum(page.endswith("proofs") for page in read["theory"]) >= 4


@by_number
def test_a_live_run_is_a_command_of_the_book_that_changes_something(session):
    for run in session.live:
        name, *words = run["run"].split()
        page = chapter(name)
        (changed,) = requested(page, words)
        assert changed
        text = page.text.read_text(encoding="utf-8")
        for parameter, value in changed.items():
            default = re.search(rf"^{parameter}: \w+ = (\S+)", text, re.M)[1]
            assert str(value) != default.strip('"')
        assert 5 <= run["seconds"] <= 60


@by_number
def test_the_figures_are_there_with_two_questions_each(session):
    assert len(session.figures) == 2
    for figure in session.figures:
        source = (CHAPTERS / f"{figure['page']}.md").read_text(encoding="utf-8")
        assert f'name="{figure["name"]}"' in source
        assert figure["page"] in {entry.page for entry in session.reading["policy"]}
        assert [q[-1] for q in figure["questions"]] == ["?", "?"]


@by_number
def test_the_public_syllabus_keeps_the_lecturers_part_to_itself(session):
    shown = syllabus(session)
    assert session.question in shown
    for secret in (session.closing["answer"], session.assignment, *session.evening):
        assert secret not in shown
    for row in (*session.plan, *session.live):
        assert row.get("do", row.get("look")) not in shown


@pytest.mark.parametrize("track", TRACKS)
def test_the_stated_workload_is_that_of_the_sessions(track):
    loads = pd.DataFrame([workload(session, track) for session in ALL]).sum() / 60
    text = (COURSE / "README.md").read_text("utf-8")
    stated = r"take a student (\d+) to (\d+) hours.*: (\d) to (\d) of reading, (\d) in class and (\d+) for"
    least, most, low, high, inside, home = map(int, re.search(stated, text).groups())
    assert 25 <= least <= loads.sum() <= most <= min(30, least + 1)
    assert low <= loads["reading"] <= high
    assert (inside, home) == (loads["class"], round(loads["assignment"]))
    assert f"{PACE} words" in " ".join(text.split())


def test_who_suffers_most_follows_from_the_stored_runs():
    """Session three's first guess: each number that the plan prints, and each verdict."""
    runs, said = pd.read_csv(STORED), ALL[2].live[0]["look"]
    assert set(runs["seed"]) == {*SEEDS} == {*range(1, 41)}
    for place, numbers in in_words(runs).items():
        assert all(f"{place.partition(', ')[2]} {number}" in said for number in numbers)
    indexed = runs.set_index(["data", "seed"])
    before, after = (indexed[indexed["live"] == live][MECHANISMS] for live in (False, True))

    def clear(change, table, one, other):
        low, high = mean_interval(change.loc[table, one] - change.loc[table, other])[1:]
        return (low > 0) - (high < 0)

    rise, factor = after - before, after / before
    assert not any(clear(rise, "replica", *pair) for pair in combinations(MECHANISMS, 2))
    assert clear(factor, "replica", "AIM", "GEM") == clear(factor, "replica", "AIM", "MST") == 1
    assert clear(rise, "local", "GEM", "AIM") == clear(rise, "local", "GEM", "MST") == 1
    assert clear(factor, "local", "AIM", "GEM") == 0
    assert (before.groupby("data").mean().idxmin(axis=1) == "AIM").all()
    worst = (after.loc["replica"].idxmax(axis=1) == "MST").sum()
    assert f"in {worst} of the 40 runs" in said


@pytest.mark.thorough("a live run again")
def test_the_stored_runs_are_those_of_the_page():
    stored = pd.read_csv(STORED).query("seed == 1 and live and data == 'replica'").iloc[0]
    again = pd.Series(one_run(live=True, seed=1, source="replica"))
    assert matches_stored(again[MECHANISMS], stored[MECHANISMS], "training") == 3
