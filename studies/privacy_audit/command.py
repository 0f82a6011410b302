"""``python -m lib privacy-audit``: audit whole fits against what they declare."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from studies.privacy_audit import cells


def add_arguments(parser: ArgumentParser) -> None:
    """Which mechanisms, and how many runs."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="mechanisms; all of them if none is named"
    )
    parser.add_argument(
        "--runs", type=int, default=100, help="runs for each pair of tables (default 100)"
    )


def run(args: Namespace) -> int:
    """Print a line for each pair of tables; 1 if a check failed."""
    return cells.main(args.names, args.runs)
