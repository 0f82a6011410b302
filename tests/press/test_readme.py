"""The result in 30 seconds that the README promises, and the commands it names."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
import venv

import pytest

from lib.paths import ROOT
from press.rerun import chapter, requested
from studies.cross_paper.headlines import errors_by_name

README = (ROOT / "README.md").read_text("utf-8")
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


def test_the_example_runs_in_30_seconds(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    start = time.process_time()
    exec(code, {})
    assert time.process_time() - start < 30
    assert capsys.readouterr().out.strip()


def test_its_picture_is_there_and_says_what_the_stored_results_say():
    """Drawn by ``added_by_size``, as on the home page; where this fails, save it again."""
    ((words, place),) = re.findall(r"!\[(.*?)\]\((.*?)\)", README)
    assert (ROOT / place).stat().st_size < 100_000
    extra = [errors_by_name(seen=seen)["extra"] for seen in (True, False)]
    ends = [f"{part.iloc[end]:.2f}" for part in extra for end in (0, -1)]
    assert re.findall(r"\d\.\d\d", words) == ends


def test_the_reruns_that_it_shows_are_of_parameters_that_there_are():
    for doc, *words in (c.split() for c in re.findall(r"-m lib rerun (.*)", README)):
        assert requested(chapter(doc), words)


@pytest.mark.skipif(not shutil.which("make"), reason="make is not here")
def test_what_a_shell_exports_changes_no_make_target():
    said = ["SOLUTIONS", "STRICT", "UPGRADE", *re.findall(r"^(\w+) +=", MAKEFILE, re.MULTILINE)]
    command = ["make", "-n", "-B", "book", "test", "lock"]
    plain, given = (
        subprocess.run(
            [*command, *words], cwd=ROOT, env=env, capture_output=True, check=True
        ).stdout
        for words, env in (
            ([], os.environ | dict.fromkeys(said, "other")),
            (["PROFILE=other"], dict(os.environ)),
        )
    )
    assert b"other" not in plain
    assert b"--profile other" in given


@pytest.mark.skipif(os.name != "posix", reason="make is not here")
def test_a_clone_that_moved_with_its_environment_imports_its_own_code(tmp_path):
    one, two = tmp_path / "one", tmp_path / "a place \N{GREEK SMALL LETTER EPSILON}"
    venv.create(one / ".venv", symlinks=True)
    (one / "lib.py").touch()
    (code,) = re.findall(r'^RELATIVE := "(.*)"$', MAKEFILE, re.MULTILINE)
    subprocess.run([one / ".venv/bin/python", "-c", code], cwd=one, check=True)
    one.rename(two)
    command = [two / ".venv/bin/python", "-c", "import lib; print(lib.__file__)"]
    done = subprocess.run(command, cwd="/", capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == f"{two / 'lib.py'}\n"


def test_every_make_target_it_names_exists():
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", README, re.MULTILINE))
    assert {"book", "test"} <= named
    assert named <= set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))
