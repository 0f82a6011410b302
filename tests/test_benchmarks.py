"""The benchmarks can start: each of them is collected, also where their plugin is not installed."""

from __future__ import annotations

import importlib
import re
import sys

import pytest

from benchmarks.build_times import STEPS, Time, main, table
from lib.paths import CHAPTERS, ROOT
from lib.processes import run_program

FOLDER = ROOT / "benchmarks"


def test_every_benchmark_is_collected():
    options = ["-o", "addopts=", "-o", "filterwarnings=", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "benchmarks", "--collect-only", "-q", *options]
    done = run_program(command, cwd=str(ROOT))
    assert done.returncode == 0, done.stdout[-2000:]
    found = {line.partition("::")[0] for line in done.stdout.splitlines() if "::" in line}
    assert found == {file.relative_to(ROOT).as_posix() for file in FOLDER.glob("test_*.py")}


@pytest.mark.parametrize("name", ["build_times", "reference", "report"])
def test_every_program_is_imported(name):
    importlib.import_module(f"benchmarks.{name}")


MEASURE = (  # in a process of its own, since it waits for every child
    "import os, sys; from pathlib import Path; from benchmarks.build_times import measure; "
    "print(measure([sys.executable, '-c', sys.argv[1]], Path(), dict(os.environ)).cpu >= 0.5)"
)
SPIN = "import time\nwhile time.process_time() < 0.5: pass"
ORPHAN = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {SPIN!r}])"


@pytest.mark.skipif(sys.platform != "linux", reason="who adopts orphans is a setting of Linux")
def test_processor_time_includes_a_process_whose_parent_has_ended():
    done = run_program([sys.executable, "-W", "ignore", "-c", MEASURE, ORPHAN], cwd=str(ROOT))
    assert done.stdout == "True\n", done.stderr


def test_a_command_that_fails_is_shown():
    fails = "raise SystemExit('wrong on ' + 'purpose')"
    done = run_program([sys.executable, "-c", MEASURE, fails], cwd=str(ROOT))
    assert "failed:\nwrong on purpose" in done.stderr


def test_the_table_has_a_row_for_each_step_and_says_what_it_may_take():
    rows = table({name: Time(90.0, 150.0, 0.1) for name in STEPS}, "abc1234").splitlines()
    assert "commit abc1234" in rows[2]
    assert rows[6] == "| `make book`, from nothing | 1.5 | 4 | 2.5 | 0.1 |"
    assert len(rows) == 6 + len(STEPS)


def test_an_unknown_step_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["bok"])
    assert "STEP must be one of book, rebuild, test, all, got 'bok'" in capsys.readouterr().err


def test_the_stored_results_have_every_explorer():
    text = (FOLDER / "RESULTS.md").read_text(encoding="utf-8")
    scripts = {file.stem for file in (CHAPTERS / "_static" / "explorers").glob("*.js")}
    rows = set(re.findall(r"^\| (\w+) \| [\d.]+ \| [\d.]+ \|$", text, re.M))
    assert scripts - {"core", "formulas"} <= rows
