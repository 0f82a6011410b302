"""Cells on a Dask cluster, after every worker has shown that it can run them.

What a task needs travels as bytes, which only a worker reads. So the scheduler imports nothing of
a grid, and a worker that cannot import it fails with its name; the driver does not wait for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from uuid import uuid4

import cloudpickle

ANSWER_S = 16.0  # seconds for each worker to answer, and half for a first one to be there


def run_on_cluster(
    work: Callable[[Any], dict], cells: Iterable[Any], commit: str, wait_s: float = ANSWER_S
) -> Iterator[dict]:
    """What ``work`` returns for each cell, as it finishes, from the cluster of the current client.

    Raises
    ------
    ValueError
        Before any cell starts, if no worker is there within ``wait_s / 2`` seconds, or if one does
        not answer within ``wait_s``, cannot import what the cells need, or has ``lib`` at another
        commit than ``commit``.
    RuntimeError
        If a worker that joins later cannot import what the cells need, or if the scheduler is lost.
    """
    from dask.distributed import as_completed, get_client

    client: Any = get_client()
    where = client.scheduler.address
    tasks = [cloudpickle.dumps((work, cell)) for cell in cells]
    _refuse_unfit(client, tasks[0], commit, wait_s)
    call, _ = _travelling()
    run = uuid4().hex
    # the scheduler takes independent tasks in the order of their keys
    keys = [f"cell-{number:09d}-{run}" for number in range(len(tasks))]
    finished = as_completed(client.map(call, tasks, key=keys, pure=False), with_results=True)
    for future, record in finished:
        if future.cancelled():
            raise RuntimeError(
                f"the scheduler at {where} no longer has the cells; start the driver again"
            )
        yield record


def _travelling() -> tuple[Callable[[bytes], dict], Callable[[bytes], tuple[str, str]]]:
    """What a worker does with a task: call it, or say its commit and what it lacks.

    Functions that stand inside another travel as code, so that also a worker without ``lib``
    answers.
    """

    def call(task: bytes) -> dict:
        import os
        import pickle
        import socket

        try:
            work, cell = pickle.loads(task)
        except Exception as error:
            where = f"{socket.gethostname()} (process {os.getpid()}, started in {os.getcwd()})"
            raise RuntimeError(
                f"the worker on {where} cannot run the grid: {type(error).__name__}: {error}"
            ) from None
        return work(cell)

    def ask(task: bytes) -> tuple[str, str]:
        import os
        import pickle

        try:
            pickle.loads(task)
            from lib.runner.provenance import provenance

            return provenance()["commit"], ""
        except Exception as error:
            return "", f"{type(error).__name__}: {error} (it was started in {os.getcwd()})"

    return call, ask


def _refuse_unfit(client: Any, task: bytes, commit: str, wait_s: float) -> None:
    """A ``ValueError`` that names each worker that cannot run the task, and what it lacks."""
    where = client.scheduler.address
    try:
        client.wait_for_workers(1, timeout=wait_s / 2)
    except TimeoutError:
        raise ValueError(
            f"dask must be a scheduler with workers, got none at {where} within {wait_s / 2:g} s;"
            " start some with: python -m dask worker"
        ) from None
    answers = client.sync(_answers, client, task, wait_s)
    wrong = [
        f"{worker}: {lacks or f'lib at commit {its}, where the driver has {commit}'}"
        for worker, (its, lacks) in answers.items()
        if lacks or its != commit
    ]
    if wrong:
        raise ValueError(
            f"dask must be a scheduler whose workers can run the grid, got {len(wrong)} of"
            f" {len(answers)} at {where} that cannot: {'; '.join(wrong)}. Start workers with"
            " python -m dask worker in the folder of the grid's module, at the driver's commit"
        )


async def _answers(client: Any, task: bytes, wait_s: float) -> dict[str, tuple[str, str]]:
    """The commit of each worker, and what it lacks, all asked at once."""
    _, ask = _travelling()

    async def one(worker: str) -> tuple[str, str]:
        asked = client.run(ask, task, workers=[worker], on_error="return")
        try:
            found = (await asyncio.wait_for(asked, wait_s))[worker]
        except (TimeoutError, KeyError):
            return "", f"no answer within {wait_s:g} s"
        return found if isinstance(found, tuple) else ("", repr(found))

    # asked afresh: what the client remembers of the workers, it forgets every two seconds
    workers = list((await client.scheduler.identity(n_workers=-1))["workers"])
    return dict(zip(workers, await asyncio.gather(*map(one, workers)), strict=True))
