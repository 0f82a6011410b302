"""The text of a pair writes the notebook, and nothing that somebody wrote is lost."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest

from lib.paths import CHAPTERS as FOLDER
from lib.paths import ROOT
from press.commands.book import add_arguments, run
from press.pairs import as_text, is_pair_source, keep, notebook_of, write_pairs
from press.toc import markdown, page_code, pages, read_notebook
from tests.press.conftest import CHAPTERS, code, each_chapter, words

TEXT = """---
jupytext:
  text_representation: {extension: .md, format_name: myst}
kernelspec: {display_name: Python 3, language: python, name: python3}
---

# A page

```{code-cell} ipython3
:tags: [hide-input]
1 + 1
```
"""


def test_the_notebooks_of_the_book_are_those_of_the_texts_and_give_them_back():
    """But for empty lines between the cells."""
    for page in CHAPTERS:
        notebook = notebook_of(page.text)
        written = page.notebook.read_text("utf-8")
        assert written == nbformat.writes(notebook) + "\n", "run: python -m lib book --pairs"
        again, text = as_text(notebook, page.text), page.text.read_text("utf-8")
        assert [*filter(None, again.split("\n"))] == [*filter(None, text.split("\n"))]


def test_contents_list_every_page_once_and_no_other():
    listed = [page.doc for page in pages(ROOT) if not page.is_generated]
    files = [f.relative_to(ROOT).with_suffix("").as_posix() for f in markdown(FOLDER)]
    assert sorted(listed) == sorted(files)
    assert {p.text for p in CHAPTERS} == {f for f in markdown(FOLDER) if is_pair_source(f)}


@each_chapter
def test_a_page_refuses_a_wrong_parameter_by_its_name(page):
    """Also a count that would take years."""
    sources = [cell.source for cell in page_code(notebook_of(page.text))]
    last = next(n for n, source in enumerate(sources, 1) if "check_parameters(" in source)
    given: dict = {}
    exec(sources[0], given)
    check = compile("\n".join(sources[1:last]), page.doc, "exec")
    for name, value in [*given.items()]:
        if name.startswith("__"):
            continue
        huge = [10**12] if type(value) is int and name not in ("seed", "run") else []
        for wrong in ([value], 3.25 if isinstance(value, str) else "some", *huge):
            with pytest.raises(ValueError, match=rf"^{name}( must be|=)"):
                exec(check, given | {name: wrong})


@pytest.fixture
def pair(tmp_path, monkeypatch) -> Path:
    """The text of a pair whose notebook was written from it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("press.commands.book.CHAPTERS", tmp_path)
    text = tmp_path / "x.md"
    text.write_text(TEXT, "utf-8")
    assert write_pairs(tmp_path) == [text.with_suffix(".ipynb")]
    assert write_pairs(tmp_path) == []
    return text


def replace(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")


def saved(pair: Path, *more: nbformat.NotebookNode, **cell: object) -> Path:
    """The notebook as Jupyter saves it: with outputs, an empty cell, settings of its own, then
    the last cell with ``cell``, and ``more``.
    """
    path = pair.with_suffix(".ipynb")
    notebook = read_notebook(path)
    notebook.cells[-1].outputs = [nbformat.v4.new_output("stream", text="2")]
    notebook.cells[-1].execution_count = 7
    notebook.cells[-1].metadata["collapsed"] = True
    notebook.cells[-1].update(cell)
    notebook.cells += [*more, code("")]
    notebook.metadata["widgets"] = {}
    nbformat.write(notebook, path)
    return path


def command(*said: str) -> int:
    from argparse import ArgumentParser

    add_arguments(parser := ArgumentParser())
    return run(parser.parse_args(said))


def test_the_edit_of_a_text_is_written_though_the_notebook_was_run(pair):
    for number, prepare in enumerate((lambda _: None, saved)):
        prepare(pair)
        replace(pair, f"1 + {number + 1}", f"1 + {number + 2}")
        assert command("--pairs") == 0
        notebook = read_notebook(pair.with_suffix(".ipynb"))
        assert (notebook.cells[-1].source, notebook.cells[-1].outputs) == (f"1 + {number + 2}", [])


def told(pair: Path) -> str:
    """What stops a build, with both files as they are; the text and the notebook are named."""
    before = [path.read_bytes() for path in sorted(pair.parent.iterdir())]
    with pytest.raises(ValueError, match=r"--keep x\.md\n.*--keep x\.ipynb") as caught:
        write_pairs(pair.parent)
    assert before == [path.read_bytes() for path in sorted(pair.parent.iterdir())]
    return str(caught.value)


TAGGED = {"tags": ["hide-input"], "slideshow": {"slide_type": "slide"}}
EDITS = {
    "source": lambda pair: saved(pair, source="1 + 3"),
    "cell": lambda pair: saved(pair, words("More.")),
    "raw": lambda pair: saved(pair, nbformat.v4.new_raw_cell("as it is")),
    "tags": lambda pair: saved(pair, metadata={}),
    "metadata": lambda pair: saved(pair, metadata=TAGGED),
}


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_notebook_stops_until_somebody_says_what_to_keep(pair, edit, both):
    path = EDITS[edit](pair)
    if both:
        replace(pair, "# A page", "# Another")
    text, edited = pair.read_text("utf-8"), read_notebook(path)
    assert "was edited" in told(pair)
    shutil.copytree(pair.parent, "copy")
    assert command("--keep", "copy/x.md") == command("--keep", "x.ipynb") == 0
    assert Path("copy/x.md").read_text("utf-8") == text
    assert notebook_of(Path("copy/x.md")) == read_notebook(Path("copy/x.ipynb"))
    shutil.rmtree("copy")
    assert write_pairs(pair.parent) == []
    kept = read_notebook(path).cells
    assert [c.source for c in kept] == [c.source for c in edited.cells if c.source]
    assert pair.read_text("utf-8").split("---")[:2] == TEXT.split("---")[:2]
    if edit == "metadata":
        assert kept[-1].metadata == TAGGED


def test_what_a_text_cannot_hold_is_said_and_kept(pair):
    picture = words("![x](attachment:x.png)")
    picture["attachments"] = {"x.png": {"image/png": "iVBO"}}
    path = saved(pair, picture)
    told(pair)
    with pytest.raises(ValueError, match=r"a text cannot hold, got cell 3 with .*attachments"):
        keep(path)
    told(pair)


CONFLICT = "<<<<<<< HEAD\n{0}\n=======\n{0} \n>>>>>>> other\n"


@pytest.mark.parametrize(
    ("kind", "line"), [(".md", "1 + 1"), (".md", "# A page"), (".ipynb", ' "nbformat": 4,')]
)
def test_a_conflict_of_git_stops_and_the_other_side_settles_it(pair, kind, line):
    files = {".md": pair, ".ipynb": pair.with_suffix(".ipynb")}
    replace(files[kind], line, CONFLICT.format(line))
    assert "conflict" in told(pair)
    with pytest.raises(ValueError, match="conflict"):
        keep(files[kind])
    keep(next(file for other, file in files.items() if other != kind))
    assert write_pairs(pair.parent) == []
    assert "1 + 1" in pair.read_text("utf-8")


@pytest.mark.parametrize("wrong", ["x.txt", "none.md", "none.ipynb"])
def test_only_a_side_of_a_pair_can_be_kept(pair, wrong):
    (pair.parent / "x.txt").touch()
    with pytest.raises(ValueError, match=r"--keep must be a page's \.md or \.ipynb, got"):
        command("--keep", wrong)
