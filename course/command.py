"""``python -m lib course``: what a lecturer needs beside the book."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from pathlib import Path

from course.bank import write_sheets
from course.exam import write_exams
from course.plans import write_plans
from course.public import write_public
from course.slides import OUT, chromium, write_pdf, write_slides
from lib.paths import BUILD, ROOT

Said = Iterator[str | Path]  # what a command prints, as it gets there


def _slides(args: Namespace) -> Said:
    pages, program = write_slides(args.session or range(1, 7), args.out), chromium()
    for page in pages:
        yield page.resolve().as_uri()
        if program:
            yield write_pdf(page, program).resolve().as_uri()
    if not program:
        yield "no PDF: there is no Chromium on this machine (apt install chromium)"


def _plans(args: Namespace) -> Said:
    yield write_plans(args.out).resolve().as_uri()


def _bank(args: Namespace) -> Said:
    yield from write_sheets(args.out)


def _exam(args: Namespace) -> Said:
    yield from write_exams(args.seed, args.out)


def _public(args: Namespace) -> Said:
    yield write_public(args.out, solutions=args.solutions).resolve()


# name: what is written, where to, and by which function
_COMMANDS: dict[str, tuple[str, Path, Callable[[Namespace], Said]]] = {
    "slides": ("HTML that opens from a file, and PDF", OUT, _slides),
    "plans": ("the lecturer's plans, with sample answers", OUT, _plans),
    "bank": ("questions and quizzes: for text2qti, and for print", BUILD / "course/bank", _bank),
    "exam": ("the examination and its resit, with schemes", BUILD / "course/exam", _exam),
    "public": ("the repository for students, without solutions", BUILD / "public", _public),
}


def add_arguments(parser: ArgumentParser) -> None:
    """One command for each thing that is written."""
    commands, own = parser.add_subparsers(dest="what", required=True), {}
    for name, (words, out, _) in _COMMANDS.items():
        own[name] = commands.add_parser(name, help=words).add_argument
        place = out.relative_to(ROOT).as_posix()
        own[name]("--out", type=Path, default=out, help=f"folder, else {place}")
    own["slides"]("--session", type=int, action="append", metavar="N", help="1 to 6; all")
    own["exam"]("--seed", required=True, help="a text that your students do not know")
    own["public"]("--solutions", action="store_true", help="keep those of the book's exercises")


def run(args: Namespace) -> int:
    """Write what is asked for, and say where it is."""
    for line in _COMMANDS[args.what][2](args):
        print(line)
    return 0
