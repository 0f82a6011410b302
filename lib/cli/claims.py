"""``python -m lib claims``: print, check or store the ledger of claims."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from lib.ledger import report


def add_arguments(parser: ArgumentParser) -> None:
    """Whose claims, and what is done with their verdicts."""
    option = parser.add_argument
    option("--check", action="store_true", help="fail if a stored verdict no longer follows")
    option("--write", action="store_true", help="store the verdicts as they follow now")
    option("--paper", help="only this paper's claims")


def run(args: Namespace) -> int:
    """Print the ledger; 1 if a verdict that is checked no longer follows."""
    return report.main(check=args.check, write=args.write, paper=args.paper)
