"""``python -m lib book``: execute what changed and render the book."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from lib.paths import CHAPTERS
from press.build import Built, build
from press.pairs import sync

FAILED = 3  # the exit status of a book in which a cell failed


def add_arguments(parser: ArgumentParser) -> None:
    """At which scale, and the parts of the work that can be done alone."""
    parser.add_argument("--profile", default="quick", help="quick (default) or paper")
    parser.add_argument("--workers", type=int, default=2)
    for name, words in {
        "--pairs": "only bring the .md and the .ipynb of every chapter into step",
        "--without-solutions": "leave the solutions of the exercises out, for teaching",
        "--strict": "stop at a cell that fails, and at a warning of jupyter-book",
    }.items():
        parser.add_argument(name, action="store_true", help=words)


def run(args: Namespace) -> int:
    """Build the book and print where it is, or do the one part that is asked for."""
    if args.pairs:
        for path in sync(CHAPTERS):
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
    print("\nNot everything ran; each place says so:", *built.failures, sep="\n  ")
    print("With --strict (make book STRICT=yes) the build stops and shows the tracebacks.")
    return FAILED
