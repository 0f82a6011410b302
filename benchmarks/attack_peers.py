"""Our attacks and errors of counts beside Anonymeter's and SDMetrics' on three releases: ``make
peers``.

``python -m benchmarks.attack_peers plan`` writes 2,000 people of Adult, 2,000 left out, and a good,
a leaky and a useless release for the other environment (which runs ``attack_peers_fit.py``);
``... score`` puts our numbers beside its own, in ``benchmarks/attack_peers.csv``. A package that
draws its targets gives an interval, ours is a simultaneous one of the excess.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from lib.audit.attacks import attacks
from lib.audit.request import Request
from lib.audit.table import read_table
from lib.audit.utility import utility
from lib.datasets import load
from lib.domain import Domain
from lib.files import write_whole
from lib.groups import EVERYONE
from lib.paths import ROOT
from lib.rng import stream
from lib.synth import MST

FOLDER, RESULT = ROOT / "_build" / "attack_peers", Path(__file__).with_name("attack_peers.csv")
SEED, PEOPLE, EPSILON, COPIED = 20261126, 2000, 1.0, 0.2
NUMBERS, SECRET = ("age", "hours-per-week"), "income"
CATEGORIES = ("workclass", "education", "marital-status", "relationship", "gender", "race")


def plan(folder: Path = FOLDER) -> None:
    """Write ``people.csv``, its rows marked by who is inside, and the three releases."""
    adult = load("adult")
    if adult.is_replica:
        raise ValueError("dataset='adult': the comparison needs the real data; set COMPANION_DATA")
    columns, rng = [*NUMBERS, *CATEGORIES, SECRET], stream(SEED, "attack peers")
    people = adult.frame[columns].astype(int)
    people = people.iloc[rng.permutation(len(people))[: 2 * PEOPLE]].reset_index(drop=True)
    inside = people[:PEOPLE]
    domain = Domain.of({name: int(people[name].max()) + 1 for name in people})
    good = MST().fit(inside, domain, EPSILON, rng).sample(PEOPLE, rng)[columns]
    copied = int(COPIED * PEOPLE)
    leaky = pd.concat([inside.iloc[rng.permutation(PEOPLE)[:copied]], good[copied:]]).sample(
        frac=1, random_state=rng
    )
    useless = {name: rng.choice(people[name].unique(), PEOPLE) for name in people}
    marked = people.assign(used=np.repeat(["in", "out"], PEOPLE))
    folder.mkdir(parents=True, exist_ok=True)
    tables = {"people": marked, "good": good, "leaky": leaky, "useless": pd.DataFrame(useless)}
    for name, frame in tables.items():
        write_whole(folder / f"{name}.csv", frame.to_csv(index=False))


def ours(folder: Path = FOLDER) -> Iterator[dict[str, object]]:
    """Rows of ``release, measure`` with our numbers."""
    people = pd.read_csv(folder / "people.csv")
    ask = {"file": folder / "people.csv", "sensitive": SECRET, "members": ("used", "in")}
    for name in ("good", "leaky", "useless"):
        ask["release"] = folder / f"{name}.csv"
        request = Request(**ask, columns=dict.fromkeys(CATEGORIES, "category"))
        table = read_table(request)
        found = attacks(request, table, table.release, table.inside)
        for row in found.rows[found.rows["group"] == EVERYONE].itertuples():
            kept = {
                "attacked": row.tried,
                "inside": row.inside,
                "outside": row.outside,
                "low": row.low,
                "high": row.high,
            }
            yield {"release": name, "measure": row.attack, "ours": row.excess} | kept
        only = dict.fromkeys(CATEGORIES, "category") | dict.fromkeys(NUMBERS, "ignore")
        request = Request(**ask, columns=only)
        table = read_table(request)
        left = utility(request, table, table.release, people["used"].to_numpy() == "in").everyone
        for width in (1, 2):
            yield {"release": name, "measure": f"counts {width}", "ours": left[f"tv{width}"]}


def score(folder: Path = FOLDER) -> pd.DataFrame:
    """Our rows beside theirs, which ``peers.json`` has by release and measure."""
    theirs = json.loads((folder / "peers.json").read_text(encoding="utf-8"))
    rows = [row | theirs[row["release"]].get(row["measure"], {}) for row in ours(folder)]
    return pd.DataFrame(rows)


if __name__ == "__main__":
    if sys.argv[1:] == ["plan"]:
        plan()
    else:
        write_whole(RESULT, score().to_csv(index=False, float_format="%.6g"))
