"""A measurement in a process of its own, and the most memory that a process has held."""

from __future__ import annotations

import resource
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path


def in_fresh_process(measure: Callable[..., dict[str, float]], *args: object) -> dict[str, float]:
    """``measure(*args)``, run by a process that has done nothing before."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(measure, *args).result()


def peak_megabytes() -> float:
    """The most memory this process has held. ``ru_maxrss`` would count a large parent in, so
    Linux is asked first.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(
            line
            for line in status.read_text(encoding="utf-8").splitlines()
            if line.startswith("VmHWM")
        )
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
