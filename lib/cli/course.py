"""``python -m lib course``: what a lecturer needs beside the book."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from getpass import getpass
from pathlib import Path

from lib.course.assignment import read_all
from lib.course.bank import write_sheets
from lib.course.make import write_assignment
from lib.course.mark import Limits, mark
from lib.course.plans import write_plans
from lib.course.slides import OUT, chromium, write_pdf, write_slides
from lib.course.variants import course_seed, read_roster
from lib.paths import BUILD

_MADE = BUILD / "course"


def add_arguments(parser: ArgumentParser) -> None:
    """One command for each thing that is written."""
    commands = parser.add_subparsers(dest="what", required=True)
    slides = commands.add_parser("slides", help="HTML that opens from a file, and PDF")
    slides.add_argument("--session", type=int, action="append", metavar="N", help="1 to 6; all")
    slides.add_argument("--out", type=Path, default=OUT, help="folder, else _build/slides")
    plans = commands.add_parser("plans", help="the lecturer's plans, with sample answers")
    plans.add_argument("--out", type=Path, default=OUT, help="folder, else _build/slides")
    quiz = commands.add_parser(
        "quizzes", help="the two quizzes and the bank, with and without keys"
    )
    quiz.add_argument("--out", type=Path, default=_MADE / "quizzes", help="_build/course/quizzes")
    make = commands.add_parser("make", help="each student's notebooks and tables; keys, bundles")
    make.add_argument("--students", type=Path, required=True, metavar="CSV", help="id, name")
    make.add_argument("--seed", help="the course's secret text, else COURSE_SEED, else asked for")
    make.add_argument("--only", nargs="+", metavar="NAME", help="these assignments, such as a1")
    make.add_argument("--out", type=Path, default=_MADE, help="folder, else _build/course")
    marks = commands.add_parser("mark", help="marks of the notebooks DIR/a1/ID.ipynb")
    marks.add_argument("folder", type=Path, metavar="DIR", help="holds a1/ID.ipynb")
    marks.add_argument(
        "--key",
        type=Path,
        default=_MADE / "teacher",
        help="make's folder, else _build/course/teacher",
    )
    marks.add_argument("--jobs", type=int, default=2, help="notebooks at a time (default 2)")
    marks.add_argument("--seconds", type=float, default=120, help="for a notebook (default 120)")
    marks.add_argument("--gibibytes", type=float, default=6, help="of memory (default 6)")
    marks.add_argument(
        "--out", type=Path, default=_MADE / "marks", help="folder, else _build/course/marks"
    )


def run(args: Namespace) -> int:
    """Write what is asked for, and say where it is."""
    written = {
        "slides": _slides,
        "plans": _plans,
        "quizzes": _quizzes,
        "make": _make,
        "mark": _mark,
    }
    return written[args.what](args)


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


def _quizzes(args: Namespace) -> int:
    for path in write_sheets(args.out):
        print(path)
    return 0


def _make(args: Namespace) -> int:
    roster = read_roster(args.students)
    seed = course_seed(args.seed or os.environ.get("COURSE_SEED") or getpass("Course seed: "))
    for assignment in read_all():
        if not args.only or assignment.name in args.only:
            write_assignment(assignment, roster, seed, args.out)
    write_plans(args.out / "teacher")
    print(f"to hand out, a folder for each student: {args.out / 'students'}")
    print(f"to keep, with keys and bundles: {args.out / 'teacher'}")
    return 0


def _mark(args: Namespace) -> int:
    limits = Limits(args.seconds, args.gibibytes)
    table = mark(args.folder, args.key, args.out, limits, args.jobs)
    for row in table[table["note"] != ""].itertuples():
        print(f"{row.assignment} {row.id}: {row.note}")
    print(f"marks: {args.out / 'marks.csv'}")
    return 0
