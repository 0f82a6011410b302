"""``python -m lib data``: list, fetch or verify the data files."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from lib.datasets import manage

_ACTIONS = {"list": manage.list_files, "fetch": manage.fetch, "verify": manage.verify}


def add_arguments(parser: ArgumentParser) -> None:
    """What to do, and with which files."""
    parser.add_argument("action", choices=_ACTIONS)
    parser.add_argument(
        "names",
        nargs="*",
        help="files; all of them if none is named, but newyork (the Census Bureau's rows)",
    )
    parser.add_argument(
        "--from",
        dest="address",
        default="",
        metavar="URL",
        help="fetch newyork from this address of its zip archive, or from a file that is here",
    )


def run(args: Namespace) -> int:
    """Do it."""
    if args.address and args.action != "fetch":
        raise ValueError(f"--from must stand with fetch, got {args.action!r}")
    more = [args.address] if args.address else []
    return _ACTIONS[args.action](args.names, *more)
