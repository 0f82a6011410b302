"""Whole audits of simulated releases: how often one flags, where nothing leaks and where some rows
are copies: ``make audit-rates``.

People come in households that share their record and are inside or left out as wholes. A release
is of other people of the same law, and a share of its rows may be copies of people inside. Every
audit reads its files, trains, tests all groups and corrects; a cell's stream comes from its key.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from lib.audit.request import Request
from lib.audit.run import run_audit
from lib.files import write_whole
from lib.paths import ROOT
from lib.rng import stream
from lib.runner.cell import KeyedCell
from lib.runner.store import Store
from lib.runner.sweep import run_sweep
from lib.stats.summary import clopper_pearson

STORE, RESULT = ROOT / "_build" / "audit_rates.parquet", Path(__file__).with_name("audit_rates.csv")
SEED, POWER_RUNS = 20261126, 25
RUNS = {True: 100, False: 50}  # by whether households are told
HOUSEHOLDS = {"1": (1,), "2": (2,), "4": (4,), "6": (6,), "1 to 6": (1, 2, 3, 4, 5, 6)}
SHARES, SIZES = (0.02, 0.05, 0.1, 0.2), (1000, 4000)


@dataclass(frozen=True, kw_only=True)
class Trial(KeyedCell, kind="audit rates"):
    """One audit of about ``people`` in ``households`` of these sizes, which are ``told`` or not."""

    people: int
    households: str
    told: bool
    copied: float
    run: int
    seed: int = SEED


def cells() -> list[Trial]:
    """Audits without a leak by size of household, and with copies by number of people."""
    null = [
        Trial(people=600, households=name, told=told, copied=0.0, run=run)
        for name in HOUSEHOLDS
        for told in (False, True)
        for run in range(RUNS[told])
    ]
    leaks = [
        Trial(people=n, households="1", told=False, copied=share, run=run)
        for n in SIZES
        for share in SHARES
        for run in range(POWER_RUNS)
    ]
    return null + leaks


def _people(n: int, sizes: tuple[int, ...], rng: np.random.Generator) -> pd.DataFrame:
    """About ``n`` people; a household shares place, pay and illness, which pay decides upon."""
    count = round(n / np.mean(sizes))
    house = np.repeat(np.arange(count), rng.choice(sizes, count))
    place, pay = (
        rng.choice(["east", "south", "west"], count, p=[0.6, 0.3, 0.1]),
        rng.normal(size=count),
    )
    ill = rng.random(count) < 1 / (1 + np.exp(-2 * pay))
    frame = {"place": place, "pay": pay.round(3), "ill": np.where(ill, "yes", "no")}
    return pd.DataFrame(frame).iloc[house].assign(house=house).reset_index(drop=True)


def run_trial(trial: Trial) -> dict[str, float]:
    """Whether some group was flagged, and the smallest adjusted p-value."""
    key = (trial.people, trial.households, trial.copied, trial.run)
    rng, sizes = stream(trial.seed, "audit rates", *key), HOUSEHOLDS[trial.households]
    people, others = (_people(trial.people, sizes, rng) for _ in range(2))
    drawn = rng.permutation(people["house"].max() + 1)
    people["used"] = np.where(people["house"].isin(drawn[: drawn.size // 2]), "in", "out")
    inside = people[people["used"] == "in"]
    copied = round(trial.copied * len(inside))
    release = pd.concat([inside.sample(copied, random_state=rng), others[: len(inside) - copied]])
    with tempfile.TemporaryDirectory() as folder:
        files = {"people": people, "release": release.drop(columns=["used", "house"])}
        for name, frame in files.items():
            write_whole(Path(folder, f"{name}.csv"), frame.to_csv(index=False))
        request = Request(
            file=Path(folder, "people.csv"),
            release=Path(folder, "release.csv"),
            sensitive="ill",
            positive="yes",
            groups=("place",),
            members=("used", "in"),
            cluster="house" if trial.told else None,
            learners=("forest", "lookup"),
            columns={} if trial.told else {"house": "ignore"},
            gamma=20,
            splits=2,
        )
        found = run_audit(request, progress=False)
    flagged = float(len(found.flagged) > 0)
    return {"flagged": flagged, "p": float(found.verdicts["adjusted"].min())}


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """The share of audits that flag some group, with its 95% Clopper-Pearson interval."""
    rows = []
    by = ["copied", "people", "households", "told"]
    for key, part in frame.groupby(by):
        hits = int(part["flagged"].sum())
        ends = clopper_pearson(hits, len(part))
        rows.append((*key, len(part), hits / len(part), *ends))
    return pd.DataFrame(rows, columns=[*by, "audits", "flagged", "low", "high"])


if __name__ == "__main__":
    found = summary(run_sweep(cells(), run_trial, Store(STORE, version="1")))
    write_whole(RESULT, found.to_csv(index=False, float_format="%.4g"))
    print(found.to_string(index=False))
