"""What is handed in is looked at before anything of it runs."""

from __future__ import annotations

import json

import pytest

from course.grade import agrees
from course.mark import mark
from course.submission import Submission
from lib.sandbox import Limits


def handed_in(folder, text, name="s1.ipynb"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    variants = {"s1": "a1-00000001", "s2": "a1-00000002"}
    return Submission("a1", "s1", path, path, variants)


def cells(*sources):
    kinds = [{"cell_type": "markdown", "metadata": {}, "source": source} for source in sources]
    return json.dumps({"cells": kinds, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


def test_the_students_own_notebook_is_taken_with_the_kernel_of_the_course(tmp_path):
    text = cells('variant = "a1-00000001"').replace(
        '"metadata": {}, "nbformat"', '"metadata": {"kernelspec": {"name": "mine"}}, "nbformat"'
    )
    assert "mine" in text
    assert handed_in(tmp_path, text).notebook().metadata["kernelspec"]["name"] == "python3"


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("x", "s1.pdf", "must be a notebook (.ipynb), got s1.pdf"),
        ("", "s1.ipynb", "cannot be read"),
        ("[]", "s1.ipynb", "cannot be read"),
        ("{}", "s1.ipynb", "cannot be read"),
        ("[" * 100_000, "s1.ipynb", "cannot be read"),
        (b"\xff\xfe", "s1.ipynb", "cannot be read"),
        (cells(5), "s1.ipynb", "cannot be read"),
        (cells("a1-00000001 \ud800"), "s1.ipynb", "cannot be read"),
        (cells("a1-00000002"), "s1.ipynb", "is the notebook of another student (s2)"),
        (cells("a2-00000001"), "s1.ipynb", "has not the variant a1-00000001 of this student"),
        (b" " * (21 * 2**20), "s1.ipynb", "must be at most 20 MiB"),
    ],
)
def test_what_is_no_notebook_of_the_student_is_refused_in_words(tmp_path, text, name, message):
    with pytest.raises(ValueError) as error:
        handed_in(tmp_path, text, name).notebook()
    assert message in str(error.value)


@pytest.mark.parametrize("limits", [Limits(seconds=0), Limits(gibibytes=float("nan"))])
def test_limits_that_limit_nothing_are_refused(tmp_path, limits):
    with pytest.raises(ValueError, match="must be a finite number > 0"):
        mark(tmp_path, tmp_path, tmp_path, limits)


KEY = {"a": [0.67849, 12], "b": "late"}


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ({"a": [0.678, 12], "b": "late"}, True),
        ({"a": [0.67849, 12.0], "b": "late"}, True),
        ({"a": [0.68, 12], "b": "late"}, False),
        ({"a": [0.678, 13], "b": "late"}, False),
        ({"a": [0.678, True], "b": "late"}, False),
        ({"a": [0.678], "b": "late"}, False),
        ({"a": [], "b": "late"}, False),
        ({"a": [0.678, 12, 1], "b": "late"}, False),
        ({"a": [0.678, 12]}, False),
        ({"a": [0.678, 12], "b": "late", "c": 1}, False),
        ({"a": ["0.678", 12], "b": "late"}, False),
        ({"a": [0.678, 12], "b": "Late"}, False),
        ({}, False),
        ([], False),
        (None, False),
    ],
)
def test_an_answer_has_the_form_of_the_key_and_three_digits(answer, right):
    """``shares = []`` earned full marks, and a rounded answer none."""
    assert agrees(answer, KEY) is right


def test_digits_and_shares_that_a_task_names_are_marked():
    assert agrees(11.845, 11.844949854, digits=7) is False
    assert agrees(11.845, 11.844949854, digits=5) is True
    assert agrees(0.069, 0.0636, within=0.1) is True
    assert agrees(0.0004, 0.0) is True
    assert agrees(0.001, 0.0) is False
    for value in (9.995e-5, 0.0999, 1.0, 123456.0, -0.0123456):
        assert agrees(float(f"{value:.3g}"), value)
