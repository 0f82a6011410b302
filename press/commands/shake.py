"""``python -m lib shake``: the book under other arithmetic."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from press.reseed import reseed
from press.shake import VARIANTS, shake


def add_arguments(parser: ArgumentParser) -> None:
    """Which arithmetic, and which part of the book."""
    option = parser.add_argument
    names = ", ".join(VARIANTS)
    option("--only", nargs="+", default=tuple(VARIANTS), metavar="NAME", help=f"of: {names}")
    option("--pages", nargs="+", metavar="PAGE", help="only these, e.g. chapters/ldp/proofs")
    option("--without-claims", action="store_true", help="pages alone")
    option("--seeds", type=int, help="instead, run the pages with so many master seeds")
    option("--workers", type=int, default=2)


def run(args: Namespace) -> int:
    """Compare, and print every guard with its margin; 1 if anything differs or is too near."""
    if args.seeds is not None:
        return int(reseed(args.seeds, args.pages, workers=args.workers) > 0)
    wrong = shake(args.only, args.pages, claims=not args.without_claims, workers=args.workers)
    return int(wrong > 0)
