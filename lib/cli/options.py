"""The option ``--unsealed``, which several commands have."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace

from lib.runner.store import UNSEALED


def add_unsealed(parser: ArgumentParser) -> None:
    """The option ``--unsealed``, which :func:`believe_unsealed` answers."""
    parser.add_argument(
        "--unsealed",
        action="store_true",
        help="believe results files without a seal or without provenance",
    )


def believe_unsealed(args: Namespace) -> None:
    """Believe such files in this process and its children, and say so, if it was asked for."""
    if args.unsealed:
        os.environ[UNSEALED] = "1"
        print(
            "results files without a seal or without provenance are believed (--unsealed): what"
            " follows is not shown to be what the grids computed",
            file=sys.stderr,
        )
