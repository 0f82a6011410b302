"""What killed commands have left is removed by the next one."""

from __future__ import annotations

import os
import subprocess
import sys

from filelock import FileLock

from lib.files import PREFIX, clear_leftovers
from tests.test_programs import linux


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
    for name in (
        "grid.parquet",
        "letter.77.tmp",
        f"{PREFIX}1",
        f"{PREFIX}1.lock",
        f"{PREFIX}2",
        f"{PREFIX}2.lock",
    ):
        (tmp_path / name).touch()
    with FileLock(tmp_path / f"{PREFIX}2.lock"):
        clear_leftovers([tmp_path, tmp_path / "none"])
    left = {path.name for path in tmp_path.iterdir() if path.suffix != ".lock"}
    assert left == {"shm", "grid.parquet", "letter.77.tmp", f"{PREFIX}2"}
    kept = {f"sem.loky-{os.getpid()}-abc", "sem.other"}
    assert {path.name for path in shared.iterdir()} == kept
