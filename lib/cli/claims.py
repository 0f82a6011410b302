"""``python -m lib claims``: print, check or store the ledger of claims."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from lib.cli.options import add_unsealed, believe_unsealed
from lib.ledger import report
from lib.ledger.claim import read_claims


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
    add_unsealed(parser)


def run(args: Namespace) -> int:
    """Print the ledger; 1 if a verdict that is checked no longer follows."""
    read_claims(modules=args.measures)
    believe_unsealed(args)
    return report.main(
        check=args.check, write=args.write, paper=args.paper, file=args.file, ids=args.ids
    )
