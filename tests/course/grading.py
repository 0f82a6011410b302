"""Tests of assignments without a notebook: variables as they would leave it, and their points."""

from __future__ import annotations

import json
import re
from typing import Any

from course.assignment import Assignment
from course.grade import grade, names
from course.notebook_run import plain


def points(assignment: Assignment, space: dict[str, Any], key: dict[str, Any]) -> dict[str, float]:
    """Points of each task with tests, for a student's variables and a key."""
    answers = {}
    for name in names(assignment):
        try:
            answers[name] = json.loads(json.dumps(plain(space.get(name))))
        except TypeError:
            continue
    return grade(assignment, answers, json.loads(json.dumps(key)))


def full(assignment: Assignment) -> dict[str, float]:
    """Points of somebody who has everything right."""
    return {t.name: sum(t.points) for t in assignment.tasks.values() if not t.manual}


def check_samples(rubric: dict[str, Any]) -> None:
    """Each sample earns all, half or nothing of a criterion, and quotes the words that earn it."""
    most = [criterion["points"] for criterion in rubric["criteria"]]
    for sample in rubric["samples"]:
        for earned, top, why in zip(sample["each"], most, sample["why"], strict=True):
            assert earned in (0, top / 2, top)
            quoted = re.findall("‘([^’]+)’", why)
            assert quoted or not earned, why
            assert all(words.lower() in sample["text"].lower() for words in quoted), why
