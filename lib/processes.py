"""Child processes that end with this one, however it ends.

A process that is killed runs no clean-up of its own. So a worker watches its
parent, and any other program runs under a *leash*: a small process that ends
the program, and what it has started, when the pipe to this process closes. On
Linux what is orphaned becomes the leash's child, so a session of its own or a
second fork does not escape it; who has the same account can still kill the leash.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import IO, NoReturn

# two processes side by side fill two cores; results do not depend on the number of threads
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_GRACE = 1.0  # seconds between the request to end and the end
_WATCH = 0.25  # seconds between two looks of a worker at its parent
_MOST = 2**26  # bytes of what a program has printed that are read, from the end
_LINUX = sys.platform == "linux"
_PDEATHSIG, _SUBREAPER = 1, 36  # of prctl(2)
_running: set[subprocess.Popen] = set()
_NOT_STARTED, _REFUSED = 127, "cannot start "  # exit status, and first words of the leash


def end_with_parent() -> None:
    """Make this process a worker: Ctrl-C is its parent's to answer, and it ends when that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    adopt_orphans()
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_WATCH)
        end_all()

    threading.Thread(target=watch, daemon=True).start()


def wake_with_parent(*, children: bool = False) -> None:
    """Wake when the parent ends: who was stopped (SIGSTOP) has to end, too. On Linux alone.

    With ``children`` this process wakes those below it, which have another parent to end with.
    """

    def pass_on(number: int, frame: FrameType | None) -> None:
        for pid in _below(os.getpid()):
            with suppress(OSError):
                os.kill(pid, number)

    if _LINUX:
        if children:
            signal.signal(signal.SIGCONT, pass_on)
        _at_parents_end(signal.SIGCONT)


def adopt_orphans() -> None:
    """:func:`wake_with_parent`, and be the parent of what is orphaned below this process."""
    wake_with_parent()
    if _LINUX:
        ctypes.CDLL(None).prctl(_SUBREAPER, 1)


def end_all() -> NoReturn:
    """End this process, whose parent has ended, with all that is below it."""
    _kill_below(os.getpid())
    for pid in (0, os.getppid()) if _LINUX else ():
        with suppress(OSError):  # what tidies up after the parent may have been stopped with it
            os.killpg(os.getpgid(pid), signal.SIGCONT)
    os._exit(1)


def _at_parents_end(number: int) -> None:
    """Let this process get a signal when its parent ends."""
    ctypes.CDLL(None).prctl(_PDEATHSIG, number)


def stop_on_sigterm() -> None:
    """Let SIGTERM raise ``SystemExit``, so that whatever is open is closed and cleaned up."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, stop)


def run_program(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
    cwd: str | None = None,
    private: bool = False,
    stdout: IO[bytes] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run ``command`` to its end and return its exit status and what it printed.

    It ends, with all that it has started, when ``timeout`` seconds are over, when an exception
    leaves this function, and when this process ends, be it by a kill. With ``private`` the files
    that it makes can be read by their owner alone. With ``stdout`` what it prints goes into
    that file, and is not returned.

    Raises
    ------
    FileNotFoundError, PermissionError
        If the command cannot be started.
    subprocess.TimeoutExpired
        If the time is over.

    Examples
    --------
    >>> run_program([sys.executable, "-c", "print(6 * 7)"]).stdout
    '42\\n'
    """
    leash = [sys.executable, "-S", "-E", __file__, *command]
    with (
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        subprocess.Popen(
            leash,
            stdin=subprocess.PIPE,
            stdout=stdout or out,
            stderr=err,
            env=env,
            cwd=cwd,
            umask=0o077 if private else -1,
        ) as process,
    ):
        _running.add(process)
        try:
            status = process.wait(timeout)
        except BaseException:
            # the pipe closes: the leash, also one that was stopped, ends the program, then itself
            assert process.stdin is not None
            process.stdin.close()
            if _LINUX:
                process.send_signal(signal.SIGCONT)
            try:
                process.wait(5 * _GRACE)
            except subprocess.TimeoutExpired:
                _kill_below(process.pid)
                process.kill()
            raise
        finally:
            _running.discard(process)
        said = []
        for file in (out, err):
            file.seek(max(0, file.seek(0, os.SEEK_END) - _MOST))
            said.append(file.read().decode("utf-8", "replace").replace("\r\n", "\n"))
    if status == _NOT_STARTED and said[1].startswith(_REFUSED):
        kind, _, message = said[1].removeprefix(_REFUSED).partition(": ")
        error = PermissionError if kind == "PermissionError" else FileNotFoundError
        raise error(message.strip())
    return subprocess.CompletedProcess(list(command), status, *said)


def end_programs() -> None:
    """End every program that another thread of this process waits for, with all it has started."""
    for process in list(_running):
        if process.stdin is not None:
            process.stdin.close()


def _hold(command: Sequence[str]) -> int:
    """The leash: start ``command`` in a group of its own, and end that when standard input ends."""
    adopt_orphans()
    with_it = partial(_at_parents_end, signal.SIGKILL) if _LINUX else None
    try:
        program = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=with_it
        )
    except OSError as error:
        print(f"{_REFUSED}{type(error).__name__}: {error}", file=sys.stderr)
        return _NOT_STARTED
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the parent ends what it wants ended

    def watch() -> None:
        while os.read(0, 1):
            pass
        _end(program)

    threading.Thread(target=watch, daemon=True).start()
    status = program.wait()
    _end(program)  # what it has left running
    return status if status >= 0 else 128 - status


def _end(program: subprocess.Popen) -> None:
    """Ask a program and its group to end, and kill what has not after :data:`_GRACE` seconds."""
    if not hasattr(os, "killpg"):  # Windows
        program.kill()
        return

    def tell(number: int) -> bool:
        try:
            os.killpg(program.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    end = time.monotonic() + _GRACE
    tell(signal.SIGTERM)
    while tell(0) and time.monotonic() < end:
        with suppress(ChildProcessError):  # adopted ones, too, stay in the group until waited for
            os.waitpid(-1, os.WNOHANG)
        time.sleep(0.01)
    if hasattr(signal, "SIGKILL"):
        tell(signal.SIGKILL)
    _kill_below(os.getpid())


def _kill_below(parent: int) -> None:
    """Kill what is below ``parent``, on Linux, until nothing is: also what has left its group."""
    end = time.monotonic() + 3 * _GRACE
    while _LINUX and (pids := _below(parent)) and time.monotonic() < end:
        for number in (signal.SIGSTOP, signal.SIGKILL):  # stopped, it starts no others meanwhile
            for pid in pids:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
        time.sleep(0.02)


def _below(parent: int) -> list[int]:
    """The processes below ``parent`` that have not ended."""
    above = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError), open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as f:
            state, whose, *_ = f.read().rpartition(")")[2].split()
            above[int(name)] = (int(whose), state)
    found: set[int] = set()
    below = {parent}
    while below:
        below = {pid for pid, (whose, _) in above.items() if whose in below} - found
        found |= below
    return [pid for pid in found if above[pid][1] != "Z"]


if __name__ == "__main__":
    sys.exit(_hold(sys.argv[1:]))
