"""The question bank and the quizzes: every key is computed, every planted wrong answer is rejected,
every tag is a promise that a page of the book makes, and the language is that of the book.
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
from tests.press.measure import LONGEST_SENTENCE, plain, sentences

BANK = read_yaml(COURSE / "bank.yml", dict)
QUIZZES = read_yaml(COURSE / "quizzes.yml", dict)
ITEMS: list[dict[str, Any]] = BANK["items"]
DIAGNOSTIC: list[dict[str, Any]] = QUIZZES["diagnostic"]["items"]
EVERY = [*ITEMS, *DIAGNOSTIC]
COMMON = {"id", "difficulty", "kind", "text"}
FIELDS = {
    "number": COMMON | {"code", "tolerance", "wrong"},
    "choice": COMMON | {"key", "wrong"},
    "reason": COMMON | {"answers"},
}
NUMBERS = [item for item in EVERY if item["kind"] == "number"]


def _named(item: dict[str, Any]) -> str:
    return item["id"]


def _texts(item: dict[str, Any]) -> list[str]:
    """All sentences of an item that somebody reads."""
    if item["kind"] == "reason":
        return [item["text"], *item["answers"].values()]
    wrong = [w["shows"] for w in item["wrong"]]
    choices = [w["answer"] for w in item["wrong"]] if item["kind"] == "choice" else []
    return [item["text"], *wrong, *choices, *([item["key"]] if choices else [])]


def test_the_length_of_a_choice_does_not_give_the_key_away():
    """Whoever always takes the longest, the second, the third or the shortest choice fails."""
    ranks = Counter()
    for item in (item for item in EVERY if item["kind"] == "choice"):
        right, wrong = len(item["key"]), [len(one["answer"]) for one in item["wrong"]]
        ranks[sum(length > right for length in wrong)] += 1
        assert right <= max(wrong) + 10, item["id"]
    assert max(ranks.values()) <= 1 + ranks.total() / 3, ranks


@pytest.mark.parametrize("item", EVERY, ids=_named)
def test_an_item_has_the_fields_of_its_kind(item):
    own = {"session", "objective"} if item in ITEMS else {"read"}
    assert set(item) == FIELDS[item["kind"]] | own
    assert item["difficulty"] in LEVELS
    if item["kind"] == "reason":
        assert list(item["answers"]) == ["full", "half", "none"]
        return
    assert len(item["wrong"]) >= 3
    assert all(set(wrong) == {"answer", "shows"} and wrong["shows"] for wrong in item["wrong"])
    given = [str(wrong["answer"]) for wrong in item["wrong"]] + [str(item.get("key"))]
    assert len(set(given)) == len(given)


@pytest.mark.parametrize("item", NUMBERS, ids=_named)
def test_a_key_is_computed_and_the_wrong_answers_are_rejected(item):
    key, wrong = computed(item)
    for value, one in zip(wrong, item["wrong"], strict=True):
        assert abs(value - key) > 1.5 * item["tolerance"], (one["shows"], value, key)


@pytest.mark.parametrize("item", NUMBERS, ids=_named)
def test_an_answer_with_the_decimals_that_were_asked_for_counts(item):
    key, _ = computed(item)
    asked = re.search(r"Give (one|two|three) decimal", item["text"])
    places = {"one": 1, "two": 2, "three": 3}[asked[1]] if asked else 3
    assert abs(round(key, places) - key) <= item["tolerance"]


def test_every_tag_is_a_promise_of_a_page_and_is_used():
    used = {item["objective"] for item in ITEMS}
    assert used == set(BANK["objectives"])
    for name, tag in BANK["objectives"].items():
        promised = plain(facts(Page(f"chapters/{tag['page']}", ROOT)).objectives)
        assert tag["promise"] in " ".join(promised.split()), (name, promised)


def test_an_item_is_about_what_was_read_by_then():
    required: set[str] = set()
    for session in sessions():
        listed = [entry.page for track in session.reading.values() for entry in track]
        required |= {*listed, *session.optional}
        for item in ITEMS:
            if item["session"] == session.number:
                assert BANK["objectives"][item["objective"]]["page"] in required, item["id"]


def test_each_session_has_twelve_items_of_every_level_and_kind():
    assert len({item["id"] for item in EVERY}) == len(EVERY)
    for session in sessions():
        own = [item for item in ITEMS if item["session"] == session.number]
        assert len(own) == 12
        levels = Counter(item["difficulty"] for item in own)
        assert (levels["easy"], levels["medium"], levels["hard"]) == (4, 5, 3)
        assert set(FIELDS) == {item["kind"] for item in own}
        assert sum(item["kind"] == "reason" for item in own) == 2


def test_the_quizzes_cover_what_they_say():
    assert len(DIAGNOSTIC) == 10
    chosen = [item for item in ITEMS if item["id"] in QUIZZES["final"]["items"]]
    assert len(chosen) == len(QUIZZES["final"]["items"]) == 12
    assert Counter(item["session"] for item in chosen) == dict.fromkeys(range(1, 7), 2)
    pages_named = [re.match(r"[a-z]+/\w+", item["read"]) for item in DIAGNOSTIC]
    known = {page.doc.removeprefix("chapters/") for page in pages(ROOT)}
    assert {found[0] for found in pages_named if found} <= known


@pytest.mark.parametrize("item", EVERY, ids=_named)
def test_sentences_are_short(item):
    long = [
        s for text in _texts(item) for s in sentences(text) if len(s.split()) > LONGEST_SENTENCE
    ]
    assert long == []


def _figures(text: str) -> set[str]:
    """Numbers of a text, without those that every page has."""
    found = re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?", plain(text))
    return {n.replace(",", "") for n in found} - {"0", "1", "2", "3", "4", "10"}


def test_no_item_repeats_an_exercise_with_its_numbers():
    exercises = {}
    for path in CHAPTERS.glob("*/*.md"):
        found = re.finditer(
            r"^```\{exercise\}[^\n]*\n:label: (\S+)\n(.*?)^```",
            path.read_text("utf-8"),
            re.M | re.S,
        )
        exercises |= {match[1]: _figures(match[2]) for match in found}
    for item in EVERY:
        own = _figures(item["text"])
        for label, theirs in exercises.items():
            alike = len(own & theirs) >= 3 or (len(own) >= 2 and own <= theirs)
            assert not alike, (item["id"], label)


def test_a_students_sheet_asks_everything_and_answers_nothing(tmp_path):
    for path in write_sheets(tmp_path):
        text = path.read_text("utf-8")
        for item in quizzes()[path.stem][1]:
            assert item["text"].strip() in text
            secret = [one["shows"] for one in item.get("wrong", [])]
            secret += [*item.get("answers", {}).values()]
            if path.parent.name == "teacher":
                assert all(words in text for words in secret), item["id"]
            else:
                assert not any(words in text for words in secret), item["id"]
        assert ("**Key**" in text) == (path.parent.name == "teacher")


def test_a_key_is_printed_as_its_code_computes_it():
    item = {"id": "x", "kind": "number", "text": "?", "code": "key = 2 / 3", "tolerance": 0.01}
    item["wrong"] = [{"answer": "key / 2", "shows": "Halves it."}]
    assert "0.6667, within 0.01" in question(item, key=True)
    assert "*0.3333* Halves it." in question(item, key=True)
    assert "0.6667" not in question(item, key=False)


def test_the_right_choice_has_no_fixed_place():
    choices = [item for item in EVERY if item["kind"] == "choice"]
    places = Counter(
        sorted([item["key"], *(one["answer"] for one in item["wrong"])]).index(item["key"])
        for item in choices
    )
    assert max(places.values()) < len(choices) / 2


BUDGET = r"[ερ]|sensitivity"
RELATION = r"neighbour|replac|adding or removing|added or removed"
LOCAL = (
    r"report|randomis|split|protocol|GRR"  # there the neighbours are any two answers of one person
)
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
