"""``python -m lib claims``: print, check or store the ledger of claims."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from lib.cli.options import add_unsealed, believe_unsealed
from lib.ledger import evaluate, report
from lib.ledger.cards import unexplained
from lib.ledger.claim import read_claims
from lib.ledger.papers_table import rerun
from lib.paths import need_repository
from lib.runner.sweep import available_workers


def add_arguments(parser: ArgumentParser) -> None:
    """Whose claims, and what is done with their verdicts."""
    option = parser.add_argument
    option("--check", action="store_true", help="fail if a stored verdict no longer follows")
    option("--write", action="store_true", help="store the verdicts as they follow now")
    option("--paper", help="only this paper's claims")
    option(
        "--id",
        nargs="+",
        default=(),
        dest="ids",
        metavar="ID",
        help="only these claims, measured again from the stored results",
    )
    option("--file", type=Path, help="the claims of a file, judged without the others")
    option(
        "--measures",
        nargs="+",
        default=(),
        metavar="MODULE",
        help="modules of your own whose functions may measure claims",
    )
    option(
        "--newyork",
        choices=("real",),
        help="run what rests on the stand-in for New York on the Census Bureau's rows (with --id:"
        " those claims only), and print both verdicts; interrupt and call again at will",
    )
    option("--workers", type=int, help="processes of --newyork; one fewer than there are threads")
    add_unsealed(parser)


def run(args: Namespace) -> int:
    """Print the ledger; 1 if a verdict that is checked no longer follows."""
    if args.write:
        need_repository("python -m lib claims --write")
    read_claims(modules=args.measures)
    believe_unsealed(args)
    if args.newyork:
        rerun(args.ids, workers=available_workers() if args.workers is None else args.workers)
        return 0
    status = report.main(
        check=args.check, write=args.write, paper=args.paper, file=args.file, ids=args.ids
    )
    if args.write:
        for line in unexplained(evaluate()):
            print(line)
    return status
