"""The question bank and the quizzes: every key is computed, every planted wrong answer is rejected,
and every tag is a promise that a page of the book makes.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from course.bank import computed, question, quizzes, write_sheets
from course.sessions import COURSE, sessions
from lib.files import read_yaml
from lib.paths import CHAPTERS, ROOT
from press.teaching import LEVELS, facts
from press.toc import Page, pages
from tests.press.measure import plain

BANK = read_yaml(COURSE / "bank.yml", dict)
QUIZZES = read_yaml(COURSE / "quizzes.yml", dict)
ITEMS: list[dict[str, Any]] = BANK["items"]
DIAGNOSTIC: list[dict[str, Any]] = QUIZZES["diagnostic"]["items"]
EVERY = [*ITEMS, *DIAGNOSTIC]
FIELDS = {
    "number": {"code", "tolerance", "wrong"},
    "choice": {"key", "wrong"},
    "reason": {"answers"},
}
CHOICES = [item for item in EVERY if item["kind"] == "choice"]
ids = {"ids": lambda item: item["id"]}


@pytest.mark.parametrize("item", EVERY, **ids)
def test_an_item_has_the_fields_of_its_kind(item):
    own = {"session", "objective"} if item in ITEMS else {"read"}
    assert set(item) == {"id", "difficulty", "kind", "text"} | FIELDS[item["kind"]] | own
    assert item["difficulty"] in LEVELS
    if item["kind"] == "reason":
        assert list(item["answers"]) == ["full", "half", "none"]
        return
    assert len(item["wrong"]) >= 3
    assert all(set(wrong) == {"answer", "shows"} and wrong["shows"] for wrong in item["wrong"])
    given = [str(wrong["answer"]) for wrong in item["wrong"]] + [str(item.get("key"))]
    assert len(set(given)) == len(given)


@pytest.mark.parametrize("item", [item for item in EVERY if item["kind"] == "number"], **ids)
def test_a_key_is_computed_and_rejects_wrong_answers_and_takes_rounded_ones(item):
    key, wrong = computed(item)
    for value, one in zip(wrong, item["wrong"], strict=True):
        assert abs(value - key) > 1.5 * item["tolerance"], (one["shows"], value, key)
    asked = re.search(r"Give (one|two|three) decimal", item["text"])
    places = {"one": 1, "two": 2, "three": 3}[asked[1]] if asked else 3
    assert abs(round(key, places) - key) <= item["tolerance"]


def test_neither_length_nor_place_of_a_choice_gives_the_key_away():
    """Whoever always takes the longest, the second, the third or the shortest choice fails."""
    ranks, places = Counter(), Counter()
    for item in CHOICES:
        wrong = [one["answer"] for one in item["wrong"]]
        ranks[sum(len(answer) > len(item["key"]) for answer in wrong)] += 1
        places[sorted([item["key"], *wrong]).index(item["key"])] += 1
        assert len(item["key"]) <= max(map(len, wrong)) + 10, item["id"]
    assert max(ranks.values()) <= 1 + ranks.total() / 3, ranks
    assert max(places.values()) < len(CHOICES) / 2


def test_every_tag_is_a_promise_of_a_page_and_is_used():
    assert {item["objective"] for item in ITEMS} == set(BANK["objectives"])
    for name, tag in BANK["objectives"].items():
        promised = plain(facts(Page(f"chapters/{tag['page']}", ROOT)).objectives)
        assert tag["promise"] in " ".join(promised.split()), (name, promised)


def test_each_session_has_twelve_items_or_more_of_every_level_and_kind_about_what_was_read():
    assert len({item["id"] for item in EVERY}) == len(EVERY)
    required: set[str] = set()
    for session in sessions():
        listed = [entry.page for track in session.reading.values() for entry in track]
        required |= {*listed, *session.optional}
        own = [item for item in ITEMS if item["session"] == session.number]
        levels = Counter(item["difficulty"] for item in own)
        assert levels >= Counter({"easy": 4, "medium": 5, "hard": 3})
        assert set(FIELDS) == {item["kind"] for item in own}
        assert sum(item["kind"] == "reason" for item in own) >= 2
        for item in own:
            assert BANK["objectives"][item["objective"]]["page"] in required, item["id"]


def test_the_quizzes_cover_what_they_say():
    assert len(DIAGNOSTIC) == 10
    chosen = [item for item in ITEMS if item["id"] in QUIZZES["final"]["items"]]
    assert len(chosen) == len(QUIZZES["final"]["items"]) == 12
    assert Counter(item["session"] for item in chosen) == dict.fromkeys(range(1, 7), 2)
    pages_named = [re.match(r"[a-z]+/\w+", item["read"]) for item in DIAGNOSTIC]
    known = {page.doc.removeprefix("chapters/") for page in pages(ROOT)}
    assert {found[0] for found in pages_named if found} <= known


def _figures(text: str) -> set[str]:
    """Numbers of a text, without those that every page has."""
    found = re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?", plain(text))
    return {n.replace(",", "") for n in found} - {"0", "1", "2", "3", "4", "10"}


def test_no_item_repeats_an_exercise_with_its_numbers():
    exercise = re.compile(r"^```\{exercise\}[^\n]*\n:label: (\S+)\n(.*?)^```", re.M | re.S)
    exercises = {
        label: _figures(text)
        for path in CHAPTERS.glob("*/*.md")
        for label, text in exercise.findall(path.read_text("utf-8"))
    }
    for item in EVERY:
        own = _figures(item["text"])
        for label, theirs in exercises.items():
            alike = len(own & theirs) >= 3 or (len(own) >= 2 and own <= theirs)
            assert not alike, (item["id"], label)


def test_a_students_sheet_asks_everything_and_answers_nothing(tmp_path):
    sheets = quizzes()
    for path in write_sheets(tmp_path):
        text, for_teacher = path.read_text("utf-8"), path.parent.name == "teacher"
        for item in sheets[path.stem][1]:
            assert item["text"].strip() in text
            secret = [one["shows"] for one in item.get("wrong", [])]
            secret += [*item.get("answers", {}).values()]
            assert {words in text for words in secret} == {for_teacher}, item["id"]
        assert ("**Key**" in text) == for_teacher


def test_a_key_is_printed_as_its_code_computes_it():
    item = {"id": "x", "kind": "number", "text": "?", "code": "key = 2 / 3", "tolerance": 0.01}
    item["wrong"] = [{"answer": "key / 2", "shows": "Halves it."}]
    shown = question(item, key=True)
    assert "0.6667, within 0.01" in shown
    assert "*0.3333* Halves it." in shown
    assert "0.6667" not in question(item, key=False)


BUDGET = r"[ερ]|sensitivity"
RELATION = r"neighbour|replac|adding or removing|added or removed"
# there the neighbours are any two answers of one person
LOCAL = r"report|randomis|split|protocol|GRR"
FREE = {"d-exponential": "an exponent only", "e-ministry": "students are to name them"}


def test_whoever_asks_about_a_budget_names_its_neighbours():
    """The same ε promises less for adding or removing than for replacing one person."""
    exam = read_yaml(COURSE / "exam.yml", dict)
    papers = [*EVERY, *exam["exam"]["items"], *exam["resit"]["items"]]
    asked = {item["id"]: item["text"] for item in papers}
    budget = {name: text for name, text in asked.items() if re.search(BUDGET, text)}
    assert len(budget) > 40
    named = {n for n, text in budget.items() if re.search(f"{LOCAL}|{RELATION}", text, re.I)}
    assert budget.keys() - named == FREE.keys()
