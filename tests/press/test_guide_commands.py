"""The commands that the guides print under "What to run", with the code that they print: in a clone
of the last commit and in a folder beside it.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from lib.paths import CHAPTERS, ROOT
from press.pairs import notebook_of
from tests.programs import git

GUIDES = {page.stem: page for page in sorted((CHAPTERS / "guides").glob("*.md"))}
FOLDERS = {"# in the clone": "companion", "# in your folder": "mine"}


def printed(guide: str) -> list[tuple[str, list[str]]]:
    """The commands below "What to run": the folder of each, and its words."""
    text = GUIDES[guide].read_text("utf-8")
    section = re.search(r"^## What to run\n(.*?)(?=^## )", text, re.DOTALL | re.MULTILINE)
    found = []
    body = section[1] if section else ""
    for block in re.findall(r"^```bash\n(.*?)^```", body, re.DOTALL | re.M):
        first, *lines = block.splitlines()
        found += [(FOLDERS[first], shlex.split(line, comments=True)) for line in lines]
    return found


@pytest.fixture
def world(tmp_path) -> Path:
    """A folder with a clone of this repository's last commit, ``companion``, and an empty ``mine``."""
    git(tmp_path, "clone", "-q", str(ROOT), "companion")
    git(tmp_path / "companion", "config", "user.name", "t")
    git(tmp_path / "companion", "config", "user.email", "t@localhost")
    (tmp_path / "mine").mkdir()
    return tmp_path


def write(guide: str, folder: Path) -> None:
    """The files that a guide writes, and the lines that it adds to files."""
    for cell in notebook_of(GUIDES[guide]).cells:
        if cell.source.startswith("%%writefile "):
            head, _, body = cell.source.partition("\n")
            file = folder / head.split()[1]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{body}\n", "utf-8")
        elif "\nadd_line(" in cell.source:
            code = f"from pathlib import Path\n{cell.source}"
            subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)


def run(world: Path, folder: str, words: list[str]) -> str:
    """What a command prints; it must succeed."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "COVERAGE_"))}
    environment = kept | {"PYTHONPATH": str(world / "companion"), "PYTHONUTF8": "1"}
    program = {"python": sys.executable, "git": "git"}[words[0]]
    options = {"env": environment, "capture_output": True, "encoding": "utf-8", "check": False}
    done = subprocess.run([program, *words[1:]], cwd=world / folder, **options)
    assert done.returncode == 0, f"{shlex.join(words)}\n{done.stdout[-6000:]}{done.stderr[-3000:]}"
    return done.stdout


SAID = "{} reproduced, 0 too close to call, 0 same direction, {} not reproduced".format
PRINTS = {"data/claims/coin_survey.yml": SAID(2, 0), "my_claims.yml": "REPRODUCED"}  # by file


@pytest.mark.thorough("commands of the guides")
@pytest.mark.parametrize("guide", [guide for guide in GUIDES if printed(guide)])
def test_the_commands_of_a_guide_work(guide, world):
    (folder,) = {folder for folder, _ in printed(guide)}  # a guide works in one place
    write(guide, world / folder)
    for _, words in printed(guide):
        out = run(world, folder, words)
        assert all(said in out for file, said in PRINTS.items() if file in words), out
        if "pytest" in words:
            assert int(re.search(r"(\d+) passed", out)[1]) >= 10
