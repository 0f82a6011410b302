"""The tree that students may have: marks that are planted in every secret do not get there."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from course.public import KEPT, write_public
from lib.pages.answers import KIND
from lib.paths import CHAPTERS, ROOT
from press.pairs import difference, is_pair_source, notebook_of
from press.toc import pages, read_notebook, tags

pytestmark = pytest.mark.thorough("the tree for students")
MARK = "zebra-crossing-at-noon"
PAGE = "chapters/foundations/primer"


def git(folder: Path, *words: str) -> str:
    person = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", folder, *person, *words], capture_output=True, check=True)
    return done.stdout.decode()


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Each file with what it holds, those inside of archives, too."""
    for path in folder.rglob("*"):
        if path.suffix in (".whl", ".zip"):
            with zipfile.ZipFile(path) as archive:
                yield from ((name, archive.read(name)) for name in archive.namelist())
        elif path.name.endswith(".tar.gz"):
            with tarfile.open(path) as archive:
                yield from ((m.name, archive.extractfile(m).read()) for m in archive if m.isfile())
        elif path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def marked(folder: Path) -> list[str]:
    return [name for name, body in files(folder) if MARK.encode() in body]


@pytest.fixture(scope="session")
def planted(tmp_path_factory) -> Path:
    """A clone with a mark in each file that only a lecturer may see, and in each solution."""
    if not (ROOT / ".git").exists():
        pytest.skip("no clone: the tree for students is made from a commit")
    repo = tmp_path_factory.mktemp("planted") / "repo"
    git(ROOT, "clone", "--quiet", str(ROOT), str(repo))
    (repo / "course" / "new").mkdir()
    (repo / "course" / "new" / "hidden.txt").write_text("A folder of next year.\n", "utf-8")
    for path in [*(repo / "course").rglob("*.*"), *(repo / "tests" / "course").rglob("*.py")]:
        if path.relative_to(repo).as_posix() not in KEPT:
            path.write_text(f"{path.read_text('utf-8')}\n# {MARK}\n", "utf-8")
    plans = repo / "course" / "sessions.yml"
    text = plans.read_text("utf-8")
    for name in ("look: ", "do: ", "answer: >-\n        "):
        text = re.sub(rf'({name}"?)', rf"\g<1>{MARK} ", text)
    plans.write_text(re.sub(r"(evening:\n +- )", rf"\1{MARK}\n      - ", text), "utf-8")
    for path in (repo / "chapters").rglob("*.md"):
        text = path.read_text("utf-8")
        hidden = re.sub(r"(^```\{solution-end\})", rf"{MARK}\n\1", text, flags=re.M)
        hidden = re.sub(r"^(:tags: \[.*solution.*\])$", rf"\1\n# {MARK}", hidden, flags=re.M)
        if hidden != text:
            path.write_text(hidden, "utf-8")
            nbformat.write(notebook_of(path), path.with_suffix(".ipynb"))
    git(repo, "add", "-A")
    git(repo, "commit", "--quiet", "-m", "Plant marks")
    return repo


@pytest.fixture(scope="session")
def tree(planted, tmp_path_factory) -> Path:
    """The tree for students of that clone, of whose book one page has been executed."""
    body = {"label": "A number", "spec": ".0f", "value": 4711.0, "accept": ["4711"], "hints": {}}
    notebook = read_notebook(planted / f"{PAGE}.ipynb")
    cell = next(c for c in notebook.cells if "solution" in c.metadata.get("tags", ()))
    cell.outputs = [nbformat.v4.new_output("display_data", data={KIND: body | {"live": ""}})]
    executed = planted / "_build" / "executed" / "quick" / f"{PAGE}.ipynb"
    executed.parent.mkdir(parents=True)
    nbformat.write(notebook, executed)
    return write_public(tmp_path_factory.mktemp("public") / "tree", root=planted)


