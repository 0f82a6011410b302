"""Do the tests of the core notice when its code is wrong? ``make mutants SEED=1 COUNT=50``.

cosmic-ray changes one operator or number of the core at a time, in a copy of the last commit, and
runs the tests of the package that the change is in. A change that they pass is printed, with its
difference: it is equivalent, or a test is missing. A place in the code is drawn before one of its
changes, so that a ``+``, which has eleven replacements, counts no more than a number. Annotations
are left out: nothing evaluates them.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shlex
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from lib.paths import ROOT

UV = str(Path(sys.executable).with_name("uv"))
TOOL = [UV, "tool", "run", "--from", "cosmic-ray==8.7.0"]
CORE = ["dp", "ldp", "means", "fairness", "stats"]
TESTS = "-m pytest -q -x -n 0 -p no:cacheprovider --hypothesis-seed=0"
CONFIG = """\
[cosmic-ray]
module-path = "lib/{package}"
timeout = {timeout}
excluded-modules = []
test-command = "{python} {tests} tests/{package}"
[cosmic-ray.distributor]
name = "local"
"""
ALL = (
    "SELECT module_path, start_pos_row, start_pos_col, operator_name, occurrence, job_id"
    " FROM mutation_specs"
)


def plan(copy: Path, package: str, timeout: float) -> sqlite3.Connection:
    """cosmic-ray's data base of all changes to one package, whose tests pass without them."""
    python = shlex.quote(sys.executable)
    config = CONFIG.format(package=package, timeout=timeout, python=python, tests=TESTS)
    names = [f"{package}.toml", f"{package}.sqlite"]
    (copy / names[0]).write_text(config, encoding="utf-8")
    for words in (["baseline", names[0]], ["init", *names]):
        subprocess.run([*TOOL, "cosmic-ray", *words], cwd=copy, check=True)
    return sqlite3.connect(copy / names[1])


def annotations(source: str) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Start and end, in lines and columns, of each annotation of a module."""
    for node in ast.walk(ast.parse(source)):
        for note in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if note is not None:
                yield (note.lineno, note.col_offset), (note.end_lineno, note.end_col_offset)


def draw(plans: dict[str, sqlite3.Connection], copy: Path, seed: int, count: int) -> None:
    """Leave ``count`` changes in all the plans, each at another place of the code."""
    changes = sorted((*row[:5], name, row[5]) for name in plans for row in plans[name].execute(ALL))
    notes = {m: [*annotations((copy / m).read_text("utf-8"))] for m in {c[0] for c in changes}}
    random.Random(seed).shuffle(changes)
    places: dict[tuple[str, int, int], str] = {}
    for module, row, column, *_, job in changes:
        if not any(start <= (row, column) <= end for start, end in notes[module]):
            places.setdefault((module, row, column), job)
    drawn = set([*places.values()][:count])
    for database in plans.values():
        others = [(row[5],) for row in database.execute(ALL) if row[5] not in drawn]
        for table in ("mutation_specs", "work_items"):
            database.executemany(f"DELETE FROM {table} WHERE job_id = ?", others)
        database.commit()


def main() -> None:
    """Print the changes that survive, and how many of each outcome there are."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=50, help="changes, over all packages")
    parser.add_argument("--packages", nargs="+", default=CORE, choices=CORE)
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for one change")
    args = parser.parse_args()
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        archive = ["git", "archive", "--format=tar", "HEAD"]
        tar = subprocess.run(archive, cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=tar, check=True)
        os.environ["PYTHONPATH"] = folder
        copy = Path(folder)
        plans = {name: plan(copy, name, args.timeout) for name in args.packages}
        draw(plans, copy, args.seed, args.count)
        for name, database in plans.items():
            files = [f"{name}.toml", f"{name}.sqlite"]
            subprocess.run([*TOOL, "cosmic-ray", "exec", *files], cwd=copy, check=True)
            report = ["cr-report", "--surviving-only", "--show-diff", files[1]]
            subprocess.run([*TOOL, *report], cwd=copy, check=True)
            outcomes.update(
                kind for (kind,) in database.execute("SELECT test_outcome FROM work_results")
            )
    print(f"seed {args.seed}:", *(f"{count} {kind.lower()}" for kind, count in outcomes.items()))


if __name__ == "__main__":
    main()
