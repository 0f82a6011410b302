"""``python -m lib verify``: run stored cells again, drawn at random, and certify the rest."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from lib.files import write_whole
from lib.ledger.verify import OTHER, as_json, in_words, verify


def add_arguments(parser: ArgumentParser) -> None:
    """How long, with which seed, and where the certificate goes."""
    option = parser.add_argument
    option("--minutes", type=float, default=10.0, help="by the stored times (default 10)")
    option("--seed", type=int, required=True, help="your own: it decides which cells are drawn")
    option("--grid", nargs="+", dest="grids", metavar="NAME", help="only these grids")
    option("--workers", type=int, default=1, help="processes (default 1)")
    option("--out", type=Path, default=Path("certificate.md"), help="and the same as .json")
    option("--quiet", action="store_true", help="no progress bar")


def run(args: Namespace) -> int:
    """Print the certificate and write it; 3 if a cell was different."""
    found = verify(
        minutes=args.minutes,
        seed=args.seed,
        grids=args.grids,
        workers=args.workers,
        progress=not args.quiet,
    )
    write_whole(args.out, in_words(found))
    write_whole(args.out.with_suffix(".json"), as_json(found))
    print(
        in_words(found), f"Written: {args.out} and {args.out.with_suffix('.json').name}", sep="\n"
    )
    return 3 if (found.cells["outcome"] == OTHER).any() else 0
