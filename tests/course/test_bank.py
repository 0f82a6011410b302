"""Bank and quizzes: every key is computed, every planted wrong answer is rejected; and the
examinations, whose items stand nowhere else.
"""

from __future__ import annotations

import re
from itertools import product

import pytest
from text2qti.config import Config
from text2qti.qti import QTI
from text2qti.quiz import Quiz

from course.bank import computed, sheets, write_sheets
from course.exam import MINUTES, Question, papers, solve, write_exams
from course.sessions import COURSE
from lib.files import read_yaml

BANK = read_yaml(COURSE / "bank.yml", dict)
SHEETS = sheets()
ITEMS = BANK["items"]
EVERY = [*ITEMS, *SHEETS["diagnostic"][2]]
FIELDS = {
    "number": {"code", "tolerance", "wrong"},
    "choice": {"key", "wrong"},
    "reason": {"answers"},
}
EXAMS = {name: whole["items"] for name, whole in read_yaml(COURSE / "exam.yml", dict).items()}
ids = {"ids": lambda item: item["id"]}


@pytest.mark.parametrize("item", EVERY, **ids)
def test_an_item_has_a_computed_key_that_no_planted_mistake_reaches(item):
    own = {"session", "objective"} if item in ITEMS else {"read"}
    assert set(item) == {"id", "difficulty", "kind", "text"} | FIELDS[item["kind"]] | own
    if item["kind"] == "reason":
        assert list(item["answers"]) == ["full", "half", "none"]
        return
    assert len({str(one["answer"]) for one in item["wrong"]} - {item.get("key")}) >= 3
    assert all(one["shows"] for one in item["wrong"])
    if item["kind"] == "number":
        key, wrong = computed(item)
        assert all(abs(value - key) > 1.5 * item["tolerance"] for value in wrong)
        asked = re.search(r"Give (one|two|three) decimal", item["text"])
        places = {"one": 1, "two": 2, "three": 3}[asked[1]] if asked else 3
        assert abs(round(key, places) - key) <= item["tolerance"]


def test_text2qti_reads_every_sheet_and_students_get_no_key(tmp_path):
    paths = write_sheets(tmp_path)
    assert {path.stem for path in paths} == {"bank", "diagnostic", "final"}
    for name, (_, _, items) in SHEETS.items():
        source = (tmp_path / f"{name}.txt").read_text("utf-8")
        quiz = Quiz(source, config=Config())
        assert QTI(quiz).zip_bytes()
        assert len(quiz.questions_and_delims) == len(items)
        for read, item in zip(quiz.questions_and_delims, items, strict=True):
            assert read.title_raw == item["id"]
            if item["kind"] == "number":
                key, wrong = computed(item)
                low, high = float(read.numerical_min), float(read.numerical_max)
                assert low <= key <= high
                assert not any(low <= value <= high for value in wrong)
            if item["kind"] == "choice":
                (right,) = (c.choice_raw for c in read.choices if c.correct)
                assert right == item["key"].strip()
        text = (tmp_path / f"{name}.md").read_text("utf-8")
        for item in items:
            assert item["text"].strip().partition("\n")[0] in text
            remarks = [one["shows"] for one in item.get("wrong", [])]
            assert not any(words in text for words in [*remarks, *item.get("answers", {}).values()])


# --- examinations --------------------------------------------------------------------------------


def points(question: Question, answer: float) -> int:
    """What a number earns: all points, those of an answer on the way, or none."""
    if abs(answer - question.key) <= question.tolerance:
        return question.item["points"]
    near = [p for value, p, _ in question.partial if abs(answer - value) <= question.tolerance]
    return max(near, default=0)


@pytest.mark.parametrize("item", [item for items in EXAMS.values() for item in items], **ids)
def test_every_variant_has_a_key_and_marks_what_is_on_the_way(item):
    for values in product(*item["parameters"].values()):
        question = solve(item, dict(zip(item["parameters"], values, strict=True)))
        assert "{" not in question.text
        if item["kind"] == "reason":
            assert sum(one["points"] for one in item["criteria"]) == item["points"]
            continue
        assert points(question, question.key) == item["points"]
        assert points(question, question.key * 3 + 7) == 0
        for value, worth, _ in question.partial:
            assert 0 < worth < item["points"]
            assert abs(value - question.key) > 2 * question.tolerance
            assert points(question, value) == worth  # no other answer on the way is as near


def test_a_paper_fits_its_time_asks_nothing_twice_and_keeps_its_keys(tmp_path):
    known = [item["text"] for items in (EVERY, *EXAMS.values()) for item in items]
    assert len(set(known)) == len(known)
    write_exams("one class", tmp_path)
    for name, (_, questions) in papers("one class").items():
        assert sum(question.item["points"] for question in questions) == MINUTES
        paper = (tmp_path / f"{name}.md").read_text("utf-8")
        scheme = (tmp_path / f"{name}-scheme.md").read_text("utf-8")
        for question in questions:
            assert question.text in paper
            remarks = [one["shows"] for one in question.item.get("partial", ())]
            remarks += [one["for"] for one in question.item.get("criteria", ())]
            assert all(remark in scheme and remark not in paper for remark in remarks)
        write_exams("another class", tmp_path)
        assert (tmp_path / f"{name}.md").read_text("utf-8") != paper
        write_exams("one class", tmp_path)
