"""A folder of one's own beside the files of a cache, to make a file in before it is put in place.

A process that is killed leaves its folder behind; the next writer removes it. A writer holds a
lock beside its folder, which goes with the process however it ends. So nothing is removed that
somebody is still writing: not by another process, nor in another container.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from filelock import FileLock

__all__ = ["PREFIX", "locked_tempdir"]

PREFIX = ".companion-download-"


@contextmanager
def locked_tempdir(folder: Path) -> Iterator[Path]:
    """A new folder inside ``folder``, removed afterwards; those of killed writers are, too.

    Raises
    ------
    OSError
        If ``folder`` cannot be made or written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob(f"{PREFIX}*.lock"):
        with suppress(OSError), FileLock(left, timeout=0):  # a Timeout, too, is an OSError
            _remove(left)
    made = folder / f"{PREFIX}{uuid4().hex}"
    lock = made.with_suffix(".lock")
    with FileLock(lock, timeout=0):
        made.mkdir()
        try:
            yield made
        finally:
            _remove(lock)


def _remove(lock: Path) -> None:
    """Remove the folder of ``lock``, and it: before it is released, so that nobody waits for it."""
    shutil.rmtree(lock.with_suffix(""), ignore_errors=True)
    with suppress(OSError):  # Windows removes it on release
        lock.unlink()
