"""Every chapter says what it teaches, what it needs, how long it takes, and has graded exercises
with solutions.
"""

from __future__ import annotations

import re

import pytest

from press.teaching import LEVELS, Exercise, facts, measured_on, run_times
from press.toc import Page
from tests.press.conftest import CHAPTERS

NOT_TAUGHT = ("chapters/index", "chapters/front/", "chapters/guides/")
TAUGHT = [page for page in CHAPTERS if not page.doc.startswith(NOT_TAUGHT)]
GUIDES = [p for p in CHAPTERS if "/guides/" in p.doc and not p.doc.endswith("teaching")]
STATED = ("title", "objectives", "before", "minutes", "data_badge")


def _missing(page: Page) -> list[str]:
    said = facts(page)
    return [name for name in STATED if not getattr(said, name)]


@pytest.mark.parametrize("page", [*TAUGHT, *GUIDES], ids=lambda page: page.doc)
def test_a_chapter_says_what_it_teaches_needs_and_takes(page):
    assert _missing(page) == []


LOOKED_UP = ("/evidence", "/proofs", "/ledger", "/datasheets")
LESSONS = [p for p in TAUGHT if not p.doc.endswith(LOOKED_UP) and "/errata/" not in p.doc]


@pytest.mark.parametrize("page", LESSONS, ids=lambda page: page.doc)
def test_a_lesson_has_two_graded_exercises_with_hidden_solutions_that_run(page):
    exercises = facts(page).exercises
    assert len(exercises) >= 2
    assert {e.level for e in exercises} <= set(LEVELS)
    assert [e.label for e in exercises if not e.solved] == []


def test_each_exercise_has_a_box_that_checks_it_or_the_mark_reason():
    exercises = [e for page in CHAPTERS for e in facts(page).exercises]
    assert [e.label for e in exercises if e.checked == e.reason] == []
    assert sum(e.checked for e in exercises) > 3 * sum(e.reason for e in exercises)


@pytest.mark.parametrize("page", TAUGHT, ids=lambda page: page.doc)
def test_a_solutions_words_stand_behind_the_directive_that_opens_it(page):
    """Inside it they are silently left out of the page."""
    opened = r"^```\{solution-start\}[^\n]*\n(.*?)^```"
    bodies = re.findall(opened, page.text.read_text("utf-8"), re.M | re.S)
    assert [line for body in bodies for line in body.splitlines() if not line.startswith(":")] == []


def test_a_guide_ends_with_what_to_run_and_what_a_reviewer_asks():
    for page in GUIDES:
        heads = [
            line for line in page.text.read_text("utf-8").splitlines() if line.startswith("## ")
        ]
        assert heads[-2:] == ["## What to run", "## What a reviewer will ask"], page.doc


def test_what_is_missing_is_seen(tmp_path):
    page = Page("page", tmp_path)
    exercise = "```{exercise} A\n:label: a\nHow?\n```\n"
    page.text.write_text(f"---\njupytext: x\n---\n\n# T\n\n{exercise}", "utf-8")
    assert _missing(page) == [*STATED[1:]]
    assert facts(page).exercises == (Exercise("A", "a", "", False, False, False),)


def test_run_times_are_read(tmp_path):
    assert "load average" in measured_on()
    none = run_times(tmp_path / "none.csv")
    assert none.set_axis(none.index.str.upper()).empty  # names of pages, though there are none


def test_run_times_speak_of_chapters_that_there_are():
    assert set(run_times().index) <= {page.doc for page in CHAPTERS}
