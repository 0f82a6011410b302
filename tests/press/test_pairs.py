"""Every chapter is a pair in step, with typed, commented and checked parameters, and stands in
the contents.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import nbformat
import pytest
from papermill import inspect_notebook

from lib.paths import CHAPTERS as FOLDER
from lib.paths import ROOT
from press import live, rerun
from press.build import build
from press.execute import ChapterError
from press.pairs import COLAB, as_text, difference, is_pair_source, notebook_of, sync
from press.toc import SETUP, page_code, pages, read_notebook, tags
from tests.press.conftest import each_chapter
from tests.programs import git

TEXTS = sorted(FOLDER.rglob("*.md"))


@each_chapter
def test_a_pair_is_in_step_and_without_outputs(page):
    assert difference(page.text) is None, "run: make pairs"
    first = read_notebook(page.notebook).cells[0]
    assert (first.source, tags(first)) == (COLAB, {SETUP})


def test_contents_list_every_page_once_and_no_other():
    listed = [page.doc for page in pages(ROOT)]
    assert len(listed) == len(set(listed))
    files = [*TEXTS, *FOLDER.rglob("*.ipynb")]
    written = {str(file.relative_to(ROOT).with_suffix("")) for file in files}
    assert {page.doc for page in pages(ROOT) if not page.is_generated} == written


def test_a_page_with_code_has_its_notebook():
    for text in TEXTS:
        assert is_pair_source(text) == text.with_suffix(".ipynb").exists(), text


@each_chapter
def test_parameters_are_typed_commented_and_listed_by_papermill(page):
    (cell,) = (cell for cell in read_notebook(page.notebook).cells if "parameters" in tags(cell))
    lines = [line for line in cell.source.splitlines() if line.strip()]
    assert all(re.fullmatch(r"\w+: [\w\[\], |]+ = .+  +# .{5,}", line) for line in lines), lines
    listed = inspect_notebook(str(page.notebook))
    assert len(listed) == len(lines)
    assert all(p["inferred_type_name"] != "None" and p["help"] for p in listed.values()), listed
    assert "profile" in listed


def up_to_the_check(page) -> tuple[list[str], dict]:
    """The code from below the parameters cell to the cell that checks, and the parameters as the
    page gives them.
    """
    code = [cell.source for cell in page_code(notebook_of(page.text))]
    first = next(i for i, source in enumerate(code) if "check_parameters(" in source)
    given: dict = {}
    exec(code[0], given)
    return code[1 : first + 1], given


@each_chapter
def test_an_unknown_value_names_the_choices(page):
    code, given = up_to_the_check(page)
    said = r"profile must be one of 'quick', 'paper'.*, got 'enormous'"
    with pytest.raises(ValueError, match=said):
        exec("\n".join(code), given | {"profile": "enormous"})


@each_chapter
def test_each_parameter_refuses_another_kind_of_value_by_its_name(page):
    code, given = up_to_the_check(page)
    source = compile("\n".join(code), page.doc, "exec")
    for name, value in ((n, v) for n, v in given.items() if not n.startswith("__")):
        for wrong in ([value], 3.25 if isinstance(value, str) else "some"):
            with pytest.raises(ValueError, match=rf"^{name}( must be|=)"):
                exec(source, given | {name: wrong})


@each_chapter
def test_parameters_are_checked_before_any_work(page):
    code, _ = up_to_the_check(page)
    before = code[-1].split("check_parameters(")[0]
    assert len(code) <= 1
    assert "load(" not in before
    assert "results(" not in before


def test_a_drift_is_seen(tmp_path):
    text = tmp_path / "x.md"
    text.write_text(TEXT, "utf-8")
    assert "is missing" in difference(text)
    assert sync(tmp_path, tmp_path) == [text.with_suffix(".ipynb")]
    assert sync(tmp_path, tmp_path) == []
    assert difference(text) is None
    edit_text(text)
    assert difference(text)
    sync(tmp_path, tmp_path)
    notebook = read_notebook(text.with_suffix(".ipynb"))
    notebook.cells[-1].outputs = [nbformat.v4.new_output("stream", text="3")]
    nbformat.write(notebook, text.with_suffix(".ipynb"))
    assert "has outputs" in difference(text)


@pytest.fixture
def pair(tmp_path) -> Path:
    """The text of a pair that agreed at the last synchronisation, in a folder without git."""
    text = tmp_path / "chapters" / "x.md"
    text.parent.mkdir()
    text.write_text(TEXT, "utf-8")
    sync(tmp_path, tmp_path)
    return text


def edit_text(pair: Path) -> None:
    pair.write_text(pair.read_text("utf-8").replace("1 + 1", "1 + 2"), "utf-8")


def edit_notebook(pair: Path, source: str = "1 + 3") -> None:
    """As Jupyter saves it: with outputs, and metadata of its own."""
    notebook = read_notebook(pair.with_suffix(".ipynb"))
    notebook.cells[-1].source = source
    notebook.cells[-1].outputs = [nbformat.v4.new_output("stream", text="4")]
    notebook.cells[-1].execution_count = 7
    notebook.metadata["widgets"] = {}
    nbformat.write(notebook, pair.with_suffix(".ipynb"))


def forget(pair: Path) -> None:
    shutil.rmtree(pair.parents[1] / "_build")


def commit_and_forget(pair: Path) -> None:
    git(pair.parents[1], "init", "--quiet")
    git(pair.parents[1], "add", "chapters")
    git(pair.parents[1], "commit", "--quiet", "-m", "x")
    forget(pair)


EDITS = {edit_text: (".md", "1 + 2"), edit_notebook: (".ipynb", "1 + 3")}


def older(pair: Path, kind: str) -> None:
    """Let the file of this kind be an hour older than the other."""
    text, notebook = pair.stat().st_mtime, pair.with_suffix(".ipynb").stat().st_mtime
    os.utime(pair.with_suffix(kind), times=(min(text, notebook) - 3600,) * 2)


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize(
    ("remember", "edited_is_older"),
    [(lambda pair: None, True), (commit_and_forget, True), (forget, False)],
    ids=["memory", "commit", "neither"],
)
def test_what_has_changed_wins_else_what_is_newer(pair, remember, edited_is_older, edit):
    """Since both agreed, or since the last commit, whatever the times of the files."""
    remember(pair)
    edit(pair)
    edited, wanted = EDITS[edit]
    (other,) = {".md", ".ipynb"} - {edited}
    older(pair, edited if edited_is_older else other)
    written = sync(pair.parent, pair.parents[1])
    assert written == [pair] * (edit is edit_notebook) + [pair.with_suffix(".ipynb")]
    assert pair.read_text("utf-8") == TEXT.replace("1 + 1", wanted)
    assert wanted in pair.with_suffix(".ipynb").read_text("utf-8")
    assert difference(pair) is None


def test_both_edited_is_an_error_that_names_the_file_and_changes_nothing(pair):
    edit_text(pair)
    edit_notebook(pair)
    files = (pair, pair.with_suffix(".ipynb"))
    before = [path.read_bytes() for path in files]
    said = r"x\.md or its \.ipynb must be as they were.*both changed"
    with pytest.raises(ValueError, match=said):
        sync(pair.parent, pair.parents[1])
    assert before == [path.read_bytes() for path in files]
    files[1].unlink()  # what the message says to do
    sync(pair.parent, pair.parents[1])
    assert "1 + 2" in files[1].read_text("utf-8")


def test_outputs_are_no_edit(pair):
    edit_text(pair)
    edit_notebook(pair, "1 + 1")
    assert "has outputs" in difference(pair)
    sync(pair.parent, pair.parents[1])
    assert "1 + 2" in pair.with_suffix(".ipynb").read_text("utf-8")


@pytest.mark.parametrize("kind", [".md", ".ipynb"])
def test_a_clone_that_agrees_is_left_alone_whatever_its_times(pair, kind):
    forget(pair)
    older(pair, kind)
    assert sync(pair.parent, pair.parents[1]) == []


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
    (root / "_toc.yml").write_text("format: jb-book\nroot: chapters/x\n", "utf-8")

    def execute(pages, *args, **options):
        executed.extend(page.notebook.read_text("utf-8") for page in pages)
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
