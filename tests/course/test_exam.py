"""The examination: every variant has a key that no answer on the way reaches, and fits its time."""

from __future__ import annotations

import re
from html import unescape
from itertools import product

import pytest
from sklearn.metrics import cohen_kappa_score

from course.bank import quizzes
from course.exam import MINUTES, PAPERS, Question, paper, solve, write_exam
from course.sessions import COURSE
from lib.cli import main
from lib.files import read_yaml
from tests.course.grading import check_samples

ITEMS = {name: read_yaml(COURSE / "exam.yml", dict)[name]["items"] for name in PAPERS}
EVERY = [item for items in ITEMS.values() for item in items]
BLIND = ITEMS["exam"][-1]["blind"]
every_item = pytest.mark.parametrize("item", EVERY, ids=[item["id"] for item in EVERY])


def every_variant(item: dict) -> list[Question]:
    """An item with each combination of its numbers."""
    lists = product(*item["parameters"].values())
    return [solve(item, dict(zip(item["parameters"], values, strict=True))) for values in lists]


def _points(question: Question, answer: float) -> int:
    """What a number earns: all points, those of an answer on the way, or none."""
    if abs(answer - question.key) <= question.tolerance:
        return question.item["points"]
    near = [p for value, p, _ in question.partial if abs(answer - value) <= question.tolerance]
    return max(near, default=0)


@every_item
def test_every_variant_has_a_key_and_marks_what_is_on_the_way(item):
    keys = set()
    for question in every_variant(item):
        assert "{" not in question.text
        if item["kind"] == "reason":
            assert sum(one["points"] for one in item["criteria"]) == item["points"]
            check_samples(item)
            continue
        keys.add(question.key)
        assert _points(question, question.key) == item["points"]
        for value, worth, _ in question.partial:
            assert 0 < worth < item["points"]
            assert abs(value - question.key) > 2 * question.tolerance, (item["id"], question.values)
            assert _points(question, value) == worth  # no other answer on the way is as near
        assert _points(question, question.key * 3 + 7) == 0
    if item["kind"] == "number":
        assert len(keys) > 1


def _minutes(question):
    """Reads twice at 100 words a minute; a minute a formula, 20 seconds an operation, half a minute
    a line, and one to check. A text is planned for four minutes and written at 20 words a minute.
    """
    steps, reading = question.item["steps"], len(question.text.split()) / 50
    if question.item["kind"] == "reason":
        return reading + 4 + steps["words"] / 20 + steps["words"] / 100
    return reading + steps["formulas"] + steps["operations"] / 3 + steps["lines"] / 2 + 1


def test_a_paper_fits_its_time_and_the_teacher_reads_what_was_measured():
    """Minutes, and the agreement of two blind markers."""
    text, took = (COURSE / "README.md").read_text("utf-8"), []
    for questions in (paper(name, seed=3)[1] for name in PAPERS):
        took.append(sum(map(_minutes, questions)))
        assert sum(question.item["points"] for question in questions) == MINUTES
        assert took[-1] < 0.9 * MINUTES
        assert all(_minutes(question) < question.item["points"] + 1 for question in questions)
        assert any(q.item["kind"] == "reason" for q in questions)
    assert "The papers take {:.0f} and {:.0f} minutes".format(*took) in text
    one, other = ([int(level) for level in blind if level != " "] for blind in BLIND)
    same = sum(a == b for a, b in zip(one, other, strict=True))
    assert f"in {same} of {len(one)} judgements" in text
    assert f"kappa is {cohen_kappa_score(one, other, weights='linear'):.2f} (linear" in text


def test_no_item_stands_anywhere_else():
    known = {item["id"]: item["text"] for _, items in quizzes().values() for item in items}
    texts = [item["text"] for item in EVERY]
    assert len(set(texts)) == len({item["id"] for item in EVERY}) == len(EVERY)
    assert not set(texts) & set(known.values())
    assert not {item["id"] for item in EVERY} & known.keys()


def test_a_seed_draws_other_numbers_and_only_the_scheme_has_keys(tmp_path, capsys):
    assert main(["course", "exam", "--seed", "a secret of ours", "--out", str(tmp_path)]) == 0
    first = (tmp_path / "exam.md").read_text("utf-8")
    assert capsys.readouterr().out.count(str(tmp_path)) == 4
    scheme = (tmp_path / "exam-scheme.md").read_text("utf-8")
    assert "Key" in scheme
    assert "Key" not in first
    html = (tmp_path / "exam.html").read_text("utf-8")
    shown = " ".join(unescape(re.sub("<[^>]+>", "", html.partition("<body>")[2])).split())
    assert shown == " ".join(re.sub(r"^#+ |\*", "", first, flags=re.M).split())
    assert "<strong>Key</strong>" in (tmp_path / "exam-scheme.html").read_text("utf-8")
    for item in ITEMS["exam"]:
        remarks = [one["shows"] for one in item.get("partial", ())]
        remarks += [one["for"] for one in item.get("criteria", ())]
        assert all(remark in scheme and remark not in first for remark in remarks)
    write_exam("exam", 1, tmp_path)
    assert (tmp_path / "exam.md").read_text("utf-8") != first
