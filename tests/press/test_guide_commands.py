"""The commands that the guides print under "What to run", with the code that they print: in a copy
of the repository and in a folder beside it, and with a claim that fails.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import yaml

from lib.paths import CHAPTERS, ROOT
from press.pairs import notebook_of

GUIDES = {page.stem: page for page in sorted((CHAPTERS / "guides").glob("*.md"))}
FOLDERS = {"# in the clone": "companion", "# in your folder": "mine"}
WITH_TESTS = ("protocol", "scale", "paper")  # whose commands take minutes


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


def _is_long(words: list[str]) -> bool:
    return bool({"pytest", "--write"} & set(words))


@pytest.fixture
def world(tmp_path) -> Path:
    """A folder with a clone of this repository as it is now, ``companion``, and an empty ``mine``."""
    subprocess.run(["git", "clone", "-q", str(ROOT), str(tmp_path / "companion")], check=True)
    listed = ["git", "-C", str(ROOT), "ls-files", "-z", "-c", "-o", "--exclude-standard"]
    names = subprocess.run(listed, capture_output=True, check=True).stdout.decode().split("\0")
    for name in filter(None, names):
        (tmp_path / "companion" / name).unlink(missing_ok=True)
        if (ROOT / name).is_file():  # no file that was deleted and is still in the index
            (tmp_path / "companion" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "companion" / name).write_bytes((ROOT / name).read_bytes())
    me = (["config", "user.name", "t"], ["config", "user.email", "t@localhost"])
    for words in (*me, ["add", "-A"], ["commit", "-q", "--allow-empty", "-m", "copy"]):
        subprocess.run(["git", *words], cwd=tmp_path / "companion", check=True)
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


def replace_once(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert text.count(old) == 1, (file, old)
    file.write_text(text.replace(old, new), "utf-8")


def apply(guide: str, world: Path, fails: bool) -> dict[str, str]:
    """Write a guide's code, with a claim that fails if asked. What each command must print, by a
    part of the command.
    """
    folders = {folder for folder, _ in printed(guide)}
    assert len(folders) == 1  # a guide works in one place
    folder = world / folders.pop()
    write(guide, folder)
    if guide == "paper" and fails:
        cells = folder / "studies" / "coin_survey" / "cells.py"
        replace_once(cells, "float(estimate)", "float(estimate) + 0.1")
    elif guide == "claim" and fails:
        replace_once(folder / "my_claims.yml", "epsilon: 1.0}", "epsilon: 1.0, sign: -1}")
    counts = "{} reproduced, 0 too close to call, 0 same direction, {} not reproduced"
    said = {
        "paper": counts.format(*(1, 1) if fails else (2, 0)),
        "claim": "NOT REPRODUCED" if fails else "REPRODUCED",
    }
    return {"--file": said[guide]} if guide in said else {}


def explain(world: Path) -> None:
    """Put the field that the guide to a paper prints into the row that failed."""
    text = GUIDES["paper"].read_text("utf-8")
    (fields,) = re.findall(r"^```yaml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert set(yaml.safe_load(textwrap.dedent(fields))) == {"reading"}
    file = world / "companion" / "data" / "claims" / "coin_survey.yml"
    replace_once(file, "would say yes.\n", f"would say yes.\n{fields}")


CASES = [*((name, False) for name in GUIDES if printed(name)), ("paper", True), ("claim", True)]
SOME = (("metric", False), ("paper", True))  # the rest takes over a minute
THOROUGH = pytest.mark.thorough("commands of the guides")
SHORT = [
    pytest.param(*case, marks=() if case in SOME else THOROUGH)
    for case in CASES
    if not all(_is_long(words) for _, words in printed(case[0]))
]


@pytest.mark.parametrize(("guide", "fails"), SHORT)
def test_the_short_commands_of_a_guide_work(guide, fails, world):
    said = apply(guide, world, fails)
    for folder, words in printed(guide):
        if not _is_long(words):
            out = run(world, folder, words)
            assert all(text in out for part, text in said.items() if part in words), out


@THOROUGH
@pytest.mark.parametrize(("guide", "fails"), [c for c in CASES if c[0] in WITH_TESTS])
def test_all_commands_of_a_guide_work(guide, fails, world):
    said = apply(guide, world, fails)
    if fails:  # what the guide asks for then is asked for by the command, too
        words = [words for _, words in printed(guide)]
        for one in words[: [*map(_is_long, words)].index(True) + 1]:
            out = run(world, "companion", one)
        assert "coins-unbiased is not reproduced, so it must have quote" in out
        explain(world)
    for folder, words in printed(guide):
        out = run(world, folder, words)
        assert all(text in out for part, text in said.items() if part in words), out
        assert "must have quote" not in out
        if "pytest" in words:
            assert int(re.search(r"(\d+) passed", out)[1]) >= 20


PROGRAMS = [["pytest"], pytest.param(["python", "-m", "pytest"], marks=THOROUGH)]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_battery_finds_a_protocol_where_it_is_called(program, tmp_path):
    """The program looked beside itself and on Python's path, and not in the folder of the call."""
    write("protocol", tmp_path)
    program = [str(Path(sys.executable).with_name(program[0])), *program[1:]]
    battery = [str(ROOT / "tests/ldp/test_battery.py"), "-q", "-p", "no:cacheprovider"]
    chosen = ["-k", "HR and no_users", "--protocol", "hadamard_response:HR"]
    options = {"env": os.environ | {"PYTHONPATH": str(ROOT)}, "capture_output": True, "text": True}
    done = subprocess.run([*program, *battery, *chosen], cwd=tmp_path, check=False, **options)
    assert "1 passed" in done.stdout, done.stdout
