"""Write a table of people who do not exist, to try the other commands on: people.csv, with 60
columns; left_out.csv, of others; synthetic.csv, a release; curate.py, which makes a release.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

import numpy as np
import pandas as pd

from lib import validate
from lib.files import write_whole
from lib.rng import stream

PEOPLE = 800
CURATOR = '''\
"""A release of a table: each column shuffled among people of one sex."""
import sys
import pandas as pd

half, release = sys.argv[1:3]
people = pd.read_csv(half, dtype=str, keep_default_na=False)
for column in people.columns.drop("sex"):
    people[column] = people.groupby("sex")[column].transform(lambda v: v.sample(frac=1).tolist())
people.to_csv(release, index=False)
'''


def add_arguments(parser: ArgumentParser) -> None:
    """The folder."""
    parser.description = __doc__
    parser.add_argument("--folder", type=Path, default=Path(), help="(default: this one)")


def run(args: Namespace) -> int:
    """Write the files, which must be new."""
    validate.require(args.folder.is_dir(), "folder", "one that exists", str(args.folder))
    inside, outside = people("people"), people("left out")
    outside["id"] += PEOPLE
    rolled = {name: np.roll(inside[name], i) for i, name in enumerate(inside)}
    made = pd.DataFrame(rolled).drop(columns="id")
    tables = {"people": inside, "left_out": outside, "synthetic": made}
    files = {f"{name}.csv": table.to_csv(index=False) for name, table in tables.items()}
    files["curate.py"] = CURATOR
    there = [name for name in files if (args.folder / name).exists()]
    validate.require(not there, "folder", f"without {', '.join(files)}", there)
    for name, text in files.items():
        write_whole(args.folder / name, text)
    print(f"Written into {args.folder.resolve()}: {', '.join(files)}")
    return 0


def people(which: str) -> pd.DataFrame:
    """A table of 60 columns: a race called NA, an income that is often 0, a date, 53 answers.

    >>> people("people").shape
    (800, 60)
    """
    rng, n = stream(55, "example", which), PEOPLE
    age, sex = rng.integers(18, 90, n), rng.choice(["f", "m"], n)
    idle = rng.random(n) < 0.2 + 0.3 * (age > 64)
    days = np.datetime64("2023-01-01") + rng.integers(0, 700, n)
    table = {
        "id": np.arange(n),
        "sex": sex,
        "race": rng.choice(["Black", "NA", "White"], n, p=[0.3, 0.1, 0.6]),
        "age": age,
        "income": np.where(idle, 0, rng.lognormal(10, 0.8, n).round(-1)).astype(int),
        "visit": days,
        "disability": np.where(rng.random(n) < 0.1 + 0.3 * (age > 60), "yes", "no"),
    }
    answers = {f"q{i:02}": rng.integers(1, 6, n) for i in range(1, 54)}
    return pd.DataFrame(table | answers)
