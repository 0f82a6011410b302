"""Children end with their parent, also where it is killed and can clean up nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from lib.paths import ROOT
from lib.processes import run_program
from tests.press.conftest import write_notebook

# a program that does not listen to SIGTERM, with a child that does not either; it says who they are
DEAF = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if len(sys.argv) > 2:
    child = subprocess.Popen([sys.executable, sys.argv[0], "child"])
    open(sys.argv[1] + ".part", "w").write(f"{os.getpid()} {child.pid}")
    os.replace(sys.argv[1] + ".part", sys.argv[1])
time.sleep(300)
"""
# a program whose child has left it by a second fork, for a session of its own
APART = """
import os, sys, time
if not os.fork():
    os.setsid()
    if pid := os.fork():
        open(sys.argv[1] + ".part", "w").write(f"{os.getppid()} {pid}")
        os.replace(sys.argv[1] + ".part", sys.argv[1])
        os._exit(0)
    os.setsid()
time.sleep(300)
"""
PARENT = """
import sys
from lib.processes import run_program, stop_on_sigterm
stop_on_sigterm()
run_program([sys.executable, *sys.argv[1:]])
"""
THREADS = """
import sys
from concurrent.futures import ThreadPoolExecutor
from lib.processes import end_programs, run_program, stop_on_sigterm
stop_on_sigterm()
with ThreadPoolExecutor(1) as pool:
    job = pool.submit(run_program, [sys.executable, *sys.argv[1:]])
    try:
        job.result()
    except BaseException:
        end_programs()
        raise
"""
SWEEP = ["-m", "lib", "run", "tests.runner.toy:GRID", "--workers", "2"]


def _of(pid: int, name: str) -> str:
    """A file about a process; nothing if it has ended."""
    try:
        return Path(f"/proc/{pid}/{name}").read_text("utf-8", "replace")
    except OSError:
        return ""


def _alive(pid: int) -> bool:
    """A zombie that nobody waits for has ended."""
    stat = _of(pid, "stat")
    return bool(stat) and stat.rpartition(")")[2].split()[0] != "Z"


def _ended(pids, seconds: float = 5) -> bool:
    """Whether none is alive after so long."""
    return _wait(lambda: not any(map(_alive, pids)), seconds)


def _wait(condition, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def _children(parent: int) -> list[int]:
    """The processes below ``parent``, from all levels."""
    table = subprocess.run(["ps", "-eo", "pid,ppid"], capture_output=True, text=True, check=True)
    of = [tuple(map(int, line.split())) for line in table.stdout.splitlines()[1:]]
    below, found = {parent}, []
    for _ in range(6):
        found = [pid for pid, above in of if above in below]
        below |= set(found)
    return sorted(below - {parent})


linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture
def deaf(tmp_path):
    (tmp_path / "deaf.py").write_text(DEAF, encoding="utf-8")
    return [str(tmp_path / "deaf.py"), str(tmp_path / "pids"), "with a child"]


def _pids(deaf) -> list[int]:
    assert _wait(lambda: os.path.exists(deaf[1]), 60)
    return [int(pid) for pid in Path(deaf[1]).read_text("utf-8").split()]


def _start(code: str, *words: str) -> subprocess.Popen:
    """A program of Python that listens to an interrupt, as one in a terminal does."""
    listen = partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    command = [sys.executable, "-c", code, *words]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL, preexec_fn=listen)


def _more(number: str):
    return pytest.param(number, marks=pytest.mark.thorough("more signals"))


def _send(program: subprocess.Popen, number: str, pids: list[int]) -> None:
    """A signal by its name; after ", stopped" all processes below are added and stopped first."""
    number, _, stop = number.partition(", ")
    pids += [pid for pid in _children(program.pid) if stop and pid not in pids]
    for pid in filter(_alive, pids) if stop else ():
        os.kill(pid, signal.SIGSTOP)
    program.send_signal(getattr(signal, number))


@linux
@pytest.mark.parametrize(
    ("code", "number"),
    [(PARENT, "SIGTERM"), (PARENT, "SIGKILL"), (THREADS, "SIGTERM"), (THREADS, "SIGINT")],
    ids=["parent, TERM", "parent, KILL", "thread, TERM", "thread, INT"],
)
def test_a_program_and_its_children_end_within_five_seconds_of_the_parent(code, number, deaf):
    """A build that waited in a thread waited for all of its chapters."""
    parent = _start(code, *deaf)
    pids = _pids(deaf)
    assert all(map(_alive, pids))
    parent.send_signal(getattr(signal, number))
    assert _ended(pids)
    parent.wait(10)


