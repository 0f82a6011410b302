"""``python -m lib data``: list, fetch or verify the data files."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from lib.datasets import manage

_ACTIONS = {"list": manage.list_files, "fetch": manage.fetch, "verify": manage.verify}


def add_arguments(parser: ArgumentParser) -> None:
    """What to do, and with which files."""
    parser.add_argument("action", choices=_ACTIONS)
    parser.add_argument("names", nargs="*", help="files; all of them if none is named")


def run(args: Namespace) -> int:
    """Do it."""
    return _ACTIONS[args.action](args.names)
