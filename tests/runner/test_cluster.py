"""The cluster of the guide, as its page prints it: a worker is killed for good and the driver,
too; nothing is lost.
"""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from lib.cli import main
from lib.paths import CHAPTERS, ROOT
from lib.runner import run_grid
from lib.runner.cluster import run_on_cluster
from lib.runner.store import Store
from tests.runner.toy import GRID, MANY, STABLE, run_toy, sweep

PAGE = (CHAPTERS / "guides" / "scale.md").read_text(encoding="utf-8")
DRIVER = "python -m lib run ldp_main --dask"
BIN = Path(sys.executable).parent


def _printed(start: str) -> list[str]:
    """A command of the page, as a list of words."""
    (line,) = {line.split("#")[0].strip() for line in PAGE.splitlines() if line.startswith(start)}
    return shlex.split(line)


def _wait(condition, seconds: float = 120) -> None:
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

    def one(words: list[str], folder: Path = tmp_path, **more: str) -> subprocess.Popen:
        how = {"cwd": folder, "env": environment | more}
        with open(tmp_path / f"{len(running)}.log", "w", encoding="utf-8") as log:
            command = [str(BIN / words[0]), *words[1:]]
            running.append(subprocess.Popen(command, stdout=log, stderr=log, **how))
        return running[-1]

    yield one
    for process in running:
        process.kill()
        process.wait()


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
    _wait(lambda: stored() >= 5 or driving.poll() is not None)
    workers[0].kill()
    then = stored()
    # the other worker goes on alone
    _wait(lambda: stored() >= then + 10 or driving.poll() is not None)
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


OWN_GRID = """
from tests.runner.toy import GRID as TOY
from dataclasses import replace

def run(cell):
    return TOY.run(cell)

GRID = replace(TOY, name="own", run=run)
"""


@pytest.fixture
def own(start, tmp_path):
    """A scheduler, a grid in a folder of its own, and another folder: how to start a worker, and
    the status and words of a driver that is started now.
    """
    pytest.importorskip("dask.distributed")
    folder, at = tmp_path / "own", str(tmp_path / "scheduler.json")
    for made in (folder, tmp_path / "elsewhere"):
        made.mkdir()
    (folder / "own_grid.py").write_text(OWN_GRID, encoding="utf-8")
    start([*_printed("python -m dask scheduler"), "--port", "0", "--no-dashboard"])
    _wait(Path(at).exists)

    def words(command: str) -> list[str]:
        found = (w.replace("ldp_main", "own_grid:GRID") for w in _printed(command))
        return [at if word == "scheduler.json" else word for word in found]

    def worker(where: str) -> subprocess.Popen:
        command = [*words("python -m dask worker"), "--no-nanny", "--no-dashboard"]
        return start(command, tmp_path / where)

    def outcome(status: int) -> str:
        began = time.monotonic()
        assert start(words(DRIVER), folder).wait(120) == status
        assert time.monotonic() - began < 100
        return max(tmp_path.glob("*.log"), key=lambda log: int(log.stem)).read_text("utf-8")

    return SimpleNamespace(folder=folder, at=at, worker=worker, outcome=outcome)


def test_a_driver_without_workers_and_one_whose_worker_lacks_the_grid_say_so(own):
    """The driver stood at 0 of 40 for ever."""
    said = own.outcome(2)
    assert "dask must be a scheduler with workers, got none at tcp://" in said
    own.worker("elsewhere")
    said = own.outcome(1)
    assert re.search(r"the worker on .*started in .*elsewhere\) cannot run the grid", said)
    assert "No module named 'own_grid'" in said
    assert not (own.folder / "results" / "own.sqlite").exists()


def test_a_worker_at_another_commit_is_refused(own):
    from dask.distributed import Client

    own.worker("own")
    with Client(scheduler_file=own.at) as client:
        client.wait_for_workers(1, timeout=60)
        with pytest.raises(RuntimeError, match=r"lib at commit .*, where the driver has 0123456"):
            next(run_on_cluster(run_toy, MANY, "0123456789ab"))


@pytest.mark.parametrize("given", ["no-such-file.json", ""])
def test_a_scheduler_that_is_none_is_refused_before_any_work(given, capsys):
    assert main(["run", "ldp_main", "--dask", given]) == 2
    said = capsys.readouterr().err
    assert "dask must be an address such as tcp://host:8786 or a scheduler's file" in said


def test_what_accepts_and_is_no_scheduler_is_named_in_time(monkeypatch, capsys):
    """The driver waited for ever for a scheduler that was stopped."""
    pytest.importorskip("dask.distributed")
    monkeypatch.setattr("lib.cli.run.CONNECT_S", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        assert main(["run", "ldp_main", "--dask", address]) == 2
    said = capsys.readouterr().err
    assert f"dask must be a scheduler that answers within 1 s, got '{address}'" in said
