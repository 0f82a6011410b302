"""``python -m lib book``: execute what changed and render the book."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from lib.book.build import build
from lib.book.compare import compare
from lib.book.pairs import sync
from lib.book.times import write_times
from lib.book.toc import pages
from lib.paths import CHAPTERS, ROOT


def add_arguments(parser: ArgumentParser) -> None:
    """At which scale, and the parts of the work that can be done alone."""
    parser.add_argument("--profile", default="quick", help="quick (default) or paper")
    parser.add_argument("--workers", type=int, default=2)
    for name, words in {
        "--times": "only keep the last build's run times, for the teachers' page",
        "--pairs": "only write the .ipynb of every chapter from its .md",
        "--without-solutions": "leave the solutions of the exercises out, for teaching",
        "--compare": "only compare the pages with real data and on replicas",
    }.items():
        parser.add_argument(name, action="store_true", help=words)


def run(args: Namespace) -> int:
    """Build the book and print where it is, or do the one part that is asked for."""
    if args.pairs:
        for path in sync(CHAPTERS):
            print(path)
    elif args.times:
        print(f"run times of {write_times()} chapters")
    elif args.compare:
        return int(compare(pages(ROOT), args.profile, workers=args.workers) > 0)
    else:
        index = build(args.profile, workers=args.workers, solutions=not args.without_solutions)
        print(f"\nThe book is ready. Open:\n  {index.as_uri()}")
    return 0
