"""``python -m lib rerun``: one chapter with other parameters, as a page."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace

from lib.paths import BUILD
from press.rerun import chapter, estimate, folder_name, label, requested, rerun


def add_arguments(parser: ArgumentParser) -> None:
    """The chapter and its parameters."""
    parser.add_argument("chapter", help="as in ldp/fairness; a wrong one is answered with the list")
    parser.add_argument(
        "parameters",
        nargs="*",
        metavar="NAME=VALUE",
        help="several values by commas (epsilon=0.5,1,2) make a page each and a comparison",
    )


def run(args: Namespace) -> int:
    """Check, estimate, execute, render; print where the page is."""
    os.environ.setdefault("COMPANION_OFFLINE", "1")  # the check has the data of a kernel
    page = chapter(args.chapter)
    versions = requested(page, args.parameters)
    seconds = sum(estimate(page, version) for version in versions)
    print(f"{len(versions)} x {page.doc}: about {max(seconds, 60) / 60:.0f} min", flush=True)
    all_of_page = BUILD / "rerun" / page.doc.removeprefix("chapters/").replace("/", "-")
    index, failed = rerun(page, versions, all_of_page / folder_name(versions))
    for version in versions:
        print(f"  {label(version)}")
    print(f"Open:\n  {index.as_uri()}")
    print(f"Each choice of parameters has a folder in {all_of_page}; delete what you do not need.")
    for line in failed:
        print(f"error: {line}", file=sys.stderr)
    return int(bool(failed))
