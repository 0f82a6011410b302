"""People of whom audits with a known answer are made, and the shortest way to ask one."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from lib.audit.run import Audit, Request, run_audit
from lib.rng import stream

LOOSE = {"gamma": 40, "alphas": (0.2, 1.0), "splits": 4, "learners": ("lookup",)}
ROWS = 60


def curator_of(*words: object, then: str = "{half} {release}") -> str:
    """The command of a Python program, whatever letters its folder has."""
    return f"{shlex.join([sys.executable, *map(str, words)])} {then}"


COPY = curator_of("-c", "import shutil, sys; shutil.copy(*sys.argv[1:])")


def audited(**asked: object) -> Audit:
    """An audit without a bar."""
    return run_audit(Request(**asked), progress=False)


def people(n: int, key: object = 0) -> pd.DataFrame:
    """Ages, sex and a place; the sensitive value hangs on the age only."""
    rng = stream(5, "audit people", n, key)
    age = rng.integers(18, 90, n)
    sex, place = rng.choice(["f", "m"], n), rng.integers(0, 30, n)
    ill = np.where(rng.random(n) < 0.1 + 0.3 * (age > 60), "yes", "no")
    return pd.DataFrame({"age": age, "sex": sex, "place": place, "ill": ill})


def shuffled(table: pd.DataFrame, n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Rows of which each column is drawn by itself from a fixed list, so that nobody is in them."""
    return pd.DataFrame({name: rng.choice(sorted(table[name].unique()), n) for name in table})


def write_halves(folder: Path, n: int = 600, key: object = 0) -> pd.DataFrame:
    """``people.csv``; ``inside.csv`` and ``outside.csv``, half of them each; ``leak.csv``, the
    first half; ``harmless.csv``, nobody. Returns the people.
    """
    table, half = people(n, key), n // 2
    parts = {"people": table, "inside": table[:half], "outside": table[half:], "leak": table[:half]}
    parts["harmless"] = shuffled(people(half, "others"), half, stream(5, "audit harmless", key))
    for name, part in parts.items():
        part.to_csv(folder / f"{name}.csv", index=False)
    return table


def text_people() -> pd.DataFrame:
    """Text as a CSV is read: identifiers, ages with a gap, codes, a constant, an empty column."""
    i = np.arange(ROWS)
    columns = {
        "id": [f"p{k}" for k in i],
        "row": (i + 1).astype(str),
        "age": (18 + i // 2).astype(str),
        "sex": np.where(i % 2, "m", "f"),
        "code": (i % 5).astype(str),
        "place": [f"{k % 30:05d}" for k in i],
        "land": "x",
        "none": None,
        "ill": np.where(i % 4 == 0, "yes", "no"),
        "grade": [("low", "mid", "high")[k % 3] for k in i],
    }
    frame = pd.DataFrame(columns, dtype=object)
    frame.loc[:2, "age"] = None
    frame.loc[5, "sex"] = None
    return frame
