"""The cluster of the guide, as its page prints it: a worker is killed for good and the driver,
too; nothing is lost.
"""

from __future__ import annotations

import os
import pickle
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from lib.cli import main
from lib.paths import CHAPTERS, ROOT
from lib.runner import run_grid
from lib.runner.store import Store
from lib.runner.sweep import _travelling, run_on_cluster
from tests.programs import wait
from tests.runner.toy import GRID, MANY, STABLE, run_toy, sweep

PAGE = (CHAPTERS / "front" / "reading.md").read_text(encoding="utf-8")
DRIVER = "python -m lib run ldp_main --dask"
BIN = Path(sys.executable).parent


def _printed(start: str) -> list[str]:
    """A command of the page, as a list of words."""
    (line,) = {line.split("#")[0].strip() for line in PAGE.splitlines() if line.startswith(start)}
    return shlex.split(line)


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
        command = [str(BIN / words[0]), *words[1:]]
        running.append(subprocess.Popen(command, cwd=tmp_path, env=environment))
        return running[-1]

    yield one
    for process in running:
        process.kill()
        process.wait()


@pytest.mark.thorough("three processes, killed one by one")
def test_a_worker_and_the_driver_are_killed_in_mid_run_and_nothing_is_lost(start, tmp_path):
    distributed = pytest.importorskip("dask.distributed")
    start([*_printed("python -m dask scheduler"), "--port", "0", "--no-dashboard"])
    # without a nanny nobody starts a killed worker again
    worker = [*_printed("python -m dask worker"), "--no-nanny", "--no-dashboard"]
    workers = [start(worker) for _ in range(2)]
    path = tmp_path / "results" / "toy.parquet"

    def stored() -> int:
        return len(Store(path, version="1"))

    driver = [w.replace("ldp_main", "tests.runner.toy:GRID") for w in _printed(DRIVER)]
    driving = start(driver)
    assert wait(lambda: stored() >= 5 or driving.poll() is not None)
    workers[0].kill()
    then = stored()
    # the other worker goes on alone
    assert wait(lambda: stored() >= then + 10 or driving.poll() is not None)
    driving.kill()
    driving.wait()
    kept = stored()
    assert then + 10 <= kept < len(MANY)
    with distributed.Client(scheduler_file=str(tmp_path / "scheduler.json")) as client:
        assert len(client.ncores()) == 1  # the driver, started again
        table = run_grid(GRID, path=path, backend="dask", progress=False)
    assert len(table) == len(MANY)
    quiet = sweep(tmp_path / "quiet.parquet", MANY)
    pd.testing.assert_frame_equal(table[STABLE], quiet[STABLE])


def test_a_driver_does_not_wait_for_workers_that_are_not_there():
    distributed = pytest.importorskip("dask.distributed")
    words = r"must be a scheduler with workers, got none at .* 0\.5 s"
    with (
        distributed.Client(
            n_workers=0, processes=False, dashboard_address=None, host="127.0.0.1", protocol="tcp"
        ),
        pytest.raises(ValueError, match=words),
    ):
        next(run_on_cluster(run_toy, MANY, "0123456789ab", wait_s=0.5))


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (b"cno_such_grid\nrun\n.", "No module named 'no_such_grid'"),
        (pickle.dumps((run_toy, MANY[0])), "lib at commit .*, where the driver has 0123456"),
    ],
)
def test_a_worker_that_cannot_run_the_grid_says_which_it_is_and_why(task, words):
    with pytest.raises(RuntimeError, match=rf"the worker on .*, started in .* cannot .*{words}"):
        _travelling("0123456789ab")(task)


@pytest.mark.parametrize("given", ["no-such-file.json", ""])
def test_a_scheduler_that_is_none_is_refused_before_any_work(given, capsys):
    assert main(["run", "ldp_main", "--dask", given]) == 2
    said = capsys.readouterr().err
    assert "dask must be an address such as tcp://host:8786 or a scheduler's file" in said
