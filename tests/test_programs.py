"""Programs by other people: their time, what they leave behind, and what they reach if contained."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from lib import programs
from lib.paths import ROOT
from tests.programs import python as start
from tests.programs import wait

contains = pytest.mark.skipif(
    not programs.bubblewrap_works(), reason="bubblewrap is not installed here, or may not run"
)
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
BOTH = pytest.mark.parametrize("contained", [pytest.param(True, marks=contains), False])
# does not listen to SIGTERM, and has a child
DEAF = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
command = [sys.executable, "-c", "import time; time.sleep(300)", sys.argv[1]]
subprocess.Popen(command, start_new_session=len(sys.argv) > 2)
open("started", "w").close()
time.sleep(300)
"""
PARENT = """
import signal, sys
from pathlib import Path
from lib import programs
signal.signal(signal.SIGTERM, lambda number, _: sys.exit(1))
signal.signal(signal.SIGINT, signal.default_int_handler)
command, contained = [sys.executable, "-c", *sys.argv[3:]], sys.argv[2] == "True"
programs.run(command, Path(sys.argv[1]), seconds=None, contained=contained)
"""


def python(code: str, folder: Path, *words: str, contained: bool, **how):
    asked = {"seconds": 60, "contained": contained} | how
    return programs.run([sys.executable, "-c", code, *words], folder, **asked)


AGAIN = """
from lib.programs import need_assertions, start_again
start_again()
need_assertions()
import os, sys
print(sys.argv, sorted({*os.environ} & {*sys.argv[1].split()}), os.environ["HOME"])
"""


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a shell would not wait")
def test_a_program_whose_results_count_gets_few_variables(tmp_path):
    """And is found where it was, with the words it was called with."""
    (tmp_path / "sitecustomize.py").write_text("print('of the reader')", "utf-8")
    hostile = dict.fromkeys("JAX_ENABLE_X64 PANDAS_FUTURE_INFER_STRING MPLBACKEND".split(), "1")
    hostile |= {"PYTHONOPTIMIZE": "2", "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", "HOME": "/x"}
    done = start("-c", AGAIN, " ".join(hostile), "two words", cwd=tmp_path, **hostile)
    shown = ["-c", " ".join(hostile), "two words"], ["HOME", "PYTHONPATH"], "/x"
    assert done.stdout == "of the reader\n" + " ".join(map(str, shown)) + "\n"
    refused = start("-OO", "-c", AGAIN, "", cwd=ROOT, check=False)
    assert refused.stderr.endswith(
        "ValueError: assertions must be on to judge by them, got python -O\n"
    )


