"""The benchmarks can start: each of them is collected, also where their plugin is not installed."""

from __future__ import annotations

import importlib
import re
import sys

import pandas as pd
import pytest

from benchmarks.audit_rates import summary
from benchmarks.build_times import STEPS, Time, main, table
from benchmarks.reference import RESULT, Fit
from lib.paths import CHAPTERS, ROOT
from lib.processes import run_program
from lib.runner.cell import cell_key

FOLDER = ROOT / "benchmarks"


def test_every_benchmark_is_collected():
    options = ["-o", "addopts=", "-o", "filterwarnings=", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "benchmarks", "--collect-only", "-q", *options]
    done = run_program(command, cwd=str(ROOT))
    assert done.returncode == 0, done.stdout[-2000:]
    found = {line.partition("::")[0] for line in done.stdout.splitlines() if "::" in line}
    assert found == {file.relative_to(ROOT).as_posix() for file in FOLDER.glob("test_*.py")}


@pytest.mark.parametrize(
    "name", ["attack_peers", "audit_rates", "build_times", "certificates", "reference", "report"]
)
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


def test_a_stored_fit_of_the_comparison_keeps_its_key():
    """Its class stated no kind, so that `make reference` ended where it would have scored."""
    fit = Fit(library="ours", method="like OpenDP", synthesizer="MST", epsilon=1.0, run=1)
    assert cell_key(fit) in set(pd.read_parquet(RESULT)["cell"])


def test_audit_rates_count_flags():
    audited = {"copied": 0.0, "people": 9, "households": "1", "told": True}
    found = summary(pd.DataFrame([audited | {"flagged": f} for f in (1, 0, 0, 1)])).iloc[0]
    assert (found["audits"], found["flagged"]) == (4, 0.5)
    assert found["low"] < 0.1 < 0.9 < found["high"]
