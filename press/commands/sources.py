"""``python -m lib sources``: check quotations of papers and places in published code."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from lib import validate
from press.sources import places, quotations, wrong_places, wrong_quotations


def add_arguments(parser: ArgumentParser) -> None:
    """Where the papers' texts and the clones of their repositories are."""
    parser.add_argument("--papers", type=Path, help="folder of the papers' texts")
    parser.add_argument("--clones", type=Path, help="folder of clones, bare or not")


def run(args: Namespace) -> int:
    """Print what is wrong; 1 if anything is."""
    failed = 0
    for name, folder, listed, check in (
        ("quotations", args.papers, quotations(), wrong_quotations),
        ("places", args.clones, places(), wrong_places),
    ):
        if folder is None:
            print(f"{len(listed)} {name}: not checked, as no folder was named")
            continue
        validate.require(folder.is_dir(), str(folder), "a folder", "none")
        wrong = check(folder)
        print(*wrong, f"{len(listed)} {name}: {len(wrong)} wrong", sep="\n")
        failed |= bool(wrong)
    return failed
