"""A guard that fails costs a sentence in its place, not the book."""

from __future__ import annotations

import ast

import nbformat
import numpy as np
import pandas as pd
import pytest

from press.build import Built, build
from press.commands.book import FAILED, report
from press.engine import changed, names
from press.execute import ChapterError, execute
from press.failures import failures
from press.guards import explain
from press.toc import Page, read_notebook
from tests.press.conftest import code, write_book, write_notebook
from tests.press.pages import parse

QUICK = {"profile": "quick"}
GUARD = (
    "A check failed here: expected `gap` to be less than `0.1`, found 0.2; the text around it may"
    " not hold."
)
BAD = [
    # a line that the kernel sends in two messages, as it may under load
    "from time import sleep\nfrom lib.pages.chapter import numbers\ngap = 0.2\n"
    "print('drawn', end=' ', flush=True)\nsleep(0.5)\nprint('before')",
    "assert 0 < gap < 0.1\nprint('drawn', 'after')",
    "rows = 1 / 0\nnumbers(rows=rows)",
    "print('from rows', rows)",
    "rows = 3\nprint('of its own', rows)",
]


def shown(cell: nbformat.NotebookNode) -> str:
    return "".join(
        out.get("text", "") or out.get("data", {}).get("text/plain", "") for out in cell.outputs
    )


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> Page:
    """A book of a page in which two cells fail and a healthy one."""
    root = tmp_path_factory.mktemp("book")
    bad = [code(BAD[0], "hide-cell"), *BAD[1:]]
    title = "# Page bad\n\nThere are {glue:text}`rows` of them."
    write_notebook(root / "chapters" / "bad.ipynb", *bad, title=title)
    write_notebook(root / "chapters" / "good.ipynb", "print('all is well')", title="# Good")
    write_book(root, "chapters/good\nchapters:\n- file: chapters/bad")
    return Page("chapters/bad", root)


@pytest.fixture(scope="module")
def built(book) -> Built:
    return build(root=book.root, progress=False)


def test_every_page_is_rendered_and_the_sentence_stands_in_its_place(built):
    bad, good = (parse(built.index.parent / f"chapters/{name}.html") for name in ("bad", "good"))
    text = (built.index.parent / "chapters" / "bad.html").read_text("utf-8")
    at = [text.index(words) for words in ("drawn before", "A check failed here", "drawn after")]
    assert at == sorted(at)
    assert "ZeroDivisionError: division by zero; 1 later cell needs it and was not run." in text
    assert "from rows</span>" not in text
    assert "of its own 3" in text
    assert "Traceback" not in text
    assert "There are not available of them." in " ".join("".join(bad.text).split())
    assert len([p for p in bad.of("p") if p.get("class") == "failed-cell"]) == 2
    assert not [p for p in good.of("p") if p.get("class") == "failed-cell"]
    assert "all is well" in (built.index.parent / "chapters" / "good.html").read_text("utf-8")


def test_the_command_lists_what_failed_and_ends_with_3(built, capsys):
    assert report(built) == FAILED == 3
    said = capsys.readouterr().out
    assert f"chapters/bad, code cell 3: {GUARD}" in said
    assert "chapters/bad, code cell 4: This cell failed: ZeroDivisionError" in said
    assert said.index("Open:") < said.index("code cell 3")
    assert "chapters/good" not in said.split("Not everything ran")[1]
    assert report(Built(built.index)) == 0


def test_a_failed_page_runs_again_and_the_others_do_not(book, built):
    listed, folder = [book, Page("chapters/good", book.root)], book.root / "_build/executed/quick"
    again = execute(listed, QUICK, folder, progress=False, strict=False)
    assert [page.fresh for page in again] == [True, False]
    assert again[0].failures == built.failures


def test_a_strict_build_stops_with_the_cell(book, built):
    with pytest.raises(ChapterError, match=r"chapters/bad failed in cell(.|\n)*assert 0 < gap"):
        build(root=book.root, progress=False, strict=True)


def run(root, *cells: str) -> nbformat.NotebookNode:
    """The page of ``cells`` as a build that is not strict executes it."""
    page = Page("chapters/one", root)
    write_notebook(page.notebook, *cells)
    (done,) = execute([page], QUICK, root / "out", progress=False, strict=False)
    assert list(done.failures) == failures(read_notebook(done.path), "chapters/one")
    return read_notebook(done.path)


