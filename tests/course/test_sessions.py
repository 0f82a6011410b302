"""The six sessions: their reading is short and in order, their commands run, their plans fit."""

from __future__ import annotations

import re
from itertools import combinations
from posixpath import dirname, join, normpath

import pandas as pd
import pytest
import yaml

from course.sessions import (
    COURSE,
    PACE,
    SESSIONS,
    TRACKS,
    Reading,
    sessions,
    syllabus,
    workload,
)
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


def unread(track: str) -> list[str]:
    """Pages of a track that come before a page that they ask for."""
    read: set[str] = set()
    missing = []
    for session in ALL:
        read |= {entry.page for entry in session.reading[track]}
        missing += [
            f"{entry.page} asks for {name}"
            for entry in session.reading[track]
            for name in before(entry.page)
            if name not in read
        ]
    return missing


@pytest.mark.parametrize("track", TRACKS)
@by_number
def test_the_required_reading_is_short(session, track):
    words = sum(len(plain(prose(entry.text)).split()) for entry in session.reading[track])
    assert 1_000 < words <= MOST_WORDS


@pytest.mark.parametrize("track", TRACKS)
def test_what_a_page_asks_for_is_read_before_or_with_it(track):
    assert unread(track) == []


def test_a_page_that_is_read_too_early_would_be_seen(monkeypatch):
    monkeypatch.setattr(f"{__name__}.ALL", ALL[1:])
    assert "means/theory asks for foundations/primer" in unread("policy")


def test_the_sessions_follow_the_order_of_the_book():
    order = [page.doc.removeprefix("chapters/") for page in pages(ROOT)]
    firsts = [order.index(session.reading["policy"][0].page) for session in ALL]
    assert firsts == sorted(firsts)
    assert [s.number for s in ALL] == list(range(1, 7)) == [int(s.assignment[1]) for s in ALL]


def test_only_the_theory_track_has_proofs():
    proofs = {
        t: [r.page for s in ALL for r in s.reading[t] if r.page.endswith("proofs")] for t in TRACKS
    }
    assert proofs["policy"] == []
    assert len(proofs["theory"]) >= 4


@by_number
def test_a_live_run_is_a_command_of_the_book_that_changes_something(session):
    for run in session.live:
        name, *words = run["run"].split()
        page = chapter(name)
        (changed,) = requested(page, words)
        assert changed
        for parameter, value in changed.items():
            default = re.search(
                rf"^{parameter}: \w+ = (\S+)", page.text.read_text(encoding="utf-8"), re.M
            )[1]
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


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"plan": [{"minutes": 80, "slides": "1-1", "do": "talk"}]},
            "minutes of session 1 must be 90",
        ),
        ({"colour": "blue"}, "fields of a session must be"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path, change, words):
    content = yaml.safe_load(SESSIONS.read_text(encoding="utf-8"))
    content["sessions"][0] |= change
    path = tmp_path / "sessions.yml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        sessions(path)


def test_a_section_that_a_page_does_not_have_is_refused():
    with pytest.raises(ValueError, match="section must be one of"):
        Reading("foundations/primer", ("Nothing",)).text  # noqa: B018


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
