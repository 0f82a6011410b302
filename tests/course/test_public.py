"""The tree that students may have: marks that are planted in every secret do not get there."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest

from course.public import KEPT, write_public
from lib.paths import ROOT
from press.pairs import notebook_of, write_pairs
from tests.programs import git

pytestmark = pytest.mark.thorough("the tree for students")
MARK = "zebra-crossing-at-noon"
PAGE = "chapters/foundations/primer"


def marked(folder: Path) -> set[str]:
    files = (path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {p.relative_to(folder).as_posix() for p in files if MARK.encode() in p.read_bytes()}


@pytest.fixture(scope="module")
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


def test_no_solution_key_or_question_is_in_the_tree_or_in_the_wheel(planted, tmp_path):
    tree, houses = tmp_path / "tree", [name.partition("/")[0] for name in marked(planted)]
    assert houses.count("course") > 40
    assert houses.count("chapters") > 40
    write_public(tree, root=planted)
    assert marked(tree) == set()
    assert not (tree / ".git").exists()
    names = {path.relative_to(tree).as_posix() for path in tree.rglob("*")}
    left_out = {*git(planted, "ls-files").splitlines()} - names
    assert {n.partition("/")[0] for n in left_out} == {"course", "tests"}
    assert names >= {*KEPT, f"{PAGE}.md", "Makefile", ".binder/postBuild"}
    assert write_pairs(tree / "chapters") == []
    text = (tree / f"{PAGE}.md").read_text("utf-8")
    assert "```{exercise}" in text
    assert "solution-start" not in text
    code = "from course.sessions import *; print(*map(syllabus, sessions()), misconceptions())"
    done = subprocess.run([sys.executable, "-c", code], cwd=tree, capture_output=True, check=True)
    assert b"Objectives" in done.stdout
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=planted, capture_output=True, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert not any(MARK.encode() in archive.read(name) for name in archive.namelist())


def test_solutions_of_the_book_stay_if_they_are_wanted(planted, tmp_path):
    names = marked(write_public(tmp_path / "with", solutions=True, root=planted))
    assert {name.partition("/")[0] for name in names} == {"chapters"}
    with pytest.raises(RuntimeError, match="must be a clone"):
        write_public(tmp_path / "new", root=tmp_path)
