"""Each assignment: every key runs, the solution gets all points, planted wrong answers do not."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import Any

import pytest

from course.assignment import SOURCES, Assignment, read_all
from course.variants import Variant, course_seed, draw, key_of, solve
from lib.paths import CHAPTERS, ROOT
from tests.course.grading import check_samples, full, points
from tests.declared import PROJECT, pins

CLASSES = [course_seed(f"a seed of the tests, {n}") for n in range(3)]
ASSIGNMENTS = read_all()
every_assignment = pytest.mark.parametrize("assignment", ASSIGNMENTS, ids=lambda a: a.name)


@cache
def _solved(number: int) -> list[tuple[Variant, dict[str, Any], dict[str, Any]]]:
    """Variant, variables after the solution, and key of each class."""
    assignment = ASSIGNMENTS[number]
    variants = [draw(assignment, seed) for seed in CLASSES]
    spaces = [solve(assignment, variant) for variant in variants]
    return [(v, s, key_of(assignment, s)) for v, s in zip(variants, spaces, strict=True)]


def solved(assignment: Assignment) -> list[tuple[Variant, dict[str, Any], dict[str, Any]]]:
    return _solved(ASSIGNMENTS.index(assignment))


@every_assignment
def test_the_solution_gets_all_points_and_an_empty_notebook_none(assignment):
    for _, space, key in solved(assignment):
        assert points(assignment, space, key) == full(assignment)
        empty = dict.fromkeys(assignment.key_names(), ...)
        assert sum(points(assignment, empty, key).values()) == 0


@every_assignment
def test_planted_wrong_answers_are_rejected(assignment):
    checked = [task.name for task in assignment.tasks.values() if not task.manual]
    assert sorted(assignment.info["wrong"]) == sorted(checked)
    for task, planted in assignment.info["wrong"].items():
        assert len(planted) >= 3, task
        for wrong in planted:
            for _, space, key in solved(assignment):
                answers = dict(space)
                exec(wrong["code"], answers)
                got = points(assignment, answers, key)[task]
                assert got < full(assignment)[task], (task, wrong["mistake"])


@every_assignment
def test_answers_and_tables_differ_between_classes(assignment):
    for task in assignment.tasks.values():
        names = [n for n in assignment.key_names() if f'KEY["{n}"]' in "".join(task.tests)]
        answers = {repr([key[name] for name in names]) for *_, key in solved(assignment)}
        assert len(answers) > 1 or not names, task.name
    tables = [variant.table for variant, *_ in solved(assignment) if variant.table is not None]
    assert len(set(tables)) == len(tables)
    assert draw(assignment, CLASSES[0]) == solved(assignment)[0][0]


@every_assignment
def test_the_form_of_an_assignment(assignment):
    tasks, info = list(assignment.tasks.values()), assignment.info
    assert 5 <= len(tasks) <= 8
    assert [task.name for task in tasks] == [f"q{n}" for n in range(1, len(tasks) + 1)]
    text = "\n".join(c.source for c in assignment.notebook.cells if c.cell_type == "markdown")
    assert re.findall(r"^## Task (\d)\. \S", text, re.M) == [t.name[1:] for t in tasks]
    parameters = re.findall(r"^(\w+) =", assignment.cell("parameters").source, re.M)
    assert parameters == list(info["parameters"])
    written = {task.name: task.points for task in tasks if task.manual}
    assert sorted(info["rubric"]) == sorted(written)
    for task, rubric in info["rubric"].items():
        assert sum(criterion["points"] for criterion in rubric["criteria"]) == written[task]
        levels = [sample["points"] for sample in rubric["samples"]]
        assert levels == sorted(levels, reverse=True)
        assert [*Counter(levels).values()] == [2, 2, 2]
        assert levels[0] == written[task]
        assert all(sum(sample["each"]) == sample["points"] for sample in rubric["samples"])
        check_samples(rubric)


@every_assignment
def test_public_tests_give_no_points_and_do_not_know_the_key(assignment):
    for task in assignment.tasks.values():
        for number, test in enumerate(task.tests):
            if not test.startswith("# HIDDEN"):
                assert "KEY" not in test
                assert task.points[number] == 0
        assert task.manual or any(test.startswith("# HIDDEN") for test in task.tests)


def test_solutions_are_not_in_the_book():
    pages = "\n".join(page.read_text("utf-8") for page in CHAPTERS.rglob("*.md"))
    for assignment in ASSIGNMENTS:
        for wrong in assignment.info["rubric"].values():
            assert all(sample["text"][:60] not in pages for sample in wrong["samples"])
        for task in assignment.tasks.values():
            assert all(test not in pages for test in task.tests)
    assert "course" not in (ROOT / "_toc.yml").read_text("utf-8")


def test_students_are_told_what_is_locked():
    start = (SOURCES / "start.md").read_text("utf-8")
    assert f" {next(pin for pin in pins('course') if pin.startswith('otter-grader'))} " in start
    assert f" who_pays_for_privacy-{PROJECT['project']['version']}-py3-none-any.whl " in start
