"""Across the papers: the demographic coherence of stratified synthesizers and of LDP collection, on
one data set.

A cell splits the data set, publishes something about the first half, and lets
a battery of learners read it; predictions on both halves are compared group by
group. All cells of a run share their halves, and a learner of a run draws the
same randomness whatever it reads, so differences between releases are paired.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pandas as pd

from lib import validate
from lib.coherence.experiment import Setup, as_predictions, compare, halves
from lib.coherence.learners import BATTERY, Tracer
from lib.datasets import Dataset, load
from lib.fairness import rates
from lib.rng import stream
from lib.synth.workload import group_errors
from studies.cross_paper.groups import collection
from studies.cross_paper.releases import BY, LDP, TARGET, WITHOUT_EPSILON, Cell, release_of
from studies.data.memory import cached_by_data_location

VERSION = "1"
LENS = ("PUMA", "SEX", "AGE", "RAC1P", "HISP", "EDU", "INDP_CAT")
COLUMNS = (*LENS, TARGET)
READERS = ("forest", "lookup", "tracer")
STATISTICS = ("distance", "null", "null_95")
EPSILONS = (0.1, 1.0, 5.0, 100.0)


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


_data = cached_by_data_location()(load)


def run_cell(cell: Cell, data: Dataset | None = None) -> dict:
    """What was released, ``rho``, ``fit_s``, and the scores of each group and reader.

    A score has the :data:`STATISTICS` of the reader. The rest is the group's, for every reader:
    ``people``; the release's ``error_in`` and ``error_out``, against the half inside and the half
    outside; the rates of the forest on those outside, told 1 where its confidence exceeds the
    release's own share of the target.
    """
    data = data or _data(cell.dataset)
    everyone, domain = data.frame[list(COLUMNS)], data.task.domain.project(COLUMNS)
    if cell.n:
        validate.integer("n", cell.n, low=2, high=len(everyone))
        rng = stream(cell.seed, "across sample", cell.n, cell.run)
        everyone = everyone.iloc[rng.permutation(len(everyone))[: cell.n]]
    everyone = everyone.reset_index(drop=True)
    split = halves(len(everyone), stream(cell.seed, "across split", cell.run, cell.n))
    half_a, half_b = (everyone.iloc[rows].reset_index(drop=True) for rows in split)
    start = time.perf_counter()
    release, rho = release_of(cell, half_a, everyone, domain)
    made = {"rho": rho, "fit_s": time.perf_counter() - start, "released": len(release)}

    both = pd.concat([half_a, half_b], ignore_index=True)
    inside = np.arange(len(both)) < len(half_a)
    members = collection(both, TARGET)
    setup, found = Setup(target=TARGET, lens=LENS), []
    learners = BATTERY | {"tracer": Tracer(everyone)}
    for name in READERS:
        rng, null = (
            stream(cell.seed, f"across {what}", name, cell.run, cell.n)
            for what in ("reader", "null")
        )
        predict = learners[name](release, TARGET, LENS, rng)
        h = as_predictions(predict(both[list(LENS)]), len(both), setup)
        found.append(compare(h, inside, members, setup, null).assign(reader=name))
        if name == "forest":
            told = h > 2 * release[TARGET].mean() - 1
    scores = pd.concat(found, ignore_index=True)[["group", "reader", *STATISTICS]]
    released, truth = collection(release, TARGET), both[TARGET].to_numpy() == 1
    errors = {
        name: group_errors(half, release, collection(half, TARGET), released, domain)
        for name, half in (("error_in", half_a), ("error_out", half_b))
    }
    people = {
        name: {"people": int(who.sum())} | rates(truth[who & ~inside], told[who & ~inside])
        for name, who in members.items()
    }
    own = pd.DataFrame(errors).join(pd.DataFrame.from_dict(people, orient="index"))
    made["scores"] = scores.join(own, on="group").to_dict("records")
    return made | {"data_source": data.source, "data_sha256": data.sha256}


def cost(cell: Cell) -> float:
    """Relative cost, about seconds."""
    strata = {"vanilla": 1, "SEX": 1.6, "RAC1P": 3, "SEX_RAC1P": 6}[cell.by]
    return 4.0 + strata * {"MST": 1.5, "AIM": 15.0, "GEM": 14.0}.get(cell.kind, 0.0)
