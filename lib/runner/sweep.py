"""Run the cells of a grid that are not done yet: in parallel, resumable, with progress and time
left.

The parent process alone writes to the store; workers return records. A cell is
a frozen dataclass; its key is the hash of its fields, so the same cell has the
same key in every run, whatever grid it came in.

To a Dask cluster a task travels as bytes, which only a worker reads. So the scheduler imports
nothing of a grid, and a worker that cannot import it fails with its name; the driver does not wait
for it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import uuid4

import joblib
import pandas as pd
from tqdm import tqdm

from lib import validate
from lib.programs import end_with_parent
from lib.runner.cell import cell_key
from lib.runner.records import RESERVED, provenance
from lib.runner.store import Store, StoreBusy, read_rows

WAIT_S = 8.0  # seconds for a first worker to be there


def run_on_cluster(
    work: Callable[[Any], dict], cells: Iterable[Any], commit: str, wait_s: float = WAIT_S
) -> Iterator[dict]:
    """What ``work`` returns for each cell, as it finishes, from the cluster of the current client.

    Raises
    ------
    ValueError
        If no worker is there within ``wait_s`` seconds.
    RuntimeError
        With the name of a worker that cannot import what the cells need, or has ``lib`` at another
        commit than ``commit``; or if the scheduler is lost.
    """
    import cloudpickle
    from dask.distributed import as_completed, get_client

    client: Any = get_client()
    where = client.scheduler.address
    try:
        client.wait_for_workers(1, timeout=wait_s)
    except TimeoutError:
        raise ValueError(
            f"dask must be a scheduler with workers, got none at {where} within {wait_s:g} s;"
            " start some with: python -m dask worker"
        ) from None
    tasks = [cloudpickle.dumps((work, cell)) for cell in cells]
    run = uuid4().hex
    # the scheduler takes independent tasks in the order of their keys
    keys = [f"cell-{number:09d}-{run}" for number in range(len(tasks))]
    futures = client.map(_travelling(commit), tasks, key=keys, pure=False)
    for future, record in as_completed(futures, with_results=True):
        if future.cancelled():
            raise RuntimeError(
                f"the scheduler at {where} no longer has the cells; start the driver again"
            )
        yield record


def _travelling(commit: str) -> Callable[[bytes], dict]:
    """What a worker does with a task. It travels as code, since it stands inside another function,
    so that also a worker without ``lib`` says what it lacks.
    """

    def call(task: bytes) -> dict:
        import os
        import pickle
        import socket

        try:
            work, cell = pickle.loads(task)
            from lib.runner.records import provenance

            if (own := provenance()["commit"]) != commit:
                raise ImportError(f"lib at commit {own}, where the driver has {commit}")
        except Exception as error:
            where = f"{socket.gethostname()} (process {os.getpid()}, started in {os.getcwd()})"
            raise RuntimeError(
                f"the worker on {where} cannot run the grid: {type(error).__name__}: {error};"
                " start workers with python -m dask worker in the folder of the grid's module, at"
                " the driver's commit"
            ) from None
        return work(cell)

    return call


def _finish(run: Callable[..., dict], cell: Any) -> dict:
    start, key, parameters = time.perf_counter(), cell_key(cell), asdict(cell)
    whose = f"cell {key} ({cell!r})"
    try:
        result = run(cell)
    except MemoryError as error:  # which says nothing, least of all in whose work
        raise RuntimeError(f"{whose} needs more memory than there is") from error
    names = [*RESERVED, *parameters, *result]
    if taken := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(
            f"{whose}: fields named {', '.join(map(repr, taken))} are not allowed: these names are"
            " parameters of the cell or reserved"
        )
    wall_s, created = time.perf_counter() - start, datetime.now(UTC).isoformat(timespec="seconds")
    made = provenance() | {"wall_s": wall_s, "created": created}
    return {"cell": key} | parameters | result | made


def _finished(
    work: Callable[[Any], dict], cells: Iterable[Any], workers: int, backend: str
) -> Iterable[dict]:
    """A record of each cell, as it finishes."""
    if backend == "dask":
        return run_on_cluster(work, cells, provenance()["commit"])
    parallel = joblib.Parallel(
        workers,
        backend,
        return_as="generator_unordered",  # in batches as large as measured cells are short
        initializer=end_with_parent,
        initargs=(os.getpid(),),
    )
    return parallel(joblib.delayed(work)(cell) for cell in cells)


def run_sweep(
    cells: Iterable[Any],
    run: Callable[..., dict],
    store: Store,
    *,
    workers: int = 1,
    backend: str = "loky",
    cost: Callable[..., float] = lambda cell: 1.0,
    progress: bool = True,
) -> pd.DataFrame:
    """Run every cell that ``store`` does not hold, append each as it finishes, return all records.

    Where there is something to run, this process becomes the store's writer before
    the first cell starts. Where there is not, another process may go on writing. However the call
    ends, what was finished is folded into the Parquet file; after a kill the next call does it.

    Parameters
    ----------
    cells : iterable of dataclass instances
        In the order in which they should be run.
    run : callable
        Cell to a flat dictionary of results: text, truth values, numbers (NumPy's,
        too) or None, under names that are neither the cell's parameters nor
        ``lib.runner.records.RESERVED``; what it has of many groups stands under ``scores``, a list
        of such dictionaries (:mod:`lib.runner.tables`). Must be picklable for workers > 1.
    workers : int
        Processes. With ``backend="dask"`` the running client decides.
    backend : str
        A joblib backend: "loky", "threading", "dask" (a ``dask.distributed``
        client must be active), "sequential".
    cost : callable
        Relative cost of a cell; the bar and its estimate of the time left
        count cost, not cells.

    Raises
    ------
    ValueError
        For a bad argument, or a result that cannot be stored; it names the cell and the field.
    StoreBusy
        If there is something to run and another process writes to ``store``; no cell has started
        then.
    """
    validate.integer("workers", workers, low=1)
    wanted = {cell_key(cell): cell for cell in cells}
    if all(key in store for key in wanted):
        if read_rows(store.database):  # those of a killed run; of one that still writes they stay
            with suppress(StoreBusy), store.writing():
                pass
        return store.frame()
    with store.writing():
        # another process may have finished some since
        todo = {key: cell for key, cell in wanted.items() if key not in store}
        costs = {key: cost(cell) for key, cell in todo.items()}
        with tqdm(
            total=sum(costs.values()) * (1 + 1e-9),  # which no other order of the sum exceeds
            disable=not progress,
            unit="cost",
            mininterval=5,
            bar_format="{l_bar}{bar}| {n:.0f}/{total:.0f} [{elapsed}<{remaining}]",
        ) as bar:
            for record in _finished(partial(_finish, run), todo.values(), workers, backend):
                store.append(record)
                bar.update(costs[record["cell"]])
    return store.frame()


def available_workers() -> int:
    """One thread fewer than the machine has, at least one."""
    return max(1, (os.cpu_count() or 2) - 1)
