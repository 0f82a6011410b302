"""What a killed command leaves: no process, and nothing that the next command does not remove."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from filelock import FileLock

from lib.files import PREFIX, clear_leftovers
from lib.paths import ROOT
from tests.course.test_hostile import notebook, write_course
from tests.hostile import DAEMON, WAYS, still_here
from tests.test_processes import _alive, _children, _wait, linux

SLEEPER = f"{DAEMON}\nopen('started', 'w').close()\nimport time\ntime.sleep(300)"


def _marking(folder: Path) -> list[str]:
    first = write_course(folder / "teacher", ["s0"])
    (folder / "in/a1").mkdir(parents=True)
    (folder / "in/a1/s0.ipynb").write_text(notebook(first["s0"], SLEEPER), "utf-8")
    return ["course", "mark", "in", "--key", "teacher", "--out", "marks"]


def _audit(folder: Path) -> list[str]:
    (folder / "curator.py").write_text(SLEEPER, "utf-8")
    frame = pd.DataFrame({"age": [*range(50)] * 8, "ill": ["no", "yes"] * 200})
    frame.to_csv(folder / "people.csv", index=False)
    curator = f"{sys.executable} curator.py {{half}} {{release}}"
    return ["audit", "people.csv", "--sensitive", "ill", "--curator", curator, "--workers", "2"]


@pytest.mark.thorough("killed commands and what they leave")
@linux
@pytest.mark.parametrize("stop", [False, True], ids=["running", "stopped"])
@pytest.mark.parametrize("wish", WAYS)
@pytest.mark.parametrize("command", [_marking, _audit])
def test_no_process_of_a_killed_command_lives_five_seconds_longer(command, wish, stop, tmp_path):
    """The program has left a daemon, and all of them may have been stopped."""
    words = [*command(tmp_path), "--sandbox", wish]
    (tmp_path / "temporary").mkdir()
    env = os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path / "temporary")}
    env |= {"HOME": str(tmp_path), "JOBLIB_TEMP_FOLDER": str(tmp_path / "temporary")}
    lib, how = [sys.executable, "-m", "lib"], {"cwd": tmp_path, "env": env}
    with open(tmp_path / "said", "wb") as said:
        running = subprocess.Popen([*lib, *words], stdout=said, stderr=said, **how)
    assert _wait(lambda: bool(still_here()) or running.poll() is not None, 120)
    pids = [pid for pid in _children(running.pid) if _alive(pid)]
    assert len(pids) >= 3, (tmp_path / "said").read_text("utf-8")
    for pid in pids if stop else ():
        os.kill(pid, signal.SIGSTOP)
    running.kill()
    running.wait(10)
    assert _wait(lambda: not any(map(_alive, pids)) and not still_here(), 10)
    shared = [name for name in os.listdir("/dev/shm") if f"{running.pid}" in name]
    assert _wait(lambda: not any(os.path.exists(f"/dev/shm/{name}") for name in shared), 5)
    # the next command, whichever, removes what it had in the folder for temporary files
    subprocess.run([*lib, "data", "list"], check=True, capture_output=True, **how)
    assert not list((tmp_path / "temporary").glob(f"{PREFIX}*"))


@linux
def test_what_killed_processes_left_is_cleared_and_what_others_write_stays(tmp_path, monkeypatch):
    shared = tmp_path / "shm"
    shared.mkdir()
    monkeypatch.setattr("lib.files._SHARED", shared)
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    for name in (f"sem.loky-{dead.pid}-abc", f"sem.loky-{os.getpid()}-abc", "sem.other"):
        (shared / name).touch()
    (shared / f"joblib_memmapping_folder_{dead.pid}_x").mkdir()
    names = ["grid.parquet", "grid.77.tmp", "busy.journal", "busy.77.tmp", "letter.77.tmp"]
    for name in (*names, f"{PREFIX}1", f"{PREFIX}1.lock", f"{PREFIX}2", f"{PREFIX}2.lock"):
        (tmp_path / name).touch()
    with FileLock(tmp_path / "busy.lock"), FileLock(tmp_path / f"{PREFIX}2.lock"):
        clear_leftovers([tmp_path, tmp_path / "none"])
    left = {path.name for path in tmp_path.iterdir() if path.suffix != ".lock"}
    assert left == {"shm", "grid.parquet", "busy.journal", "busy.77.tmp", "letter.77.tmp"} | {
        f"{PREFIX}2"
    }
    kept = {f"sem.loky-{os.getpid()}-abc", "sem.other"}
    assert {path.name for path in shared.iterdir()} == kept
