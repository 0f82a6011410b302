"""The benchmarks can start: each of them is collected, also where their plugin is not installed."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys

import pandas as pd
import pytest

from benchmarks.reference import RESULT, Fit
from lib.paths import CHAPTERS, ROOT
from lib.runner.cell import cell_key

FOLDER = ROOT / "benchmarks"


def test_every_benchmark_is_collected():
    options = ["-o", "addopts=", "-o", "filterwarnings=", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "benchmarks", "--collect-only", "-q", *options]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:]
    found = {line.partition("::")[0] for line in done.stdout.splitlines() if "::" in line}
    assert found == {file.relative_to(ROOT).as_posix() for file in FOLDER.glob("test_*.py")}


@pytest.mark.parametrize("name", ["reference", "report"])
def test_every_program_is_imported(name):
    importlib.import_module(f"benchmarks.{name}")


def test_the_stored_results_have_every_explorer():
    text = (FOLDER / "RESULTS.md").read_text(encoding="utf-8")
    scripts = {file.stem for file in (CHAPTERS / "_static" / "explorers").glob("*.js")}
    rows = set(re.findall(r"^\| (\w+) \| [\d.]+ \| [\d.]+ \|$", text, re.M))
    assert scripts - {"core", "formulas"} <= rows


def test_a_stored_fit_of_the_comparison_keeps_its_key():
    """Its class stated no kind, so that `make reference` ended where it would have scored."""
    fit = Fit(library="ours", method="like OpenDP", synthesizer="MST", epsilon=1.0, run=1)
    assert cell_key(fit) in set(pd.read_parquet(RESULT)["cell"])
