"""``python -m lib live``: put Python into the pages of the built book."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from lib.paths import BUILD
from press.live import write_live


def add_arguments(parser: ArgumentParser) -> None:
    """Where Pyodide comes from, and the book that it goes into."""
    words = "index (default), or a folder with the files of the official release"
    parser.add_argument("--source", default="index", help=words)
    parser.add_argument("--html", type=Path, default=BUILD / "html", help="the built book")


def run(args: Namespace) -> int:
    """Write the scripts and print their size."""
    print(f"Python is in the pages: {write_live(args.html, args.source) / 1e6:.1f} MB.")
    return 0
