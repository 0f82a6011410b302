"""The whole build: execute what changed, stage, render."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from lib import validate
from lib.book.chapter import PROFILES
from lib.book.execute import execute
from lib.book.render import render
from lib.book.stage import stage
from lib.book.toc import pages
from lib.paths import ROOT


def build(
    profile: str = "quick",
    *,
    workers: int = 2,
    root: Path = ROOT,
    progress: bool = True,
    solutions: bool = True,
) -> Path:
    """Build the book and return the page to open.

    Parameters
    ----------
    profile : {"quick", "paper"}
        Scale of the live runs: minutes, or that of the papers.
    workers : int
        Chapters executed side by side.
    solutions : bool
        Without them, the book is in a folder of its own, ``_build/without_solutions``.
    """
    validate.choice("profile", profile, PROFILES)
    validate.integer("workers", workers, low=1)
    listed, folder = pages(root), root / "_build"
    folder.mkdir(exist_ok=True)
    with _alone(folder / "build.lock"):
        done = folder / "executed" / profile
        scale = {"profile": profile}
        executed = execute(listed, scale, done, workers=workers, progress=progress)
        output = root if solutions else folder / "without_solutions"
        staged = output / "_build" / "stage"
        stage(root, listed, executed, profile, staged, solutions=solutions)
        return render(staged, output)


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Wait until no other build writes to the same folder; it lets go however it ends."""
    held = FileLock(lock)
    try:
        held.acquire(timeout=0)
    except Timeout:
        print(f"another build is at work (it holds {lock}); waiting for it", file=sys.stderr)
        held.acquire()
    try:
        yield
    finally:
        held.release()
