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
from threading import Thread
from types import SimpleNamespace

import pandas as pd
import pytest

from lib.cli import main
from lib.paths import CHAPTERS, ROOT
from lib.runner import run_grid
from lib.runner.store import Store
from tests.runner.toy import GRID, MANY, STABLE, run_toy, sweep

PAGE = (CHAPTERS / "guides" / "scale.md").read_text(encoding="utf-8")
DRIVER = "python -m lib run ldp_main --dask"
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
    _wait(lambda: stored() >= 5)
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
import time
from tests.runner.toy import GRID as TOY
from dataclasses import replace
from pathlib import Path

def run(cell):
    time.sleep(0.5)
    return TOY.run(cell)

GRID = replace(TOY, name="own", run=run, folder=Path("results"))
"""


@pytest.fixture
def own(start, tmp_path):
    """A scheduler in one folder, and a grid in another: how to start a worker and the driver."""
    pytest.importorskip("dask.distributed")
    folder, elsewhere = tmp_path / "own", tmp_path / "elsewhere"
    for made in (folder, elsewhere):
        made.mkdir()
    (folder / "own_grid.py").write_text(OWN_GRID, encoding="utf-8")
    at = str(tmp_path / "scheduler.json")
    quiet = ["--no-dashboard", "--host", "127.0.0.1"]

    def words(command: str) -> list[str]:
        return [at if word == "scheduler.json" else word for word in _printed(command)]

    def worker(folder: Path, **more: str) -> subprocess.Popen:
        return start([*words("python -m dask worker"), "--no-nanny", *quiet], folder, **more)

    def driver() -> list[str]:
        return [word.replace("ldp_main", "own_grid:GRID") for word in words(DRIVER)]

    def workers_there(number: int) -> None:
        from dask.distributed import Client

        with Client(scheduler_file=at) as client:
            client.wait_for_workers(number, timeout=60)

    def stored() -> int:
        return len(Store(folder / "results" / "own.parquet", version="1"))

    def driven() -> subprocess.Popen:
        """A driver that is started now, once two of its cells are stored."""
        driving = start(driver(), folder)
        _wait(lambda: stored() >= 2 or driving.poll() is not None)
        return driving

    def outcome(log: str) -> tuple[int, str, float]:
        """Status of a driver that is started now, what it said, and after how many seconds."""
        began = time.monotonic()
        status = start(driver(), folder).wait(60)
        return status, (tmp_path / log).read_text(encoding="utf-8"), time.monotonic() - began

    scheduler = start([*words("python -m dask scheduler"), "--port", "0", *quiet], elsewhere)
    _wait(Path(at).exists)
    return SimpleNamespace(
        folder=folder,
        elsewhere=elsewhere,
        at=at,
        worker=worker,
        workers_there=workers_there,
        stored=stored,
        driven=driven,
        outcome=outcome,
        scheduler=scheduler,
    )


def test_a_worker_that_lacks_the_grid_s_module_is_named_within_30_s(own):
    """The driver stood at 0 of 40 for ever."""
    own.worker(own.folder)
    own.worker(own.elsewhere)
    own.workers_there(2)
    status, said, seconds = own.outcome("3.log")
    assert (status, seconds < 30) == (2, True)
    assert "got 1 of 2 at tcp://127.0.0.1" in said
    assert f"No module named 'own_grid' (it was started in {own.elsewhere})" in said


@pytest.mark.slow
def test_a_driver_without_workers_says_so_within_30_s(own):
    status, said, seconds = own.outcome("1.log")
    assert (status, seconds < 30) == (2, True)
    assert "dask must be a scheduler with workers, got none at tcp://127.0.0.1" in said


@pytest.mark.slow
def test_a_worker_of_another_lib_is_named_and_one_that_joins_late_stops_the_driver(own):
    shadow = own.elsewhere / "lib"
    shadow.mkdir()
    (shadow / "__init__.py").write_text("raise ImportError('another lib')", encoding="utf-8")
    other = own.worker(own.elsewhere)  # the folder in which it is started comes first on its path
    own.workers_there(1)
    status, said, _ = own.outcome("2.log")
    assert (status, "ImportError: another lib" in said) == (2, True)
    other.kill()
    own.worker(own.folder)
    _wait(lambda: other.poll() is not None)
    driving = own.driven()
    (shadow / "__init__.py").unlink()
    shadow.rmdir()
    own.worker(own.elsewhere)
    assert driving.wait(30) == 1
    said = (own.folder.parent / "4.log").read_text(encoding="utf-8")
    assert re.search(r"the worker on .* cannot run the grid: ModuleNotFoundError", said)
    assert 2 <= own.stored() < len(MANY)


def test_no_worker_and_one_at_another_commit_are_refused(own):
    from dask.distributed import Client

    from lib.runner.cluster import run_on_cluster

    with Client(scheduler_file=own.at):
        with pytest.raises(ValueError, match=r"got none at tcp://.* within 0\.25 s"):
            next(run_on_cluster(run_toy, MANY, "0123456789ab", 0.5))
        own.worker(own.folder)
        with pytest.raises(ValueError, match=r"lib at commit .*, where the driver has 0123456"):
            next(run_on_cluster(run_toy, MANY, "0123456789ab"))


def test_workers_are_asked_though_the_client_forgets_them(own):
    """None was asked, and none refused, where the client had just refreshed what it remembers."""
    dask = pytest.importorskip("dask")
    from dask.distributed import Client

    from lib.runner.cluster import run_on_cluster

    own.worker(own.folder)
    own.workers_there(1)
    forgetful = dask.config.set({"distributed.client.scheduler-info-interval": "1ms"})
    with forgetful, Client(scheduler_file=own.at):
        for _ in range(5):
            with pytest.raises(ValueError, match=r"lib at commit .*, where the driver has 0123"):
                next(run_on_cluster(run_toy, MANY, "0123456789ab"))


@pytest.mark.slow
def test_a_scheduler_that_is_lost_ends_the_driver(own):
    own.worker(own.folder)
    driving = own.driven()
    own.scheduler.kill()
    assert driving.wait(60) == 1
    said = (own.folder.parent / "2.log").read_text(encoding="utf-8")
    assert "no longer has the cells; start the driver again" in said


@pytest.mark.parametrize("words", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n" * 9])
def test_what_accepts_and_is_no_scheduler_is_named_in_time(words, monkeypatch, capsys):
    """The driver waited for ever for a scheduler that was stopped."""
    pytest.importorskip("dask.distributed")
    monkeypatch.setattr("lib.cli.run.CONNECT_S", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        peers: list[socket.socket] = []

        def accept() -> None:
            peers.append(server.accept()[0])
            peers[0].sendall(words)

        accepting = Thread(target=accept, daemon=True)
        accepting.start()
        assert main(["run", "ldp_main", "--dask", address]) == 2
        accepting.join(10)  # a loaded machine may be slower than the driver's patience
        peers[0].close()
    said = capsys.readouterr().err
    assert f"dask must be a scheduler that answers within 1 s, got '{address}'" in said


@pytest.mark.parametrize("given", ["no-such-file.json", ""])
def test_a_scheduler_that_is_none_is_refused_before_any_work(given, capsys):
    assert main(["run", "ldp_main", "--dask", given]) == 2
    said = capsys.readouterr().err
    assert "dask must be an address such as tcp://host:8786 or a scheduler's file" in said