def test_no_mark_is_in_the_tree(tree, planted):
    """Those of the clone are in the course, and in solutions; all else of it is there."""
    houses = [name.partition("/")[0] for name in marked(planted)]
    assert houses.count("course") > 40
    assert houses.count("chapters") > 40
    assert marked(tree) == []
    assert not (tree / ".git").exists()
    names = {name for name, _ in files(tree)}
    left_out = {n for n in git(planted, "ls-files").splitlines() if n not in names}
    assert {n.partition("/")[0] for n in left_out} == {"course", "tests"}
    assert names >= {*KEPT, f"{PAGE}.md", "Makefile", ".binder/postBuild"}


def test_its_pairs_agree_and_end_with_exercises_that_boxes_check(tree):
    texts = [text for text in (tree / "chapters").rglob("*.md") if is_pair_source(text)]
    assert [said for text in texts if (said := difference(text))] == []
    text = (tree / f"{PAGE}.md").read_text("utf-8")
    assert "```{exercise}" in text
    assert text.count('<div class="answer"') == 1
    assert "solution-start" not in text
    assert "4711" not in text


def test_solutions_of_the_book_stay_if_they_are_wanted(planted, tmp_path):
    names = marked(write_public(tmp_path / "with", solutions=True, root=planted))
    assert {name.partition("/")[0] for name in names} == {"chapters"}
    with pytest.raises(FileExistsError):
        write_public(tmp_path, root=planted)


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_no_mark_is_in_what_is_built_of_the_whole_clone(planted, tmp_path, kind):
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(tmp_path)]
    subprocess.run(command, cwd=planted, capture_output=True, check=True)
    assert len([*files(tmp_path)]) > 100
    assert marked(tmp_path) == []


def run(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    kept = {**os.environ, "PYTHONPATH": str(tree)}
    return subprocess.run(words, cwd=tree, capture_output=True, encoding="utf-8", env=kept)


def test_the_page_for_teachers_runs_there_and_the_commands_for_lecturers_do_not(tree):
    code = "from course.sessions import *; print(*map(syllabus, sessions()), misconceptions())"
    done = run(tree, sys.executable, "-c", code)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Objectives" in done.stdout
    drawn = run(tree, sys.executable, "-c", "from course.drawings import draw; draw('coin')")
    assert drawn.stderr == ""
    done = run(tree, sys.executable, "-m", "lib", "course", "make")
    said = "error: python -m lib course needs the lecturer's tree, got the public one\n"
    assert (done.returncode, done.stderr) == (1, said)


@pytest.mark.skipif(os.name == "nt", reason="Binder's machines run Linux")
def test_binder_removes_all_else(planted, tmp_path):
    repo = tmp_path / "repo"
    git(planted, "clone", "--quiet", str(planted), str(repo))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    kept = {**os.environ, "PYTHONPATH": str(repo), "PATH": path, "TMPDIR": str(tmp_path)}
    for _ in range(2):  # a second start finds nothing to do
        subprocess.run(["bash", ".binder/postBuild"], cwd=repo, env=kept, check=True)
        assert marked(tmp_path) == []
        assert not (repo / ".git").exists()
        assert (repo / f"{PAGE}.ipynb").exists()


def names(source: str, context: type) -> set[str]:
    """What a cell assigns (``ast.Store``) or uses (``ast.Load``), by import and definition, too."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, context):
            found.add(node.id)
        elif context is ast.Store and isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif context is ast.Store and isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    return found


def test_no_page_needs_a_name_of_its_solutions():
    """Students run the pages without them."""
    for page in (page for page in pages(ROOT) if page.is_chapter):
        mine, hidden = set(), set()
        for cell in read_notebook(page.notebook).cells:
            if cell.cell_type != "code" or cell.source.startswith("%"):
                continue
            own = hidden if "solution" in tags(cell) else mine
            own |= names(cell.source, ast.Store)
            if own is mine:
                assert names(cell.source, ast.Load) & hidden - mine == set(), page.doc


def test_no_page_says_that_the_solutions_are_in_the_book():
    """A book may be built without them."""
    solution = re.compile(r"^```\{solution-start\}.*?^```\{solution-end\}", re.M | re.S)
    promise = r"[^.]*\bsolutions?\b[^.]* in the book|hidden solutions|with the solution\."
    for path in CHAPTERS.rglob("*.md"):
        assert re.findall(promise, solution.sub("", path.read_text("utf-8"))) == [], path
