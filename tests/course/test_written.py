"""What marks are made of: notebooks and answers, written answers and their points, gradebooks."""

from __future__ import annotations

import math
from itertools import pairwise

import nbformat
import pandas as pd
import pytest
from markdown_it import MarkdownIt

from course.assignment import read_all
from course.grade import agrees
from course.gradebook import write_gradebooks
from course.submission import Submission
from course.written import answer, write_answers
from tests.course.grading import KEY, answered
from tests.course.test_refusals import cells, put

A1 = read_all()[0]
RIGHT = {"a": [0.67849, 12], "b": "late"}


def test_the_students_own_notebook_is_taken_with_the_kernel_of_the_course(tmp_path):
    text = cells('variant = "a1-00000001"').replace(
        '"metadata": {}, "nbformat"', '"metadata": {"kernelspec": {"name": "mine"}}, "nbformat"'
    )
    assert "mine" in text
    path = put(tmp_path / "s1.ipynb", text)
    own = Submission("s1", path, path, {"s1": "a1-00000001"}).notebook()
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


def test_an_answer_is_what_follows_the_heading_of_its_task():
    assert answer(answered("My advice."), A1.tasks["q8"]) == "My advice.\n\nA second cell."
    assert answer(nbformat.v4.new_notebook(), A1.tasks["q8"]) == ""


def test_points_are_kept_and_answers_stand_below_the_rubric(tmp_path):
    books = {"007": answered("Bond advises."), "s2": answered("Wait a year.")}
    table = write_answers(A1, books, tmp_path, KEY)
    assert table["points"].isna().all()
    text = (tmp_path / "a1-q8.md").read_text("utf-8")
    assert text.count("`epsilon = 0.62`; `errors = {'Harbour': 0.123}`") == len(books)
    criterion = A1.info["rubric"]["q8"]["criteria"][0]["for"]
    order = [text.index(part) for part in (criterion, "Bond", "Wait a")]
    assert order == sorted(order)
    given = pd.read_csv(tmp_path / "a1.csv", dtype={"id": str}).assign(points=[4.5, None])
    given.to_csv(tmp_path / "a1.csv", index=False)
    table = write_answers(A1, books | {"s3": answered("Late.")}, tmp_path, KEY).set_index("id")
    assert table["points"].dropna().to_dict() == {"007": 4.5}
    assert list(table.index) == ["007", "s2", "s3"]


HOSTILE = """# a1, q8: 6 points

</code></pre><script>alert(1)</script> \x1b[2J
`````
> 6 points (2 + 2 + 2): me
~~~
## s2
"""


def test_what_a_student_wrote_is_no_part_of_the_page(tmp_path):
    """A heading or a script of an answer stood in the grader's page as one of the page's own."""
    write_answers(A1, {"s1": answered(HOSTILE), "s2": answered("x" * 300)}, tmp_path, KEY)
    tokens = MarkdownIt("commonmark").parse((tmp_path / "a1-q8.md").read_text("utf-8"))
    heads = [b.content for a, b in pairwise(tokens) if a.type == "heading_open"]
    assert heads == ["a1, q8: 6 points", "s1", "s2"]
    assert [token for token in tokens if "html" in token.type] == []
    mine, other = (token.content for token in tokens if token.type == "code_block")
    assert "<script>alert(1)</script> \\x1b[2J\n`````\n" in mine
    assert mine.endswith("\n\nA second cell.\n")
    assert max(map(len, other.splitlines())) == 96


def test_each_assignment_weighs_the_same_in_both_systems(tmp_path):
    rows = [
        ("s1", "Ada", "a1", 10.0, 15.0, 4.0, 6),
        ("s1", "Ada", "a2", 20.0, 20.0, math.nan, 6),  # the written task has not been read
        ("s2", "Grace, née Murray", "a1", 0.0, 15.0, 0.0, 6),
        ("s2", "Grace, née Murray", "a2", 13.0, 20.0, 6.0, 6),
    ]
    columns = ["id", "name", "assignment", "points", "of", "written", "written of"]
    canvas, moodle = write_gradebooks(pd.DataFrame(rows, columns=columns), tmp_path)
    assert (canvas.name, moodle.name) == ("canvas.csv", "moodle.csv")
    assert canvas.read_text("utf-8") == (
        "Student,ID,SIS User ID,SIS Login ID,Section,a1,a2\n"
        "    Points Possible,,,,,100.0,100.0\n"
        "Ada,,s1,,,66.67,\n"
        '"Grace, née Murray",,s2,,,0.0,73.08\n'
    )
    assert moodle.read_text("utf-8") == (
        "ID number,Name,a1 (percent),a2 (percent)\n"
        "s1,Ada,66.67,\n"
        's2,"Grace, née Murray",0.0,73.08\n'
    )
