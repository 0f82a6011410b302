"""Each test is in one of two commands, and either says what the other has."""

from __future__ import annotations

import pytest

from lib.paths import ROOT
from tests.programs import python

TESTS = """
import pytest
from tests.parts import *

@pytest.fixture
def chromium(): ...

def test_plain(): ...
def test_page(chromium): ...
@pytest.mark.browser
def test_firefox(): ...
@pytest.mark.thorough("long statistics")
@pytest.mark.parametrize("seed", range(3))
def test_many_seeds(seed): ...
@pytest.mark.slow
def test_hours(): ...
"""
THOROUGH = "long statistics (3), browsers (2)"


@pytest.mark.parametrize(
    ("workers", "options", "passed", "said"),
    [
        (2, [], 1, ["make test: 1 tests", f"make test-all also has: {THOROUGH}"]),
        (
            0,
            ["-m", "thorough and not slow and not compare"],
            5,
            [f"make test-all: {THOROUGH}", "make test has the other 1 tests"],
        ),
        (0, ["-m", "not slow"], 6, []),
        (0, ["-k", "plain"], 1, []),
    ],
    ids=["test", "test-all", "both", "one by name"],
)
def test_either_part_says_what_the_other_has(tmp_path, workers, options, passed, said):
    (tmp_path / "conftest.py").write_text(TESTS.partition("\ndef test_")[0], encoding="utf-8")
    (tmp_path / "test_x.py").write_text(TESTS.replace("from tests.parts import *", ""), "utf-8")
    command = ["-m", "pytest", "-q", "-n", workers, "-p", "no:cacheprovider"]
    settings = ["-c", ROOT / "pyproject.toml", "--rootdir", tmp_path]
    done = python(*command, *settings, *options, tmp_path / "test_x.py", check=False)
    assert f"{passed} passed" in done.stdout, done.stdout
    assert [line for line in done.stdout.splitlines() if line.startswith("make ")] == said
