"""A process for each of the two tables, so that nothing but the answers passes between the fits.

A program that keeps something of its first table in memory gives it to the second fit as well. Both
then release the same, and a comparison within one process sees nothing.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from types import SimpleNamespace

import numpy as np

from studies.privacy_audit.replay import Fit, Half, Replay, half, replay

OneRun = Callable[[Callable[[], np.random.Generator]], Replay]


def can_isolate() -> bool:
    """Whether a copy of this process would work: not in a browser, and not once JAX has threads."""
    return (
        hasattr(os, "fork")
        and sys.platform != "emscripten"
        and not getattr(sys.modules.get("jax._src.xla_bridge"), "_backends", None)
        and not multiprocessing.current_process().daemon
    )


@contextmanager
def two_sides(fit: Fit, table: object, neighbour: object) -> Iterator[OneRun]:
    """A function that runs ``fit`` on ``table`` and replays it on ``neighbour``.

    Each table has a process for all its fits where :func:`can_isolate` says so; otherwise both are
    fitted here.
    """
    if not can_isolate():
        yield partial(replay, fit, table, neighbour)
        return
    context = multiprocessing.get_context("fork")
    pipes, processes = [], []
    try:
        for data in (table, neighbour):
            here, there = context.Pipe()
            process = context.Process(target=_serve, args=(there, fit, data), daemon=True)
            process.start()
            there.close()
            pipes.append(here)
            processes.append(process)
        yield partial(_run, *(partial(_asked, pipe) for pipe in pipes))
    finally:
        for process in processes:
            process.kill()
            process.join()


def _run(first: Callable[..., Half], second: Callable[..., Half], generator: Callable) -> Replay:
    one = first(generator)
    return Replay.of(one, second(generator, one.looks))


def _serve(pipe: Connection, fit: Fit, table: object) -> None:
    """Answer jobs until the pipe closes; of what a fit released only the accountant is sent."""
    while True:
        try:
            job = pipe.recv()
        except EOFError:
            return
        try:
            found = half(fit, table, *job)
        except Exception as error:
            pipe.send(error)
        else:
            pipe.send(replace(found, released=SimpleNamespace(accountant=found.accountant)))


def _asked(pipe: Connection, *job: object) -> Half:
    pipe.send(job)
    found = pipe.recv()
    if isinstance(found, Exception):
        raise found
    return found
