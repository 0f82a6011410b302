"""Written answers: what is collected, and the points that a person gives."""

from __future__ import annotations

from itertools import pairwise

import nbformat
import pandas as pd
import pytest
from markdown_it import MarkdownIt

from course.assignment import master, read_all
from course.written import answer, write_answers

A1 = read_all()[0]
TASK = A1.tasks["q8"]
KEY = pd.DataFrame(
    [(who, "", "", "0.62", "{'Harbour': 0.123456}") for who in ("007", "s1", "s2", "s3")],
    columns=["id", "name", "variant", "epsilon", "answer errors"],
)


def notebook(text):
    """The assignment with an answer of two cells in place of the prompt of its last task."""
    cells = [c for c in master(A1).cells if c.cell_type == "markdown"][:-1]
    answers = [nbformat.v4.new_markdown_cell(part) for part in (text, "A second cell.")]
    return nbformat.v4.new_notebook(cells=cells + answers)


def test_an_answer_is_what_follows_the_heading_of_its_task():
    assert answer(notebook("My advice."), TASK) == "My advice.\n\nA second cell."
    assert answer(nbformat.v4.new_notebook(), TASK) == ""


def test_points_are_kept_and_answers_stand_below_the_rubric(tmp_path):
    books = {"007": notebook("Bond advises."), "s2": notebook("Wait a year.")}
    table = write_answers(A1, books, tmp_path, KEY)
    assert table["points"].isna().all()
    text = (tmp_path / "a1-q8.md").read_text("utf-8")
    assert text.count("`epsilon = 0.62`; `errors = {'Harbour': 0.123}`") == len(books)
    order = [
        text.index(part)
        for part in (A1.info["rubric"]["q8"]["criteria"][0]["for"], "Bond", "Wait a")
    ]
    assert order == sorted(order)
    given = pd.read_csv(tmp_path / "a1.csv", dtype={"id": str}).assign(points=[4.5, None])
    given.to_csv(tmp_path / "a1.csv", index=False)
    table = write_answers(A1, books | {"s3": notebook("Late.")}, tmp_path, KEY).set_index("id")
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
    write_answers(A1, {"s1": notebook(HOSTILE), "s2": notebook("x" * 300)}, tmp_path, KEY)
    tokens = MarkdownIt("commonmark").parse((tmp_path / "a1-q8.md").read_text("utf-8"))
    heads = [b.content for a, b in pairwise(tokens) if a.type == "heading_open"]
    assert heads == ["a1, q8: 6 points", "s1", "s2"]
    assert [token for token in tokens if "html" in token.type] == []
    mine, other = (token.content for token in tokens if token.type == "code_block")
    assert "<script>alert(1)</script> \\x1b[2J\n`````\n" in mine
    assert mine.endswith("\n\nA second cell.\n")
    assert max(map(len, other.splitlines())) == 96


@pytest.mark.parametrize("points", [-1, 6.5])
def test_points_that_a_task_has_not_are_refused(tmp_path, points):
    books = {"s1": notebook("Yes.")}
    write_answers(A1, books, tmp_path, KEY).assign(points=points).to_csv(
        tmp_path / "a1.csv", index=False
    )
    with pytest.raises(ValueError, match="must be from 0 to what the task has"):
        write_answers(A1, books, tmp_path, KEY)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id,task,points\ns1,q8,many\n", "must be numbers or nothing"),
        ("id,task,points\ns1,q8,1\ns1,q8,2\n", "a row for each answer"),
        ("id,task\ns1,q8\n", "must be with points"),
        ("id,task,points\ns1,q8,\xff\n", "must be a CSV file in UTF-8"),
    ],
)
def test_a_table_of_points_that_is_none_is_named(tmp_path, text, words):
    """Two rows for one answer gave the student two rows."""
    books = {"s1": notebook("Yes.")}
    write_answers(A1, books, tmp_path, KEY)
    (tmp_path / "a1.csv").write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=rf"a1\.csv.* {words}"):
        write_answers(A1, books, tmp_path, KEY)
