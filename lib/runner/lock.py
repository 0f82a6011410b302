"""The right to write, which one process has at a time: a lock, for as long as its file is there.

The system locks a file, not its name. Where somebody deletes the file, another process may lock a
new one of that name, so the holder asks before each write whether the name is still its file's. It
asks and writes in one step (:meth:`WriterLock.alone`), which the lock of the folder keeps whole.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from lib.runner.errors import StoreBusy


class WriterLock:
    """The lock of a results file, held from now on.

    Raises
    ------
    StoreBusy
        If another process holds it.
    """

    def __init__(self, table: Path) -> None:
        self._table, self._path = table, table.with_suffix(".lock")
        self._lock = FileLock(self._path, timeout=0)
        try:
            self._lock.acquire()
        except Timeout:
            raise StoreBusy(
                f"another process is writing to {table}; wait for it or stop it"
            ) from None
        try:
            self.refuse_lost()  # deleted between opening and locking
        except StoreBusy:
            self.release()
            raise

    def is_held(self) -> bool:
        """Whether the file under the lock's name is the one that this process has locked."""
        fd = self._lock._context.lock_file_fd
        try:
            return fd is not None and os.path.samestat(os.fstat(fd), self._path.lstat())
        except FileNotFoundError:
            return False

    def refuse_lost(self) -> None:
        """A :class:`StoreBusy` unless the lock is held still."""
        if not self.is_held():
            raise StoreBusy(
                f"{self._path} was deleted or replaced, so another process may be writing to"
                f" {self._table}; run again"
            )

    @contextmanager
    def alone(self) -> Iterator[None]:
        """A step that no other writer takes meanwhile, which begins only if the lock is held.

        A folder with results in it cannot be deleted as the lock's file can. Windows locks no
        folder, and has none of this: there an open file is not deleted either.
        """
        fd = None
        with suppress(ImportError, OSError):  # not on Windows, nor on every network drive
            import fcntl

            fd = os.open(self._table.parent, os.O_RDONLY)
            fcntl.flock(fd, fcntl.LOCK_EX)
        try:
            self.refuse_lost()
            yield
        finally:
            if fd is not None:
                os.close(fd)

    def release(self) -> None:
        """Let another process write. The lock also goes with the process, however it ends."""
        self._lock.release()