@linux
@pytest.mark.parametrize("stop", [False, True], ids=["running", "stopped"])
def test_a_session_of_its_own_and_a_stop_let_nothing_outlive_a_kill(stop, tmp_path):
    """A grandchild wrote on for minutes; a process that is stopped does not see its parent end."""
    (tmp_path / "apart.py").write_text(APART, encoding="utf-8")
    words = [str(tmp_path / "apart.py"), str(tmp_path / "pids")]
    parent = _start(PARENT, *words)
    pids = {*_pids(["", words[1]]), *_children(parent.pid)}
    assert len(pids) >= 3
    for pid in pids if stop else ():
        os.kill(pid, signal.SIGSTOP)
    parent.kill()
    parent.wait(10)
    assert _ended(pids)


@linux
@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGKILL], ids=lambda s: s.name)
def test_a_program_against_its_leash_ends_when_its_time_is_over(number, tmp_path):
    script = f"import os, time; os.kill(os.getppid(), {int(number)}); time.sleep(300)"
    start = time.monotonic()
    try:
        done = run_program([sys.executable, "-c", script, str(tmp_path)], timeout=3)
        assert done.returncode == -number
    except subprocess.TimeoutExpired:
        assert number == signal.SIGSTOP
    assert time.monotonic() - start < 20

    def left() -> list[str]:
        here = filter(str.isdigit, os.listdir("/proc"))
        return [pid for pid in here if str(tmp_path) in _of(int(pid), "cmdline")]

    # the kernel ends it with its leash, but it may come to that a moment after we learn of it
    assert _wait(lambda: not left(), 5), left()


@linux
def test_a_program_ends_when_its_time_is_over(deaf):
    with pytest.raises(subprocess.TimeoutExpired):
        run_program([sys.executable, *deaf], timeout=4)
    assert not any(map(_alive, _pids(deaf)))


@linux
@pytest.mark.parametrize("number", ["SIGTERM", "SIGKILL, stopped", _more("SIGKILL")])
def test_workers_of_a_sweep_end_within_five_seconds_of_it(number, tmp_path):
    how = {"env": os.environ | {"PYTHONPATH": str(ROOT)}, "stderr": subprocess.DEVNULL}
    sweep = subprocess.Popen([sys.executable, *SWEEP], cwd=tmp_path, **how)
    rows = tmp_path / "results" / "toy.sqlite"
    assert _wait(lambda: rows.exists() and rows.stat().st_size > 0, 120)
    pids = _children(sweep.pid)
    assert len(pids) >= 2
    _send(sweep, number, pids)
    sweep.wait(10)
    assert _ended(pids)
    shared = [name for name in os.listdir("/dev/shm") if f"{sweep.pid}" in name]
    assert _wait(lambda: not any(os.path.exists(f"/dev/shm/{name}") for name in shared), 5)


BUILD = """
import sys
from pathlib import Path
from press.execute import execute
from press.toc import Page
from lib.processes import stop_on_sigterm
stop_on_sigterm()
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


@linux
@pytest.mark.parametrize(
    "number", ["SIGINT", "SIGKILL, stopped", _more("SIGTERM"), _more("SIGKILL")]
)
def test_a_chapter_and_its_kernel_end_with_the_build(number, tmp_path):
    write_notebook(tmp_path / "page.ipynb", PAGE)
    (tmp_path / "lib").mkdir()
    build = _start(BUILD, str(tmp_path))
    assert _wait((tmp_path / "pids").exists, 60)
    pids = [int(pid) for pid in (tmp_path / "pids").read_text(encoding="utf-8").split()]
    assert all(map(_alive, pids))
    _send(build, number, pids)
    assert _ended(pids, 20)
    build.wait(20)


def test_what_a_program_prints_and_its_status_come_back():
    done = run_program([sys.executable, "-c", "import sys; print('ä'); sys.exit('no')"])
    assert (done.returncode, done.stdout.strip(), done.stderr.strip()) == (1, "ä", "no")


def test_a_program_that_is_not_there_is_named():
    # on a path with a folder that this user may not read, it cannot be told from a forbidden one
    with pytest.raises((FileNotFoundError, PermissionError), match="no-such-program"):
        run_program(["no-such-program"])
