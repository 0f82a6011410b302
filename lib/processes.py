"""Child processes that end with this one, however it ends.

A process that is killed runs no clean-up of its own. So a worker watches its
parent, and any other program runs under a *leash*: a small process that ends
the program, and what it has started, when the pipe to this process closes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from types import FrameType

# two processes side by side fill two cores; results do not depend on the number of threads, which
# `make shake` checks with another one
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
    os.environ.get("COMPANION_THREADS", "1"),
)
_GRACE = 1.0  # seconds between the request to end and the end
_WATCH = 0.25  # seconds between two looks of a worker at its parent
_running: set[subprocess.Popen] = set()
_NOT_STARTED, _REFUSED = 127, "cannot start "  # exit status, and first words of the leash


def end_with_parent() -> None:
    """Make this process a worker: Ctrl-C is its parent's to answer, and it ends when that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_WATCH)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


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
) -> subprocess.CompletedProcess[str]:
    """Run ``command`` to its end and return its exit status and what it printed.

    It ends, with all that it has started, when ``timeout`` seconds are over, when an exception
    leaves this function, and when this process ends, be it by a kill. With ``private`` the files
    that it makes can be read by their owner alone.

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
            stdout=out,
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
            # the pipe closes: the leash ends the program, then itself
            process.communicate()
            raise
        finally:
            _running.discard(process)
        said = []
        for file in (out, err):
            file.seek(0)
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
    try:
        program = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
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
        program.poll()
        time.sleep(0.02)
    if hasattr(signal, "SIGKILL"):
        tell(signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(_hold(sys.argv[1:]))
