"""Write files to try the other commands on: people.csv, of 500 people who do not exist and 60
columns; left_out.csv, of others; synthetic.csv, a release; curate.py, which makes a release.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from lib import validate
from lib.files import write_whole
from lib.paths import PACKAGE


def add_arguments(parser: ArgumentParser) -> None:
    """The folder."""
    parser.description = __doc__
    parser.add_argument("--folder", type=Path, default=Path(), help="(default: this one)")


def run(args: Namespace) -> int:
    """Write the files, which must be new."""
    validate.require(args.folder.is_dir(), "folder", "one that exists", str(args.folder))
    files = [path for path in sorted((PACKAGE / "example").iterdir()) if path.is_file()]
    there = [path.name for path in files if (args.folder / path.name).exists()]
    validate.require(not there, "folder", "without these files", there)
    for path in files:
        write_whole(args.folder / path.name, path.read_text(encoding="utf-8"))
    print(f"Written into {args.folder.resolve()}: {', '.join(path.name for path in files)}")
    return 0
