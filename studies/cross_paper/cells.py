"""Across the papers: the demographic coherence of stratified synthesizers and of LDP collection, on
one data set.

A cell splits the data set, publishes something about the first half, and lets
a battery of learners read it; predictions on both halves are compared group by
group. All cells of a run share their halves, and a learner of a run draws the
same randomness whatever it reads, so differences between releases are paired.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from lib import validate
from lib.coherence.experiment import Setup, as_predictions, compare, halves
from lib.coherence.learners import BATTERY, Learner
from lib.coherence.tracing import Tracer
from lib.datasets import Dataset, load
from lib.datasets.memory import cached_by_data_location
from lib.domain import Domain
from lib.fairness import rates
from lib.rng import stream
from lib.runner.cell import BUDGET, COUNT, KeyedCell, set_checked
from lib.synth.workload import group_errors
from studies.cross_paper.groups import collection
from studies.cross_paper.releases import (
    BY,
    KINDS,
    LDP,
    SYNTHESIZERS,
    WEIGHTS,
    WITHOUT_EPSILON,
    ldp_release,
    plain_release,
    synthetic_release,
)

VERSION = "1"
SEED = 20261121
TARGET = "DREM"
LENS = ("PUMA", "SEX", "AGE", "RAC1P", "HISP", "EDU", "INDP_CAT")
COLUMNS = (*LENS, TARGET)
READERS = ("forest", "lookup", "tracer")
STATISTICS = ("distance", "null", "null_95")
EPSILONS = (0.1, 1.0, 5.0, 100.0)


@dataclass(frozen=True, kw_only=True)
class Cell(KeyedCell, kind="cross paper"):
    """One release in one split; ``n`` people drawn at random (0: all). ``by`` and ``weights``
    are for synthesizers only.
    """

    kind: str
    by: str = "vanilla"
    weights: str = "public"
    epsilon: float = math.inf
    run: int = 0
    n: int = 0
    dataset: str = "nist"
    seed: int = SEED

    def __post_init__(self) -> None:
        set_checked(self, kind=KINDS, by=BY, weights=WEIGHTS, dataset=("nist",))
        set_checked(self, run=COUNT, n=COUNT, epsilon=BUDGET, seed=COUNT)
        if (self.kind in WITHOUT_EPSILON) != math.isinf(self.epsilon):
            raise ValueError(
                f"epsilon must be infinite for {', '.join(WITHOUT_EPSILON)} and finite for the"
                f" others, got {self.epsilon!r} for kind={self.kind!r}"
            )
        if self.kind not in SYNTHESIZERS and self.by != "vanilla":
            raise ValueError(f"by must be 'vanilla' for kind={self.kind!r}, got {self.by!r}")
        if self.by == "vanilla" and self.weights != "public":
            raise ValueError(f"weights must be 'public' for by='vanilla', got {self.weights!r}")


def across_grid(runs: range = range(10), dear: range = range(5)) -> Iterator[Cell]:
    """Cheap releases of all ``runs`` first, then AIM and GEM in the runs of ``dear``; each run by
    run.

    Releases without a budget come in twice as many runs, since they are what
    the others are measured by. AIM and GEM are stratified at epsilon 1 only.
    """
    for run in range(runs.start, runs.start + 2 * len(runs)):
        yield from (Cell(kind=kind, run=run) for kind in WITHOUT_EPSILON)
        if run in runs:
            yield from _cheap(run)
    for run in dear:
        for kind in ("AIM", "GEM"):
            yield from (Cell(kind=kind, epsilon=epsilon, run=run) for epsilon in EPSILONS[:3])
            yield Cell(kind=kind, by="SEX", epsilon=1.0, run=run)
        yield Cell(kind="AIM", by="SEX_RAC1P", epsilon=1.0, run=run)
    for run in dear:  # the dearest of all
        yield Cell(kind="GEM", by="SEX_RAC1P", epsilon=1.0, run=run)


def _cheap(run: int) -> Iterator[Cell]:
    for epsilon in EPSILONS:
        for kind in LDP:
            yield Cell(kind=kind, epsilon=epsilon, run=run)
        for by in BY if epsilon < 100 else ("vanilla", "SEX_RAC1P"):
            yield Cell(kind="MST", by=by, epsilon=epsilon, run=run)
        if epsilon in (1.0, 5.0):
            yield Cell(kind="MST", by="SEX_RAC1P", weights="noisy", epsilon=epsilon, run=run)


@cached_by_data_location()
def _data() -> Dataset:
    return load("nist")


def _table(cell: Cell, data: Dataset) -> tuple[pd.DataFrame, Domain]:
    frame = data.frame[list(COLUMNS)]
    if cell.n:
        validate.integer("n", cell.n, low=2, high=len(frame))
        frame = frame.iloc[
            stream(cell.seed, "across sample", cell.n, cell.run).permutation(len(frame))[: cell.n]
        ]
    return frame.reset_index(drop=True), data.task.domain.project(COLUMNS)


def release_of(
    cell: Cell, inside: pd.DataFrame, everyone: pd.DataFrame, domain: Domain
) -> tuple[pd.DataFrame, float]:
    """The table that the cell publishes, and the rho it spent (NaN unless it is a
    synthesizer's).
    """
    setting = cell.kind, cell.by, cell.weights, cell.epsilon
    rng = stream(cell.seed, "across release", *setting, cell.run, cell.n)
    if cell.kind in SYNTHESIZERS:
        return synthetic_release(*setting, inside, domain, rng)
    if cell.kind in LDP:
        return ldp_release(cell.kind, cell.epsilon, inside, domain, TARGET, rng), math.nan
    return plain_release(cell.kind, inside, everyone, domain, rng), math.nan


def run_cell(cell: Cell, data: Dataset | None = None) -> dict:
    """What was released, ``rho``, ``fit_s``, and the scores of each group and reader.

    A score has the :data:`STATISTICS` of the reader. The rest is the group's, for every reader:
    ``people``; the release's ``error_in`` and ``error_out``, against the half inside and the half
    outside; the rates of the forest on those outside, told 1 where its confidence exceeds the
    release's own share of the target.
    """
    data = data or _data()
    everyone, domain = _table(cell, data)
    split = halves(len(everyone), stream(cell.seed, "across split", cell.run, cell.n))
    half_a, half_b = (everyone.iloc[rows].reset_index(drop=True) for rows in split)
    start = time.perf_counter()
    release, rho = release_of(cell, half_a, everyone, domain)
    made = {"rho": rho, "fit_s": time.perf_counter() - start, "released": len(release)}

    both = pd.concat([half_a, half_b], ignore_index=True)
    inside = np.arange(len(both)) < len(half_a)
    members = collection(both, TARGET)
    setup, found = Setup(target=TARGET, lens=LENS), []
    learners: dict[str, Learner] = BATTERY | {"tracer": Tracer(everyone)}
    for name in READERS:
        rng = stream(cell.seed, "across reader", name, cell.run, cell.n)
        predict = learners[name](release, TARGET, LENS, rng)
        h = as_predictions(predict(both[list(LENS)]), len(both), setup)
        null = stream(cell.seed, "across null", name, cell.run, cell.n)
        found.append(compare(h, inside, members, setup, null).assign(reader=name))
        if name == "forest":
            told = h > 2 * release[TARGET].mean() - 1
    scores = pd.concat(found, ignore_index=True)[["group", "reader", *STATISTICS]]
    own = _of_groups(release, half_a, half_b, told, members, domain)
    made["scores"] = scores.join(own, on="group").to_dict("records")
    return made | {"data_source": data.source, "data_sha256": data.sha256}


def _of_groups(release, half_a, half_b, told, members, domain: Domain) -> pd.DataFrame:
    """The release's errors on each group, its people, and the rates of what was ``told``.

    ``told`` and ``members`` are of both halves, one after the other; the rates of those outside.
    """
    released, cut = collection(release, TARGET), len(half_a)
    errors = {
        name: group_errors(half, release, collection(half, TARGET), released, domain)
        for name, half in (("error_in", half_a), ("error_out", half_b))
    }
    truth, told = half_b[TARGET].to_numpy() == 1, told[cut:]
    people = {
        name: {"people": int(who.sum())} | rates(truth[who[cut:]], told[who[cut:]])
        for name, who in members.items()
    }
    return pd.DataFrame(errors).join(pd.DataFrame.from_dict(people, orient="index"))


def cost(cell: Cell) -> float:
    """Relative cost, about seconds."""
    strata = {"vanilla": 1, "SEX": 1.6, "RAC1P": 3, "SEX_RAC1P": 6}[cell.by]
    return 4.0 + strata * {"MST": 1.5, "AIM": 15.0, "GEM": 14.0}.get(cell.kind, 0.0)
