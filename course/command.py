"""``python -m lib course``: what a lecturer needs beside the book."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from getpass import getpass
from pathlib import Path

from course.assignment import read_all
from course.bank import write_sheets
from course.exam import write_exam
from course.export import export
from course.make import write_assignment
from course.mark import mark
from course.plans import write_plans
from course.public import write_public
from course.slides import DECKS, OUT, chromium, write_pdf, write_slides
from course.variants import course_seed
from lib import validate
from lib.paths import BUILD, ROOT

Said = Iterator[str | Path]  # what a command prints, as it gets there


def _slides(args: Namespace) -> Said:
    pages = write_slides(args.session or range(1, 7), args.out, source=args.source)
    program = chromium()
    for page in pages:
        yield page.resolve().as_uri()
        if program:
            yield write_pdf(page, program).resolve().as_uri()
    if not program:
        yield "no PDF: there is no Chromium on this machine (apt install chromium)"


def _plans(args: Namespace) -> Said:
    yield write_plans(args.out).resolve().as_uri()


def _quizzes(args: Namespace) -> Said:
    yield from write_sheets(args.out)


def _export(args: Namespace) -> Said:
    yield from export(args.out)


def _seed(args: Namespace) -> int:
    secret = args.seed or os.environ.get("COURSE_SEED")
    if not (secret or sys.stdin.isatty()):
        what = "set to the course's secret text where there is no terminal to ask for it"
        raise validate.refusal("COURSE_SEED", what, secret)
    return course_seed(secret or getpass("Course seed: "))


def _exam(args: Namespace) -> Said:
    yield from write_exam("resit" if args.resit else "exam", _seed(args), args.out)


def _make(args: Namespace) -> Said:
    seed = _seed(args)
    for assignment in read_all():
        if not args.only or assignment.name in args.only:
            write_assignment(assignment, seed, args.out)
    write_plans(args.out / "teacher")
    yield f"to hand out: {args.out / 'students'}"
    yield f"to keep, with keys: {args.out / 'teacher'}"


def _public(args: Namespace) -> Said:
    yield write_public(args.out, solutions=args.solutions).resolve()


def _mark(args: Namespace) -> Said:
    table = mark(args.folder, args.key, args.out, args.seconds, args.jobs, args.contained)
    for column, words in {"note": "", "flags": "look at it, "}.items():
        for row in table[table[column] != ""].to_dict("records"):
            yield f"{row['assignment']} {row['id']}: {words}{row[column]}"
    yield f"marks: {args.out / 'marks.csv'}"


_MADE = BUILD / "course"
# name: what is written or done, where to, and by which function
_COMMANDS: dict[str, tuple[str, Path, Callable[[Namespace], Said]]] = {
    "slides": ("HTML that opens from a file, and PDF", OUT, _slides),
    "plans": ("the lecturer's plans, with sample answers", OUT, _plans),
    "quizzes": ("the two quizzes and the bank, with and without keys", _MADE / "quizzes", _quizzes),
    "export": ("the same for Canvas (QTI)", _MADE / "export", _export),
    "exam": ("a written examination, and its scheme", _MADE / "exam", _exam),
    "make": ("the students' notebooks and tables; keys", _MADE, _make),
    "public": ("the repository for students, without solutions", BUILD / "public", _public),
    "mark": ("marks of the notebooks DIR/a1/ID.ipynb", _MADE / "marks", _mark),
}


def add_arguments(parser: ArgumentParser) -> None:
    """One command for each thing that is written."""
    commands, own = parser.add_subparsers(dest="what", required=True), {}
    for name, (words, out, _) in _COMMANDS.items():
        own[name] = commands.add_parser(name, help=words).add_argument
        place = out.relative_to(ROOT).as_posix()
        own[name]("--out", type=Path, default=out, help=f"folder, else {place}")
    slides, make, mark = own["slides"], own["make"], own["mark"]
    slides("--session", type=int, action="append", metavar="N", help="1 to 6; all")
    words = "decks that you edited, such as _build/slides/source"
    slides("--source", type=Path, default=DECKS, metavar="DIR", help=words)
    own["public"]("--solutions", action="store_true", help="keep those of the book's exercises")
    own["exam"]("--resit", action="store_true", help="the resit, which shares no item")
    for command in (make, own["exam"]):
        command("--seed", help="the course's secret text, else COURSE_SEED, else asked for")
    make("--only", nargs="+", metavar="NAME", help="these assignments, such as a1")
    mark("folder", type=Path, metavar="DIR", help="holds a1/ID.ipynb")
    words = "make's folder, else _build/course/teacher"
    mark("--key", type=Path, default=_MADE / "teacher", help=words)
    mark("--jobs", type=int, default=2, help="notebooks at a time (default 2)")
    mark("--seconds", type=float, default=120, help="for a notebook (default 120)")
    words = "refuse to run notebooks where bubblewrap cannot contain them"
    mark("--contained", action="store_true", help=words)


def run(args: Namespace) -> int:
    """Write what is asked for, and say where it is."""
    for line in _COMMANDS[args.what][2](args):
        print(line)
    return 0
