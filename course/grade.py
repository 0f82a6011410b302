"""Points of answers that a notebook has handed out as data, by hidden tests of its assignment."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from typing import Any

from course.assignment import HIDDEN, Assignment


def agrees(answer: Any, right: Any, digits: int = 3, within: float = 0.0) -> bool:
    """Whether an answer has the form and the values of the right one.

    A list needs the same length, a mapping the same keys. Whole numbers, text and truth values must
    be equal; other numbers right to ``digits`` significant digits, rounded, or, if that is more,
    within the share ``within`` of the right one.

    Examples
    --------
    >>> agrees(0.678, 0.6784), agrees(0.68, 0.6784), agrees([], [1.5, 2.5]), agrees(12, 13)
    (True, False, False, False)
    """
    if isinstance(right, dict):
        same = isinstance(answer, dict) and answer.keys() == right.keys()
        return same and all(agrees(answer[k], v, digits, within) for k, v in right.items())
    if isinstance(right, list):  # a mapping of places
        places = dict(enumerate(right))
        same = isinstance(answer, list)
        return same and agrees(dict(enumerate(answer)), places, digits, within)
    if isinstance(right, bool | str):
        return type(answer) is type(right) and answer == right
    if isinstance(answer, bool) or not isinstance(answer, int | float):
        return False
    if isinstance(right, int):
        return answer == right
    place = math.floor(math.log10(abs(right))) if right else -1
    # a rounded answer is on the edge of this at most, and one bit may lie beyond
    return abs(answer - right) <= max(0.5001 * 10.0 ** (place - digits + 1), within * abs(right))


def names(assignment: Assignment) -> list[str]:
    """The variables that hidden tests ask for."""
    return sorted({name for *_, asked in _hidden(assignment, {}) for name in asked})


def grade(assignment: Assignment, answers: dict[str, Any], key: dict[str, Any]) -> dict[str, float]:
    """Points of each task with tests."""
    points = {task.name: 0.0 for task in assignment.tasks.values() if not task.manual}
    for task, most, function, asked in _hidden(assignment, key):
        try:
            function(**{name: answers.get(name) for name in asked})
        except Exception:  # whatever an answer of another form leads to
            continue
        points[task] += most
    return points


def _hidden(
    assignment: Assignment, key: dict[str, Any]
) -> Iterator[tuple[str, float, Callable[..., None], list[str]]]:
    """Task, points, function and its arguments of each hidden test."""
    for task in assignment.tasks.values():
        for most, test in zip([] if task.manual else task.points, task.tests, strict=True):
            if test.startswith(HIDDEN):
                space: dict[str, Any] = {"KEY": key, "agrees": agrees}
                exec(test, space)
                *_, function = space.values()  # a test's cell holds one
                yield task.name, most, function, [*inspect.signature(function).parameters]
