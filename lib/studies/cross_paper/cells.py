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
from lib.rng import stream
from lib.runner.cell import KeyedCell, set_normalised
from lib.studies.cross_paper.releases import (
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
from lib.studies.cross_paper.scores import collection, group_rates
from lib.synth.workload import group_errors

__all__ = [
    "VERSION",
    "SEED",
    "COLUMNS",
    "LENS",
    "TARGET",
    "READERS",
    "STATISTICS",
    "Cell",
    "across_grid",
    "run_cell",
    "release_of",
    "cost",
    "per_group",
]

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
        validate.choice("kind", self.kind, KINDS)
        validate.choice("by", self.by, BY)
        validate.choice("weights", self.weights, WEIGHTS)
        validate.choice("dataset", self.dataset, ("nist",))
        set_normalised(
            self,
            run=validate.integer("run", self.run, low=0),
            n=validate.integer("n", self.n, low=0),
            epsilon=validate.positive("epsilon", self.epsilon, infinite=True),
            seed=validate.integer("seed", self.seed, low=0),
        )
        if (self.kind in WITHOUT_EPSILON) != math.isinf(self.epsilon):
            raise ValueError(
                f"epsilon={self.epsilon!r} is not allowed for kind={self.kind!r}: infinite for "
                f"{', '.join(WITHOUT_EPSILON)}, finite for the others"
            )
        if self.kind not in SYNTHESIZERS and self.by != "vanilla":
            raise ValueError(f"by={self.by!r} is not allowed for kind={self.kind!r}: 'vanilla' is")
        if self.by == "vanilla" and self.weights != "public":
            raise ValueError(
                f"weights={self.weights!r} is not allowed for by='vanilla': 'public' is"
            )


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
    rng = stream(
        cell.seed,
        "across release",
        cell.kind,
        cell.by,
        cell.weights,
        cell.epsilon,
        cell.run,
        cell.n,
    )
    if cell.kind in SYNTHESIZERS:
        return synthetic_release(
            cell.kind, cell.by, cell.weights, cell.epsilon, inside, domain, rng
        )
    if cell.kind in LDP:
        return ldp_release(cell.kind, cell.epsilon, inside, domain, TARGET, rng), math.nan
    return plain_release(cell.kind, inside, everyone, domain, rng), math.nan


def _learner(name: str, everyone: pd.DataFrame) -> Learner:
    return Tracer(everyone) if name == "tracer" else BATTERY[name]


def run_cell(cell: Cell, data: Dataset | None = None) -> dict:
    """Flat record of one cell.

    ``<statistic>|<reader>|<group>`` for each of :data:`STATISTICS`; of each
    group ``n``, ``error_in`` and ``error_out`` (of the release, against the
    half inside and the half outside), and ``acc``, ``rate``, ``tpr``, ``fpr`` of
    the forest on those outside, told 1 where its confidence exceeds the
    release's own share of the target; ``rho``, ``fit_s``.
    """
    data = data or _data()
    everyone, domain = _table(cell, data)
    rows_a, rows_b = halves(len(everyone), stream(cell.seed, "across split", cell.run, cell.n))
    half_a, half_b = (everyone.iloc[rows].reset_index(drop=True) for rows in (rows_a, rows_b))
    start = time.perf_counter()
    release, rho = release_of(cell, half_a, everyone, domain)
    flat = {"rho": rho, "fit_s": time.perf_counter() - start, "released": len(release)}

    both = pd.concat([half_a, half_b], ignore_index=True)
    inside = np.arange(len(both)) < len(half_a)
    members = collection(both, TARGET)
    flat |= {f"n|{name}": int(who.sum()) for name, who in members.items()}
    setup = Setup(target=TARGET, lens=LENS)
    for name in READERS:
        predict = _learner(name, everyone)(
            release, TARGET, LENS, stream(cell.seed, "across reader", name, cell.run, cell.n)
        )
        h = as_predictions(predict(both[list(LENS)]), len(both), setup)
        found = compare(
            h, inside, members, setup, stream(cell.seed, "across null", name, cell.run, cell.n)
        )
        flat |= {
            f"{s}|{name}|{row.group}": float(getattr(row, s))
            for row in found.itertuples()
            for s in STATISTICS
        }
        if name == "forest":
            told = h[~inside] > 2 * release[TARGET].mean() - 1
            flat |= group_rates(
                told,
                half_b[TARGET].to_numpy() == 1,
                {g: who[~inside] for g, who in members.items()},
            )
    flat |= _errors(release, {"error_in": half_a, "error_out": half_b}, domain)
    return flat | {"data_source": data.source, "data_sha256": data.sha256}


def _errors(
    release: pd.DataFrame, against: dict[str, pd.DataFrame], domain: Domain
) -> dict[str, float]:
    released = collection(release, TARGET)
    return {
        f"{prefix}|{group}": value
        for prefix, half in against.items()
        for group, value in group_errors(
            half, release, collection(half, TARGET), released, domain
        ).items()
    }


def cost(cell: Cell) -> float:
    """Relative cost, about seconds."""
    strata = {"vanilla": 1, "SEX": 1.6, "RAC1P": 3, "SEX_RAC1P": 6}[cell.by]
    return 4.0 + strata * {"MST": 1.5, "AIM": 15.0, "GEM": 14.0}.get(cell.kind, 0.0)


def per_group(records: pd.DataFrame) -> pd.DataFrame:
    """Stored records as one row a cell, reader and group: the cell's fields, sizes, errors, rates
    and distances.

    ``excess`` is the distance less what reshuffled membership makes.
    """
    fields = ["kind", "by", "weights", "epsilon", "run"]
    names = [column.removeprefix("n|") for column in records.columns if column.startswith("n|")]
    parts = []
    for group in names:
        own = {
            k: records[f"{k}|{group}"]
            for k in ("n", "error_in", "error_out", "acc", "rate", "tpr", "fpr")
            if f"{k}|{group}" in records
        }
        for reader in READERS:
            stats = {s: records[f"{s}|{reader}|{group}"] for s in STATISTICS}
            parts.append(records[fields].assign(group=group, reader=reader, **own, **stats))
    rows = pd.concat(parts, ignore_index=True)
    return rows.assign(excess=rows["distance"] - rows["null"])
