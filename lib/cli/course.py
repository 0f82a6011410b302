"""``python -m lib course``: what a lecturer needs beside the book."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from lib.course.plans import write_plans
from lib.course.slides import OUT, chromium, write_pdf, write_slides


def add_arguments(parser: ArgumentParser) -> None:
    """One command for each thing that is written."""
    commands = parser.add_subparsers(dest="what", required=True)
    slides = commands.add_parser("slides", help="HTML that opens from a file, and PDF")
    slides.add_argument("--session", type=int, action="append", metavar="N", help="1 to 6; all")
    slides.add_argument("--out", type=Path, default=OUT, help="folder, else _build/slides")
    plans = commands.add_parser("plans", help="the lecturer's plans, with sample answers")
    plans.add_argument("--out", type=Path, default=OUT, help="folder, else _build/slides")


def run(args: Namespace) -> int:
    """Write what is asked for, and say where it is."""
    return {"slides": _slides, "plans": _plans}[args.what](args)


def _slides(args: Namespace) -> int:
    pages = write_slides(args.session or range(1, 7), args.out)
    program = chromium()
    for page in pages:
        print(page.resolve().as_uri())
        if program:
            print(write_pdf(page, program).resolve().as_uri())
    if not program:
        print("no PDF: there is no Chromium on this machine (apt install chromium)")
    return 0


def _plans(args: Namespace) -> int:
    print(write_plans(args.out).resolve().as_uri())
    return 0
