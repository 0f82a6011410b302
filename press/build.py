"""The whole build: write the notebooks, execute what changed, stage, render."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from lib import validate
from lib.files import alone
from lib.pages.parameters import PROFILES
from lib.paths import ROOT
from press.execute import execute
from press.failures import Failure
from press.pairs import write_pairs
from press.render import render
from press.stage import stage
from press.toc import pages


@dataclass(frozen=True)
class Built:
    """A built book: the page to open, the cells that failed, and what jupyter-book warned of."""

    index: Path
    failures: tuple[Failure, ...] = ()
    warnings: tuple[str, ...] = ()


def build(
    profile: str = "quick",
    *,
    workers: int = 2,
    root: Path = ROOT,
    progress: bool = True,
    solutions: bool = True,
    strict: bool = False,
) -> Built:
    """Build the book.

    Parameters
    ----------
    profile : {"quick", "paper"}
        Scale of the live runs: minutes, or that of the papers.
    workers : int
        Chapters executed side by side.
    solutions : bool
        Without them, the book is in a folder of its own, ``_build/without_solutions``.
    strict : bool
        Whether a failed cell or a warning ends the build. Else the page of a failed cell is shown
        up to its error, and the other pages are as they would be.

    Raises
    ------
    ChapterError
        For a failed cell, if ``strict``.
    RenderError
        If jupyter-book refuses the book; for its warnings, too, if ``strict``.
    """
    validate.choice("profile", profile, PROFILES)
    validate.integer("workers", workers, low=1)
    folder = root / "_build"
    folder.mkdir(exist_ok=True)
    with alone(folder / "build.lock", "another build is at work"):
        for path in write_pairs(root / "chapters"):
            print(f"written from its text: {path}", file=sys.stderr)
        listed = pages(root)
        done = folder / "executed" / profile
        scale = {"profile": profile}
        executed = execute(listed, scale, done, workers=workers, progress=progress, strict=strict)
        output = root if solutions else folder / "without_solutions"
        staged = output / "_build" / "stage"
        stage(root, listed, executed, staged, solutions=solutions)
        index, warnings = render(staged, output, strict=strict)
    failed = tuple(failure for one in executed for failure in one.failures)
    return Built(index, failed, tuple(warnings))
