"""The six sessions: their reading is short and in order, their commands run, their plans fit."""

from __future__ import annotations

import re

import pytest

from course.sessions import sessions
from lib.paths import CHAPTERS
from press.rerun import chapter, requested

ALL = sessions()
by_number = pytest.mark.parametrize("session", ALL, ids=lambda s: f"session {s.number}")


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
