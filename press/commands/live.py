"""``python -m lib live``: put Python into the pages of the built book."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from lib.paths import BUILD
from press.live import first_tier, write_live


def add_arguments(parser: ArgumentParser) -> None:
    """Where Pyodide comes from, and the book that it goes into."""
    words = "index (default), release, or a folder with the files of the official release"
    parser.add_argument("--source", default="index", help=words)
    parser.add_argument("--address", help="another address of the release")
    parser.add_argument("--html", type=Path, default=BUILD / "html", help="the built book")


def run(args: Namespace) -> int:
    """Write the scripts and print their sizes."""
    sizes = write_live(args.html, args.source, args.address)
    first, total = first_tier(sizes) / 1e6, sum(sizes.values()) / 1e6
    print(f"Python is in the pages: {first:.1f} MB for NumPy, {total:.1f} MB in all.")
    return 0
