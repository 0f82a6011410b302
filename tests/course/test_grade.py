"""What marks are made of: notebooks and answers."""

from __future__ import annotations

import pytest

from course.grade import agrees
from course.submission import Submission
from tests.course.test_refusals import cells, put

RIGHT = {"a": [0.67849, 12], "b": "late"}


def test_a_notebook_of_the_class_is_taken_with_the_kernel_of_the_course(tmp_path):
    text = cells('variant = "a1-00000001"').replace(
        '"metadata": {}, "nbformat"', '"metadata": {"kernelspec": {"name": "mine"}}, "nbformat"'
    )
    assert "mine" in text
    path = put(tmp_path / "s1.ipynb", text)
    key = put(tmp_path / "key.json", '{"variant": "a1-00000001"}')
    own = Submission("s1", path, key).notebook()
    assert own.metadata["kernelspec"]["name"] == "python3"


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ({"a": [0.678, 12], "b": "late"}, True),
        ({"a": [0.67849, 12.0], "b": "late"}, True),
        *(({"a": a, "b": "late"}, False) for a in ([0.68, 12], [0.678, 13], [0.678, True])),
        *(({"a": a, "b": "late"}, False) for a in ([0.678], [], [0.678, 12, 1], ["0.678", 12])),
        *(({"a": [0.678, 12]} | more, False) for more in ({}, {"b": "Late"}, {"b": 1})),
        ({"a": [0.678, 12], "b": "late", "c": 1}, False),
        *((nothing, False) for nothing in ({}, [], None)),
    ],
)
def test_an_answer_has_the_form_of_the_key_and_three_digits(answer, right):
    """``shares = []`` earned full marks, and a rounded answer none."""
    assert agrees(answer, RIGHT) is right


def test_digits_and_shares_that_a_task_names_are_marked():
    assert agrees(11.845, 11.844949854, digits=7) is False
    assert agrees(11.845, 11.844949854, digits=5) is True
    assert agrees(0.069, 0.0636, within=0.1) is True
    assert agrees(0.0004, 0.0) is True
    assert agrees(0.001, 0.0) is False
    for value in (9.995e-5, 0.0999, 1.0, 123456.0, -0.0123456):
        assert agrees(float(f"{value:.3g}"), value)
