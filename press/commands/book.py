"""``python -m lib book``: execute what changed and render the book."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from lib.paths import CHAPTERS
from press.build import Built, build
from press.pairs import keep, write_pairs

FAILED = 3  # the exit status of a book in which a cell failed


def add_arguments(parser: ArgumentParser) -> None:
    """At which scale, and the parts of the work that can be done alone."""
    parser.add_argument("--profile", default="quick", help="quick (default) or paper")
    parser.add_argument("--workers", type=int, default=2)
    words = "only keep this .md or .ipynb where the two differ, and write the other from it"
    parser.add_argument("--keep", type=Path, metavar="FILE", help=words)
    for name, words in {
        "--pairs": "only write the .ipynb of every chapter from its .md",
        "--without-solutions": "leave the solutions of the exercises out, for teaching",
        "--strict": "stop at the first cell that fails, and at a warning of jupyter-book",
    }.items():
        parser.add_argument(name, action="store_true", help=words)


def run(args: Namespace) -> int:
    """Build the book and print where it is, or do the one part that is asked for."""
    if args.pairs or args.keep:
        for path in keep(args.keep) if args.keep else write_pairs(CHAPTERS):
            print(path)
    else:
        solutions = not args.without_solutions
        return report(
            build(args.profile, workers=args.workers, solutions=solutions, strict=args.strict)
        )
    return 0


def report(built: Built) -> int:
    """Print where the book is and what failed; the exit status is returned."""
    print(f"\nThe book is ready. Open:\n  {built.index.as_uri()}")
    if built.warnings:
        print("\njupyter-book warned:", *built.warnings, sep="\n  ")
    if not built.failures:
        return 0
    print("\nNot everything ran; these pages end at their error:", *built.failures, sep="\n  ")
    print("With --strict (make book STRICT=yes) the build stops at it and shows the traceback.")
    return FAILED
