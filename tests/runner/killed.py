"""A sweep that kills its own process in the middle of a write; in a module of its own so that a
new process can import it.
"""

from __future__ import annotations

import fcntl
import os
import signal
from collections.abc import Callable
from pathlib import Path

from tests.runner import toy
from tests.runner.toy import ToyCell

CELLS = [ToyCell(number=i) for i in range(8)]


def _half_a_record(write: Callable, fd: int, line: bytes) -> None:
    write(fd, line[: len(line) // 2])


def _half_a_table(fsync: Callable, fd: int) -> None:
    os.ftruncate(fd, os.fstat(fd).st_size // 2)


def _appends(fd: int) -> bool:
    # the journal; the table is written anew
    return bool(fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_APPEND)


def _nothing(*_) -> None:
    pass


# where the call is, what it is called, which of its calls count, and what is still done of the last
# one
POINTS: dict[str, tuple[object, str, Callable, Callable]] = {
    "record half written": (os, "write", lambda fd, line: b'"cell"' in line, _half_a_record),
    "table half written": (os, "fsync", lambda fd: not _appends(fd), _half_a_table),
    "before the rename": (os, "replace", lambda old, new: str(new).endswith(".parquet"), _nothing),
    "before the journal goes": (
        Path,
        "unlink",
        lambda path, **_: path.suffix == ".journal",
        _nothing,
    ),
}


def arm(point: str, n: int) -> None:
    """Let the n-th call at ``point`` be the end of this process; nothing is closed, flushed or
    caught.
    """
    where, name, counts, last_deed = POINTS[point]
    call, left = getattr(where, name), n

    def patched(*arguments, **options):
        nonlocal left
        left -= counts(*arguments, **options)
        if left == 0:
            last_deed(call, *arguments)
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*arguments, **options)

    setattr(where, name, patched)


def sweep(path: Path, point: str | None = None, n: int = 1) -> None:
    """The whole sweep, to the end unless there is a ``point`` to die at."""
    if point is not None:
        arm(point, n)
    toy.sweep(path, CELLS)
