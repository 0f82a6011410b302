"""A folder of one's own beside the files of a cache, to make a file in before it is put in its
place.

A process that is killed leaves its folder behind; whoever makes the next one removes it. Its writer
holds a lock, which goes with the process however it ends, so that nothing is removed that somebody
is writing still: not by another process, in another container with process numbers of its own, nor
after any number of hours.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["PREFIX", "aside"]

PREFIX = ".companion-download-"


@contextmanager
def aside(folder: Path) -> Iterator[Path]:
    """A new folder in ``folder``, which is made if it is not there; gone afterwards, and so are
    those of killed writers.

    Raises
    ------
    OSError
        If ``folder`` cannot be made or written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _sweep(folder)
    made, lock = _locked(folder)
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
        os.close(lock)


def _locked(folder: Path) -> tuple[Path, int]:
    while True:
        made = Path(tempfile.mkdtemp(dir=folder, prefix=PREFIX))
        try:
            lock = os.open(made, os.O_RDONLY)
        except FileNotFoundError:  # swept between being made and being opened
            continue
        if _take(lock) is not False and made.is_dir():
            return made, lock
        os.close(lock)  # a sweeper was faster


def _take(lock: int) -> bool | None:
    """Whether the lock was had; None where the file system has no locks."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _sweep(folder: Path) -> None:
    for left in folder.glob(f"{PREFIX}*"):
        try:
            lock = os.open(left, os.O_RDONLY)
        except OSError:  # gone meanwhile, or somebody else's
            continue
        if _take(lock):
            shutil.rmtree(left, ignore_errors=True)
        os.close(lock)
