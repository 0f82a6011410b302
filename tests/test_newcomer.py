"""The suite as a newcomer runs it: without real data, unless a test asks for them by the fixture ``real_data``."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from lib.paths import ROOT
from tests.conftest import NO_REAL_DATA

PLANTED = """
import os, subprocess, sys
import pytest
from lib.datasets import TASKS, load
from lib.datasets.cache import Unavailable, locate, unregistered

AT_IMPORT = unregistered("raw.csv")


@pytest.fixture(scope="module")
def of_a_module():
    return unregistered("raw.csv")


def test_silent_at_import(): assert AT_IMPORT
def test_silent_in_a_fixture(of_a_module): assert of_a_module
def test_silent(): assert unregistered("raw.csv")
def test_silent_in_the_cache(): assert unregistered("cached.csv")
def test_silent_in_a_program():
    code = "import sys; from lib.datasets.cache import unregistered; sys.exit(not unregistered('raw.csv'))"
    assert not subprocess.run([sys.executable, "-c", code]).returncode
def test_silent_download(): assert os.environ.get("COMPANION_OFFLINE") != "1"
def test_asks(real_data): assert real_data("raw.csv", ("other.csv", "cached.csv")) == unregistered("raw.csv")
def test_asks_for_what_is_not_here(real_data): real_data("raw.csv", "nowhere.csv")
def test_after_one_that_asks(): assert unregistered("raw.csv")
"""
SILENT = {
    line.split("(")[0][4:] for line in PLANTED.splitlines() if line.startswith("def test_silent")
}


def _pytest(*arguments: str, **environment: str) -> tuple[int, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("COMPANION_", "PYTEST"))}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        env=kept | {"PYTHONPATH": str(ROOT)} | environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("workers", ["0", "1"])
def test_a_test_that_needs_data_and_does_not_ask_fails_where_the_data_are_too(tmp_path, workers):
    for name in ("raw.csv", "cache/cached.csv", "test_planted.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(PLANTED if name.endswith("py") else "a\n1\n", encoding="utf-8")
    asked = ("-q", "-n", workers, "-p", "tests.conftest", "--rootdir", str(tmp_path), str(tmp_path))
    there = {"COMPANION_DATA": str(tmp_path), "COMPANION_CACHE": str(tmp_path / "cache")}
    _, said = _pytest(*asked, "-c", str(ROOT / "pyproject.toml"), **there)
    failed = {
        line.split("::")[1].split(" ")[0] for line in said.splitlines() if line.startswith("FAILED")
    }
    assert failed == SILENT | {"test_after_one_that_asks"}, said
    assert "1 passed, 1 skipped" in said
    assert f"{NO_REAL_DATA}: nowhere.csv" in said
