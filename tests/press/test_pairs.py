"""Every chapter is a pair in step, with typed, commented and checked parameters, and stands in
the contents.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import jupytext
import nbformat
import pytest
from papermill import inspect_notebook

from lib.paths import CHAPTERS as FOLDER
from lib.paths import ROOT
from press import live, rerun
from press.build import build
from press.execute import ChapterError
from press.pairs import SETUP, as_text, difference, is_pair_source, notebook_of, sync
from press.toc import Page, pages
from tests.press.conftest import CHAPTERS
from tests.programs import git

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
    text.write_text(TEXT, encoding="utf-8")
    assert "is missing" in difference(text)
    assert sync(tmp_path, tmp_path) == [text.with_suffix(".ipynb")]
    assert sync(tmp_path, tmp_path) == []
    assert difference(text) is None
    text.write_text(TEXT.replace("1 + 1", "1 + 2"), encoding="utf-8")
    assert difference(text)
    sync(tmp_path, tmp_path)
    notebook = jupytext.read(text.with_suffix(".ipynb"))
    notebook.cells[-1].outputs = [nbformat.v4.new_output("stream", text="3")]
    nbformat.write(notebook, text.with_suffix(".ipynb"))
    assert "has outputs" in difference(text)


@pytest.fixture
def pair(tmp_path) -> Path:
    """The text of a pair that agreed at the last synchronisation, in a folder without git."""
    text = tmp_path / "chapters" / "x.md"
    text.parent.mkdir()
    text.write_text(TEXT, encoding="utf-8")
    sync(tmp_path, tmp_path)
    return text


def edit_text(pair: Path) -> None:
    pair.write_text(pair.read_text(encoding="utf-8").replace("1 + 1", "1 + 2"), encoding="utf-8")


def edit_notebook(pair: Path) -> None:
    """As Jupyter saves it: with outputs, and metadata of its own."""
    notebook = nbformat.read(pair.with_suffix(".ipynb"), as_version=4)
    notebook.cells[-1].source = "1 + 3"
    notebook.cells[-1].outputs = [nbformat.v4.new_output("stream", text="4")]
    notebook.cells[-1].execution_count = 7
    notebook.metadata["widgets"] = {}
    nbformat.write(notebook, pair.with_suffix(".ipynb"))


def older(path: Path, than: Path, seconds: float = 3600) -> None:
    os.utime(path, times=(than.stat().st_mtime - seconds,) * 2)


def test_an_edited_text_wins_though_its_file_is_older(pair):
    edit_text(pair)
    older(pair, pair.with_suffix(".ipynb"))
    assert sync(pair.parent, pair.parents[1]) == [pair.with_suffix(".ipynb")]
    assert "1 + 2" in pair.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert difference(pair) is None


def test_an_edited_notebook_wins_and_loses_its_outputs(pair):
    edit_notebook(pair)
    older(pair.with_suffix(".ipynb"), pair)
    assert sync(pair.parent, pair.parents[1]) == [pair, pair.with_suffix(".ipynb")]
    assert pair.read_text(encoding="utf-8") == TEXT.replace("1 + 1", "1 + 3")
    assert difference(pair) is None


def test_both_edited_is_an_error_that_names_the_file_and_changes_nothing(pair):
    edit_text(pair)
    edit_notebook(pair)
    before = [path.read_bytes() for path in (pair, pair.with_suffix(".ipynb"))]
    with pytest.raises(
        ValueError, match=r"x\.md or its \.ipynb must be as they were.*both changed"
    ):
        sync(pair.parent, pair.parents[1])
    assert before == [path.read_bytes() for path in (pair, pair.with_suffix(".ipynb"))]
    pair.with_suffix(".ipynb").unlink()  # what the message says to do
    sync(pair.parent, pair.parents[1])
    assert "1 + 2" in pair.with_suffix(".ipynb").read_text(encoding="utf-8")


def test_outputs_are_no_edit(pair):
    edit_text(pair)
    notebook = nbformat.read(pair.with_suffix(".ipynb"), as_version=4)
    notebook.cells[-1].outputs = [nbformat.v4.new_output("stream", text="2")]
    nbformat.write(notebook, pair.with_suffix(".ipynb"))
    sync(pair.parent, pair.parents[1])
    assert "1 + 2" in pair.with_suffix(".ipynb").read_text(encoding="utf-8")


@pytest.mark.parametrize("text_is_older", [True, False])
def test_a_clone_that_agrees_is_left_alone_whatever_its_times(pair, text_is_older):
    shutil.rmtree(pair.parents[1] / "_build")
    first, second = pair, pair.with_suffix(".ipynb")
    older(*((first, second) if text_is_older else (second, first)))
    assert sync(pair.parent, pair.parents[1]) == []


@pytest.mark.parametrize("edit", [edit_text, edit_notebook])
def test_without_a_memory_the_newer_side_wins(pair, edit):
    shutil.rmtree(pair.parents[1] / "_build")
    edit(pair)
    other = pair.with_suffix(".ipynb") if edit is edit_text else pair
    older(other, pair.with_suffix(".ipynb" if edit is edit_notebook else ".md"))
    sync(pair.parent, pair.parents[1])
    wanted = "1 + 2" if edit is edit_text else "1 + 3"
    for path in (pair, pair.with_suffix(".ipynb")):
        assert wanted in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("edit", [edit_text, edit_notebook])
def test_in_a_clone_what_differs_from_the_last_commit_wins(pair, edit):
    git(pair.parents[1], "init", "--quiet")
    git(pair.parents[1], "add", "chapters")
    git(pair.parents[1], "commit", "--quiet", "-m", "x")
    shutil.rmtree(pair.parents[1] / "_build")
    edit(pair)
    older(
        *(
            pair.with_suffix(s)
            for s in ((".md", ".ipynb") if edit is edit_text else (".ipynb", ".md"))
        )
    )
    sync(pair.parent, pair.parents[1])
    wanted = "1 + 2" if edit is edit_text else "1 + 3"
    for path in (pair, pair.with_suffix(".ipynb")):
        assert wanted in path.read_text(encoding="utf-8")


def test_a_damaged_memory_is_none(pair):
    for damage in (b"", b"[]", b"\xff", b'{"chapters/x": 3}'):
        (pair.parents[1] / "_build" / "pairs.json").write_bytes(damage)
        assert sync(pair.parent, pair.parents[1]) == []


@each_chapter
def test_a_notebook_becomes_the_text_that_it_came_from(page):
    """Where only the notebook is edited, the text changes in that place alone."""
    assert as_text(nbformat.read(page.notebook, as_version=4), page.text) == page.text.read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("command", ["rerun", "live"])
def test_what_reads_a_chapter_pairs_first(command, pair, monkeypatch):
    asked = []
    monkeypatch.setattr(f"press.{command}.pair_up", lambda *root: asked.append(root))
    if command == "rerun":
        with pytest.raises(ValueError, match="chapter must be one of"):
            rerun.chapter("nothing")
    else:
        (pair.parent / "_static").mkdir()
        with pytest.raises(ValueError, match="nowhere"):
            live.write_live(pair.parent, "nowhere")
    assert asked


def test_a_build_executes_what_was_edited(pair, monkeypatch):
    root, executed = pair.parents[1], []
    (root / "_toc.yml").write_text("format: jb-book\nroot: chapters/x\n", encoding="utf-8")

    def execute(pages, *args, **options):
        executed.extend(page.notebook.read_text(encoding="utf-8") for page in pages)
        raise ChapterError("enough")

    monkeypatch.setattr("press.build.execute", execute)
    edit_text(pair)
    with pytest.raises(ChapterError, match="enough"):
        build(root=root)
    assert "1 + 2" in executed[0]


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
