"""The cluster of the guide, as its page prints it: a worker is killed for good and the driver,
too; nothing is lost.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from lib.cli import main
from lib.paths import CHAPTERS, ROOT
from lib.runner import run_grid
from lib.runner.store import Store
from lib.runner.sweep import run_sweep
from tests.runner.toy import run_toy
from tests.runner.toy_grid import CELLS, GRID

PAGE = (CHAPTERS / "guides" / "scale.md").read_text()
DRIVER = "python -m lib run ldp_main --dask"
STABLE = ["cell", "number", "value", "label"]
BIN = Path(sys.executable).parent


def _printed(start: str) -> list[str]:
    """A command of the page, as a list of words."""
    (line,) = {line.split("#")[0].strip() for line in PAGE.splitlines() if line.startswith(start)}
    return shlex.split(line)


def _wait(condition, seconds: float = 60) -> None:
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < seconds, "waited in vain"
        time.sleep(0.02)


@pytest.fixture
def start(tmp_path):
    """Start a command in the test's folder; whatever still runs at the end is killed."""
    running = []
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),  # the grid is a module of these tests, which no install brings
        "PYTHONWARNINGS": "ignore",
        "DASK_DISTRIBUTED__DASHBOARD__LINK": "",
    }

    def one(words: list[str]) -> subprocess.Popen:
        with open(tmp_path / f"{len(running)}.log", "w") as log:
            command = [str(BIN / words[0]), *words[1:]]
            running.append(
                subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=log)
            )
        return running[-1]

    yield one
    for process in running:
        process.kill()
        process.wait()


def test_a_worker_and_the_driver_are_killed_in_mid_run_and_nothing_is_lost(start, tmp_path):
    distributed = pytest.importorskip("distributed")
    start([*_printed("dask scheduler"), "--port", "0", "--no-dashboard"])
    # without a nanny nobody starts a killed worker again
    workers = [start([*_printed("dask worker"), "--no-nanny", "--no-dashboard"]) for _ in range(2)]
    path = tmp_path / "results" / "toy.parquet"

    def stored() -> int:
        return len(Store(path, version="1"))

    driver = [w.replace("ldp_main", "tests.runner.toy_grid:GRID") for w in _printed(DRIVER)]
    driving = start(driver)
    _wait(lambda: stored() >= 5)
    workers[0].kill()
    then = stored()
    _wait(
        lambda: stored() >= then + 10 or driving.poll() is not None
    )  # the other worker goes on alone
    driving.kill()
    driving.wait()
    kept = stored()
    assert then + 10 <= kept < len(CELLS)
    with distributed.Client(
        scheduler_file=str(tmp_path / "scheduler.json")
    ) as client:  # the driver, started again
        assert len(client.ncores()) == 1
        table = run_grid(GRID, path=path, backend="dask", progress=False)
    assert len(table) == len(CELLS)
    quiet = run_sweep(
        CELLS, run_toy, Store(tmp_path / "quiet.parquet", version="1"), progress=False
    )
    pd.testing.assert_frame_equal(table[STABLE], quiet[STABLE])


def test_a_scheduler_that_is_none_is_refused_before_any_work(capsys):
    assert main(["run", "ldp_main", "--dask", "no-such-file.json"]) == 2
    said = capsys.readouterr().err
    assert "dask must be an address such as tcp://host:8786 or a scheduler's file" in said
