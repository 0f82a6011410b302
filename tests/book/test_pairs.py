"""Every chapter is a pair in step, with typed, commented and checked parameters, and stands in
the contents.
"""

from __future__ import annotations

import re

import jupytext
import nbformat
import pytest
from papermill import inspect_notebook

from lib.book.pairs import SETUP, difference, is_pair_source, notebook_of, sync
from lib.book.toc import Page, pages
from lib.paths import CHAPTERS as FOLDER
from lib.paths import ROOT
from tests.book.conftest import CHAPTERS

TEXTS = sorted(FOLDER.rglob("*.md"))
each_chapter = pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.doc)


def code_of(page: Page) -> list[str]:
    """Code cells of the page itself, without the set-up that a notebook may have."""
    cells = notebook_of(page.text).cells
    return [
        cell.source
        for cell in cells
        if cell.cell_type == "code" and SETUP not in cell.metadata.get("tags", [])
    ]


@each_chapter
def test_a_pair_is_in_step_and_without_outputs(page):
    assert difference(page.text) is None, "run: make pairs"


def test_contents_list_every_page_once_and_no_other():
    listed = [page.doc for page in pages(ROOT)]
    assert len(listed) == len(set(listed))
    written = {
        str(text.relative_to(ROOT).with_suffix("")) for text in [*TEXTS, *FOLDER.rglob("*.ipynb")]
    }
    assert {page.doc for page in pages(ROOT) if not page.is_generated} == written


def test_a_page_with_code_has_its_notebook():
    for text in TEXTS:
        assert is_pair_source(text) == text.with_suffix(".ipynb").exists(), text


@each_chapter
def test_parameters_are_typed_commented_and_listed_by_papermill(page):
    notebook = nbformat.read(page.notebook, as_version=4)
    cells = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    assert len(cells) == 1
    lines = [line for line in cells[0].source.splitlines() if line.strip()]
    assert all(re.fullmatch(r"\w+: [\w\[\], |]+ = .+  +# .{5,}", line) for line in lines), lines
    listed = inspect_notebook(str(page.notebook))
    assert len(listed) == len(lines)
    assert all(p["inferred_type_name"] != "None" and p["help"] for p in listed.values()), listed
    assert "profile" in listed


def up_to_the_check(page) -> tuple[list[str], dict]:
    """The code from below the parameters cell to the cell that checks, and the parameters as the
    page gives them.
    """
    code = code_of(page)
    first = next(i for i, source in enumerate(code) if "check_parameters(" in source)
    given: dict = {}
    exec(code[0], given)
    return code[1 : first + 1], given


@each_chapter
def test_an_unknown_value_names_the_choices(page):
    """Up to the cell that checks, the chapter runs in this process: no kernel is needed to be
    refused.
    """
    code, given = up_to_the_check(page)
    with pytest.raises(
        ValueError, match=r"profile must be one of 'quick', 'paper'.*, got 'enormous'"
    ):
        exec("\n".join(code), given | {"profile": "enormous"})


@each_chapter
def test_each_parameter_refuses_another_kind_of_value_by_its_name(page):
    """A list, and words for a number or a number for words."""
    code, given = up_to_the_check(page)
    source = compile("\n".join(code), page.doc, "exec")
    for name, value in ((n, v) for n, v in given.items() if not n.startswith("__")):
        for wrong in ([value], 3.25 if isinstance(value, str) else "some"):
            with pytest.raises(ValueError, match=rf"^{name}( must be|=)"):
                exec(source, given | {name: wrong})


@each_chapter
def test_parameters_are_checked_before_any_work(page):
    """Only imports and the parameters cell come before the check."""
    code, _ = up_to_the_check(page)
    before = code[-1].split("check_parameters(")[0]
    assert len(code) <= 1
    assert "load(" not in before
    assert "results(" not in before


def test_a_drift_is_seen(tmp_path):
    text = tmp_path / "x.md"
    text.write_text(TEXT)
    assert "is missing" in difference(text)
    assert sync(tmp_path) == [text.with_suffix(".ipynb")]
    assert sync(tmp_path) == []
    assert difference(text) is None
    text.write_text(TEXT.replace("1 + 1", "1 + 2"))
    assert difference(text)
    sync(tmp_path)
    notebook = jupytext.read(text.with_suffix(".ipynb"))
    notebook.cells[-1].outputs = [nbformat.v4.new_output("stream", text="3")]
    nbformat.write(notebook, text.with_suffix(".ipynb"))
    assert "has outputs" in difference(text)


TEXT = """---
jupytext:
  text_representation: {extension: .md, format_name: myst}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

# A page

```{code-cell} ipython3
1 + 1
```
"""
