"""Cells on a Dask cluster, each after its worker has shown that it can run it.

What a task needs travels as bytes, which only a worker reads. So the scheduler imports nothing of
a grid, and a worker that cannot import it fails with its name; the driver does not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any
from uuid import uuid4

import cloudpickle

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
            from lib.runner.provenance import provenance

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
