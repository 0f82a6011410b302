"""A chapter that runs, and its kernel, end with the build."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial

import pytest

from lib.paths import ROOT
from tests.press.conftest import write_notebook
from tests.test_programs import linux, wait

BUILD = """
import signal, sys
from pathlib import Path
from press.execute import execute
from press.toc import Page
signal.signal(signal.SIGTERM, lambda number, _: sys.exit(1))
folder = Path(sys.argv[1])
execute([Page("page", folder)], {"profile": "quick"}, folder / "out", progress=False)
"""
PAGE = """
import os, time
with open("part", "w") as file:
    file.write(f"{os.getpid()} {os.getppid()}")
os.replace("part", "pids")
time.sleep(300)
"""


def _gone(pid: int) -> bool:
    """A zombie that nobody waits for has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@linux
@pytest.mark.parametrize(
    "number",
    [
        "SIGINT",
        *(
            pytest.param(n, marks=pytest.mark.thorough("more signals"))
            for n in ("SIGTERM", "SIGKILL")
        ),
    ],
)
def test_a_chapter_and_its_kernel_end_with_the_build(number, tmp_path):
    write_notebook(tmp_path / "page.ipynb", PAGE)
    (tmp_path / "lib").mkdir()
    listen = partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    build = subprocess.Popen(
        [sys.executable, "-c", BUILD, str(tmp_path)],
        cwd=ROOT,
        stderr=subprocess.DEVNULL,
        preexec_fn=listen,
    )
    assert wait((tmp_path / "pids").exists, 60)
    pids = [int(pid) for pid in (tmp_path / "pids").read_text(encoding="utf-8").split()]
    assert not any(map(_gone, pids))
    os.kill(build.pid, getattr(signal, number))
    assert wait(lambda: all(map(_gone, pids)), 20)
    build.wait(20)
