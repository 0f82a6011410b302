"""A writer in a process of its own, one record at a time as it is told; in a module of its own so
that a new process can import it.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

from lib.runner.errors import StoreError
from lib.runner.store import Store


def obey(path: Path, pipe: Connection) -> None:
    """Append each number that comes, fold at ``"fold"``, and answer ``"done"`` or the error."""
    store = Store(path, version="1")
    while (told := pipe.recv()) is not None:
        try:
            if told == "fold":
                store.compact()
            else:
                store.append({"cell": f"{told:04d}", "number": told})
            pipe.send("done")
        except StoreError as error:
            pipe.send(f"{type(error).__name__}: {error}")
    store.close()


@contextmanager
def writer(path: Path) -> Iterator[Callable[[int | str], str]]:
    """A process that obeys; what is called with an order returns its answer."""
    ours, theirs = multiprocessing.Pipe()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.runner.writers"])
    process = context.Process(target=obey, args=(path, theirs))
    process.start()

    def tell(order: int | str) -> str:
        ours.send(order)
        assert ours.poll(60), "the writer does not answer"
        return ours.recv()

    try:
        yield tell
    finally:
        ours.send(None)
        process.join(60)
