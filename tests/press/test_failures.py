"""A page that fails is shown up to its error, and costs no other page."""

from __future__ import annotations

import pytest

from press.build import Built, build
from press.commands.book import FAILED, report
from press.toc import Page
from tests.press.conftest import code, words, write_book, write_notebook
from tests.press.pages import parse

pytestmark = pytest.mark.thorough("builds a small book")
BAD = [
    code("from lib.pages.chapter import numbers\nnumbers(one='number one')", "remove-output"),
    # inside a solution, whose end comes after the failure
    code("print('drawn')\nassert 1 > 2, 'it does not hold'", "hide-cell", "solution"),
    "numbers(two='number two')\nprint('never shown')",
]
TITLE = """\
# Page bad

There are {glue:text}`one` and {glue:text}`two`.

```{exercise} Try
:label: try-it
How?
```

```{solution-start} try-it
:class: dropdown
```
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> Page:
    """A book of a page in which a cell fails, and a healthy one that links to its end."""
    root = tmp_path_factory.mktemp("book")
    end = words("```{solution-end}\n```\n\n(the-end)=\n## The end\n\nWords after it.")
    write_notebook(root / "chapters" / "bad.ipynb", *BAD, end, title=TITLE)
    title = "# Good\n\nSee {ref}`the-end`."
    write_notebook(root / "chapters" / "good.ipynb", "print('all is well')", title=title)
    write_book(root, "chapters/good\nchapters:\n- file: chapters/bad")
    return Page("chapters/bad", root)


@pytest.fixture(scope="module")
def built(book) -> Built:
    return build(root=book.root, progress=False)


def test_the_page_ends_at_its_error_and_the_others_are_whole(built):
    pages = {name: built.index.parent / f"chapters/{name}.html" for name in ("bad", "good")}
    text = pages["bad"].read_text("utf-8")
    order = ("number one", "drawn", "it does not hold", "what follows was not run", "Words after")
    at = [text.index(said) for said in order]
    assert at == sorted(at)
    assert "and not available." in " ".join("".join(parse(pages["bad"]).text).split())
    assert "papermill" not in text
    assert "number two</span>" not in text
    good = pages["good"].read_text("utf-8")
    assert "all is well" in good
    assert "The end</span>" in good
    assert "failed-cell" not in good
    assert [str(one) for one in built.failures] == [
        "chapters/bad, code cell 3: AssertionError: it does not hold"
    ]


def test_the_command_names_what_failed_and_ends_with_3(built, capsys):
    assert report(built) == FAILED == 3
    said = capsys.readouterr().out
    assert said.index("Open:") < said.index("chapters/bad, code cell 3")
    assert "chapters/good" not in said.split("Not everything ran")[1]
    assert report(Built(built.index)) == 0