def left(mark: str) -> list[str]:
    """The processes with a word in their command line; a zombie has ended, and has none."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        found += [pid] if mark.encode() in line else []
    return found


# --- its end


@linux
@BOTH
@pytest.mark.parametrize("number", ["SIGTERM", "SIGINT", "SIGKILL"])
def test_a_program_and_its_child_end_within_five_seconds_of_this_process(
    number, contained, tmp_path
):
    mark = f"mark of {tmp_path}"
    words = [sys.executable, "-c", PARENT, str(tmp_path), str(contained), DEAF, mark]
    parent = subprocess.Popen(words, cwd=ROOT, stderr=subprocess.DEVNULL)
    assert wait((tmp_path / "started").exists, 60)
    assert len(left(mark)) >= 3
    parent.send_signal(getattr(signal, number))
    parent.wait(10)
    assert wait(lambda: not left(mark), 5), left(mark)


@linux
@BOTH
def test_a_program_and_its_child_end_when_its_time_is_over(contained, tmp_path):
    """Of a contained program also a child in a session of its own."""
    mark = f"mark of {tmp_path}"
    with pytest.raises(subprocess.TimeoutExpired):
        python(DEAF, tmp_path, mark, *["apart"] * contained, contained=contained, seconds=5)
    assert (tmp_path / "started").exists()
    assert wait(lambda: not left(mark), 5), left(mark)


@linux
@BOTH
def test_what_a_program_leaves_running_ends_with_it(contained, tmp_path):
    mark = f"mark of {tmp_path}"
    code = DEAF.rpartition("time.sleep")[0]
    assert python(code, tmp_path, mark, contained=contained).returncode == 0
    assert wait(lambda: not left(mark), 5), left(mark)


@BOTH
def test_what_a_program_prints_and_its_status_come_back(contained, tmp_path, monkeypatch):
    folder = tmp_path / "a folder, ä"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)  # Python by a relative path was contained without its packages
    monkeypatch.setattr(sys, "executable", os.path.relpath(sys.executable))
    code = "import numpy, os, sys; open('made', 'w'); print('ä', os.getcwd()); sys.exit('no')"
    done = python(code, folder, contained=contained)
    assert (done.returncode, done.stdout, done.stderr) == (1, f"ä {folder}\n", "no\n")
    assert (folder / "made").exists()


def test_a_program_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no program 'no-such-program'"):
        programs.run(["no-such-program"], tmp_path, seconds=5, contained=False)


# --- what it reaches


@BOTH
def test_a_program_gets_no_other_variables_and_the_packages_of_this_python(
    contained, tmp_path, monkeypatch
):
    monkeypatch.setenv("PASSWORD", "secret")
    code = "import os, sys, pandas; print(sys.prefix, *sorted(os.environ), sep='\\n')"
    done = python(code, tmp_path, contained=contained, env={"OWN": "1"})
    prefix, *names = done.stdout.splitlines()
    assert prefix == sys.prefix, done.stderr
    assert {"HOME", "TMPDIR", "PATH", "OWN"} <= set(names)
    assert "PASSWORD" not in names


# an attempt of a contained program, and what is raised
ATTEMPTS = {
    "reads a file beside its folder": ("open({outside!r}).read()", "FileNotFoundError"),
    "reads this repository": ("open({here!r}).read()", "FileNotFoundError"),
    "writes beside its folder": ("open({outside!r}, 'w')\nsys.exit('into memory')", "into memory"),
    "changes Python": ("open(sys.executable, 'a')", "Read-only|busy|Permission"),
    "changes a setting": ("open('/proc/sys/kernel/core_pattern', 'a')", "Read-only|Permission"),
    "calls somebody": (
        "import socket; socket.create_connection(('127.0.0.1', {port}), 5)",
        "ConnectionRefusedError",
    ),
    "ends others": ("import os; os.kill({pid}, 9)", "ProcessLookupError"),
}


@contains
@pytest.mark.parametrize("name", ATTEMPTS)
def test_a_contained_program_reaches_its_folder_alone(name, tmp_path):
    own, outside = tmp_path / "own", tmp_path / "letter"
    own.mkdir()
    outside.write_text("private", encoding="utf-8")
    code, said = ATTEMPTS[name]
    with socket.create_server(("127.0.0.1", 0)) as server:
        given = {"outside": str(outside), "here": __file__, "pid": os.getpid()}
        code = code.format(**given, port=server.getsockname()[1])
        done = python(f"import sys\n{code}", own, contained=True)
    assert done.returncode == 1
    assert re.search(said, done.stderr), done.stderr
    assert outside.read_text(encoding="utf-8") == "private"


@pytest.mark.skipif(os.name != "posix", reason="a program of the shell")
@pytest.mark.parametrize("there", [True, False])
def test_where_bubblewrap_does_not_work_this_is_said_and_can_be_refused(
    there, tmp_path, monkeypatch
):
    fake = tmp_path / "bwrap"
    if there:
        fake.write_text("#!/bin/sh\necho refused >&2\nexit 1\n", encoding="utf-8")
        fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    programs.bubblewrap_works.cache_clear()
    try:
        assert programs.containment(required=False) is False
        with pytest.raises(RuntimeError, match="where bubblewrap is not installed or may not run"):
            programs.containment(required=True)
    finally:
        programs.bubblewrap_works.cache_clear()
