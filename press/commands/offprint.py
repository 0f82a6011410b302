"""``python -m lib offprint``: the lessons of the built book as one PDF, or as an EPUB."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from lib.paths import BUILD
from press.offprint import printed, write_epub, write_pdf

FORMS = {"pdf": write_pdf, "epub": write_epub}


def add_arguments(parser: ArgumentParser) -> None:
    """Which form, and the book that it is made of."""
    parser.add_argument("form", choices=[*FORMS])
    parser.add_argument("--html", type=Path, default=BUILD / "html", help="the built book")


def run(args: Namespace) -> int:
    """Write the file and print where it is and how large."""
    output = BUILD / f"lessons.{args.form}"
    docs = [page.doc for page in printed()]
    size = FORMS[args.form](args.html, output, docs)
    print(f"{len(docs)} lessons, {size / 1e6:.1f} MB:\n  {output}")
    return 0
