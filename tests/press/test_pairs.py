"""The text of a pair writes the notebook, and nothing that somebody wrote is lost."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest

from lib.paths import CHAPTERS as FOLDER
from lib.paths import ROOT
from press.commands.book import add_arguments, run
from press.pairs import COLAB, as_text, is_pair_source, keep, notebook_of, write_pairs
from press.reference import modules_of
from press.stage import copy_static
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


def test_jupytext_pairs_nothing_by_itself():
    """It goes by the times of files, and loses the older of two edits."""
    assert not [*ROOT.glob("*jupytext*")]
    assert not [p.doc for p in CHAPTERS if "formats:" in p.text.read_text("utf-8").split("---")[1]]


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


TAGGED = {"tags": ["hide-input"], "slideshow": {"slide_type": "slide"}, "points": 0}
EDITS = {
    "source": lambda pair: saved(pair, source="1 + 3"),
    "cell": lambda pair: saved(pair, words("More.")),
    "raw": lambda pair: saved(pair, nbformat.v4.new_raw_cell("as it is")),
    "tags": lambda pair: saved(pair, metadata={}),
    "metadata": lambda pair: saved(pair, metadata=TAGGED),
    "empty line": lambda pair: saved(pair, source="\n\n1 + 3"),
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
    assert [c.source.strip() for c in kept] == [c.source.strip() for c in edited.cells if c.source]
    assert pair.read_text("utf-8").split("---")[:2] == TEXT.split("---")[:2]
    if edit == "metadata":
        assert kept[-1].metadata == TAGGED


def picture(source: str) -> nbformat.NotebookNode:
    """A cell into which a picture was pasted."""
    cell = words(source)
    cell["attachments"] = {"x.png": {"image/png": "iVBO"}}
    return cell


UNFIT = {  # what a text cannot hold: a cell, or what stands in the notebook in place of something
    "picture": picture("![x](attachment:x.png)"),
    "picture alone": picture(""),
    "tags alone": code("", "hide-input"),
    "own set-up": code("mine = 1", "setup"),
    "code in words": words("```{code-cell}\n1\n```"),
    "line's end": words("Pasted\u2028from a letter."),
    "set-up": ("# On Colab only", "# Mine, on Colab only"),
    "authors": ('"kernelspec": {', '"authors": ["A"], "kernelspec": {'),
}


@pytest.mark.parametrize("edit", UNFIT.values(), ids=UNFIT)
def test_what_a_text_cannot_hold_is_said_and_kept(pair, edit):
    if isinstance(edit, tuple):
        replace(path := pair.with_suffix(".ipynb"), *edit)
    else:
        path = saved(pair, edit)
    told(pair)
    with pytest.raises(ValueError, match=r"x\.ipynb must .*, got "):
        keep(path)
    told(pair)


FAULTS = {  # of a text whose notebook nobody edited: what stands in place of something
    "letters": ("page", "\xe9"),
    "no head": ("---\n", ""),
    "line above": ("---\njupytext", "One word.\n---\njupytext"),
    "head": ("kernelspec:", "kernelspec: ["),
    "options": ("[hide-input]", "[hide-input"),
    "line's end": ("page", "page\u2028or two"),
    "third side": ("# A", "||||||| base\n# A"),
    "no label": ("# A", "<<<<<<<\n# A"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_text_that_cannot_be_read_stops_with_its_name(pair, fault):
    coding = "latin-1" if fault == "letters" else "utf-8"
    pair.write_bytes(wrong := TEXT.replace(*FAULTS[fault]).encode(coding))
    written = (notebook := pair.with_suffix(".ipynb")).read_bytes()
    with pytest.raises(ValueError, match=r"x\.md must"):
        write_pairs(pair.parent)
    assert (pair.read_bytes(), notebook.read_bytes()) == (wrong, written)


def test_a_text_as_other_programs_save_it_gives_the_same_notebook(pair):
    """With a mark of its coding, ends of lines as on Windows, and the set-up that jupytext puts
    there.
    """
    setup = f"```{{code-cell}} ipython3\n:tags: [setup]\n\n{COLAB}\n```\n\n# A page"
    pair.write_bytes(TEXT.replace("# A page", setup).replace("\n", "\r\n").encode("utf-8-sig"))
    assert write_pairs(pair.parent) == []


def test_a_head_may_hold_dashes(pair):
    replace(pair, "kernelspec:", 'title: "now --- then"\nkernelspec:')
    path = saved(pair, words("More."))
    keep(path)
    assert 'title: "now --- then"' in pair.read_text("utf-8")
    assert read_notebook(path).cells[-1].source == "More."


def test_a_page_without_code_has_no_conflict_and_no_notebook(pair):
    plain = pair.with_name("plain.md")
    plain.write_text(f"# Plain\n{CONFLICT.format('x')}", "utf-8")
    with pytest.raises(ValueError, match=r"plain\.md must be free of .* in line 2"):
        write_pairs(pair.parent)
    plain.write_text("# Plain\n", "utf-8")
    assert write_pairs(pair.parent) == []
    shutil.copy(pair.with_suffix(".ipynb"), plain.with_suffix(".ipynb"))
    with pytest.raises(ValueError, match=r"plain\.md must begin with front matter"):
        write_pairs(pair.parent)


def test_an_editors_copies_are_no_part_of_the_book(tmp_path):
    for name in ("lib/dp", "chapters/_static"):
        (tmp_path / name / ".ipynb_checkpoints").mkdir(parents=True)
        for kind in ("py", "js", "md"):
            (tmp_path / name / ".ipynb_checkpoints" / f"x-checkpoint.{kind}").touch()
            (tmp_path / name / f"x.{kind}").touch()
    assert modules_of("dp", tmp_path) == ["lib.dp.x"]
    copy_static(tmp_path, tmp_path / "_static")
    assert not [*(tmp_path / "_static").rglob("*checkpoint*")]
    assert [f.name for f in markdown(tmp_path / "chapters")] == ["x.md"]


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