def test_what_can_run_runs_and_what_needs_the_failure_does_not(tmp_path):
    """A stale name would be shown under a caption that is not about it."""
    notebook = run(
        tmp_path,
        "import numpy as np\nfig, total, rows = 'old', 1, []",
        "for i in range(3):\n    rows.append(i)\n    assert i < 1\nprint('rest of the cell')",
        "print('rows', rows)",
        "total = np.nothing(1)\nfig = 'new'",
        "print(np.ones(1).sum(), 'numpy is there')",
        "doubled = 2 * total",
        "print(doubled)",
        "fig = 'own'\nprint([fig for fig in (fig,)])",
        "def f():\n    return nowhere\nf()",
        "this is no Python",
        "print(perhaps_from_there)",
        "raise ValueError('It ends.')",
        "print('last')",
    )
    texts = [shown(cell) for cell in notebook.cells[3:]]
    assert texts[0].startswith("A check failed here: expected `i` to be less than `1`, found 1;")
    assert "1 later cell needs it" in texts[0]
    assert texts[0].endswith("rest of the cell\n")
    assert texts[1] == ""
    assert texts[2].startswith("This cell failed: AttributeError: module 'numpy' has no attribute")
    assert "cells need it and were not run." in texts[2]
    assert texts[3] == "1.0 numpy is there\n"
    assert texts[4:6] == ["", ""]
    assert texts[6] == "['own']\n"
    assert texts[7] == "This cell failed: NameError: name 'nowhere' is not defined."
    assert texts[8].startswith("This cell failed: SyntaxError: invalid syntax")
    assert texts[8].endswith("; 1 later cell needs it and was not run.")
    assert texts[9:] == ["", "This cell failed: ValueError: It ends.", "last\n"]


def test_an_output_that_is_shown_again_changes_in_its_place(tmp_path):
    notebook = run(
        tmp_path,
        "from IPython.display import display\nprint('x')\nat = display('one', display_id=True)\n"
        "at.update('two')",
        "assert 1 > 2\nhere = display('three', display_id=True)\nhere.update('four')",
        "at.update('five')\nhere.update('six')",
    )
    assert shown(notebook.cells[2]) == "x\n'five'"
    assert shown(notebook.cells[3]).endswith("may not hold.'four'")


def test_a_kernel_that_ends_costs_its_page_alone(tmp_path):
    notebook = run(tmp_path, "print('here')", "import os\nos._exit(1)", "print('never')")
    assert shown(notebook.cells[0]).startswith("This page could not be executed: ")
    assert "DeadKernelError" in shown(notebook.cells[0])


@pytest.mark.parametrize(
    ("guard", "said"),
    [
        ("a < b", "expected `a` to be less than `b`, found 3 and 2"),
        ("0 <= b <= 1 and a", "expected `b` to be at most `1`, found 2"),
        ("5 < a", "expected `a` to be greater than `5`, found 3"),
        ("a == 3 and not a", "expected `a` to be false, found 3"),
        ("third == other", f"expected `third` to equal `other`, found {1 / 3} and {1 / 3 + 1e-12}"),
        ("'x' in words", "expected `'x'` to be in `words`, found ['y']"),
        ("close < 0.1", "expected `close` to be less than `0.1`, found 0.10004"),
        ("(series > 1).all()", "expected `series > 1` everywhere, found 2 of 3 where it is not so"),
        (
            "all(v > 1 for k, v in table.items())",
            "expected `v > 1` for each k, v, found `k` = 'y', `v` = 0.5",
        ),
        ("np.isclose(a, b)", "expected `np.isclose(a, b)`, found `a` = 3, `b` = 2"),
        ("next(drained) > 1", "expected `next(drained) > 1`, which does not hold"),
        ("a > 5 or b > 5", "expected `a > 5 or b > 5` to be true, found False"),
        ("array.max() < 1.5", "expected `array.max()` to be less than `1.5`, found 2"),
    ],
)
def test_a_guard_is_said_in_words_with_what_was_found(guard, said):
    values = {"a": 3, "b": np.int64(2), "third": 1 / 3, "other": 1 / 3 + 1e-12, "words": ["y"]}
    values |= {"series": pd.Series([0, 1, 2]), "table": {"x": 2, "y": 0.5}, "np": np}
    values |= {"drained": iter(()), "array": np.array([1.0, 2.0])}
    values["close"] = np.float64(0.10004)
    assert explain(ast.parse(guard, mode="eval").body, values) == said


def test_names_that_statements_need_set_and_change():
    body = ast.parse(
        "import a.b as c\nx = [i + n for i in range(m)]\nx.append(y)\nz[0] += 1\n"
        "def f(k):\n    q = k\n    return g(q)\nfor r in x:\n    print(r)\nn += 1"
    ).body
    needed, bound = names(body)
    assert needed - {"range", "print"} == {"n", "m", "y", "z", "g"}
    assert bound == {"c", "x", "f", "r", "n"}
    assert changed(body) == {"x", "z"}
