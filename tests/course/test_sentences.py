"""The language of the course is that of the book: short sentences, wherever somebody reads them."""

from __future__ import annotations

import pytest

from course.assignment import read_all
from course.bank import quizzes
from course.exam import PAPERS, paper
from course.sessions import sessions
from course.slides import deck
from tests.press.measure import LONGEST_SENTENCE, plain, sentences


def of_assignment(assignment):
    rubrics = assignment.info["rubric"].values()
    return [
        *(c.source for c in assignment.notebook.cells if c.cell_type == "markdown"),
        *(part for r in rubrics for s in r["samples"] for part in (s["text"], *s["why"])),
        *(one[part] for r in rubrics for one in r["criteria"] for part in ("for", "half")),
    ]


def of_item(item):
    wrong = item.get("wrong", [])
    choices = [item["key"], *(w["answer"] for w in wrong)] if item["kind"] == "choice" else []
    answers = item.get("answers", {}).values()
    return [item["text"], *(w["shows"] for w in wrong), *choices, *answers]


def of_session(session):
    slides = [f"{s.title}\n\n{s.body}\n\n{s.notes}" for s in deck(session)]
    plan = [row["do"] for row in session.plan]
    return [*slides, session.closing["answer"], *session.evening, *plan]


TEXTS = {
    **{assignment.name: of_assignment(assignment) for assignment in read_all()},
    **{item["id"]: of_item(item) for _, items in quizzes().values() for item in items},
    **{f"session {session.number}": of_session(session) for session in sessions()},
    **{f"{p}, {q.item['id']}": [plain(q.text)] for p in PAPERS for q in paper(p, 1)[1]},
}


@pytest.mark.parametrize("name", TEXTS)
def test_sentences_are_short(name):
    long = [s for t in TEXTS[name] for s in sentences(t) if len(s.split()) > LONGEST_SENTENCE]
    assert long == []
