"""What marks are made of: notebooks and answers."""

from __future__ import annotations

import json

import nbformat
import pytest

from course.assignment import SOURCES, read
from course.grade import agrees
from course.mark import mark
from course.submission import Submission
from course.variants import course_seed, draw, key_of, solve
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


# what a submission tries, and a part of its note or flags
ATTEMPTS = {
    "replaces abs": ("import builtins\nbuiltins.abs = lambda x: 0", "replaces abs"),
    "is equal to everything": (
        "class Any(float):\n    __eq__ = __lt__ = __gt__ = lambda *_: True\n"
        "    __sub__ = __rsub__ = lambda *_: 0.0\nkeep = Any()",
        "keep must be numbers",
    ),
}


@pytest.mark.thorough("submissions against the marking")
def test_a_submission_against_the_marking_gets_nothing_and_an_honest_one_all(tmp_path):
    a1 = read(SOURCES / "a1.md")
    variant = draw(a1, course_seed("a seed that nobody knows"))
    others = tmp_path / "in/a1"
    (tmp_path / "teacher/a1").mkdir(parents=True)
    key = {"variant": variant.name, "table": variant.table, "key": key_of(a1, solve(a1, variant))}
    put(tmp_path / "teacher/a1/key.json", json.dumps(key))
    others.mkdir(parents=True)
    tried = {f"s{n}": [code] for n, (code, _) in enumerate(ATTEMPTS.values())}
    for who, code in (tried | {"honest": a1.solution()}).items():
        made = [nbformat.v4.new_code_cell(source) for source in (variant.cell(), *code)]
        nbformat.write(nbformat.v4.new_notebook(cells=made), others / f"{who}.ipynb")
    got = mark(others.parent, tmp_path / "teacher", tmp_path / "marks", 90).set_index("id")
    for (name, (_, said)), who in zip(ATTEMPTS.items(), tried, strict=True):
        assert said in f"{got.loc[who, 'note']}; {got.loc[who, 'flags']}", name
        assert got.loc[who, "points"] == 0, name
    assert got.loc["honest", ["points", "note", "flags"]].tolist() == [16, "", ""]
