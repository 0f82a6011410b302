"""Tests of assignments without otter: their functions, called as otter calls them."""

from __future__ import annotations

import inspect
from typing import Any

from course.assignment import Assignment


def points(assignment: Assignment, space: dict[str, Any], key: dict[str, Any]) -> dict[str, float]:
    """Points of each task with tests, for a student's variables and a key."""
    return {
        task.name: sum(
            most
            for most, test in zip(task.points, task.tests, strict=True)
            if _passes(test, space, key)
        )
        for task in assignment.tasks.values()
        if not task.manual
    }


def full(assignment: Assignment) -> dict[str, float]:
    """Points of somebody who has everything right."""
    return {t.name: sum(t.points) for t in assignment.tasks.values() if not t.manual}


def _passes(test: str, space: dict[str, Any], key: dict[str, Any]) -> bool:
    own: dict[str, Any] = {"KEY": key}
    exec(test, own)
    (function,) = (f for name, f in own.items() if inspect.isfunction(f))
    try:
        function(**{name: space.get(name) for name in inspect.signature(function).parameters})
    except Exception:  # whatever a student's variables lead to
        return False
    return True
