"""The rerun of the synthesizers: MST, AIM and GEM, plain and stratified, on real tables, against
three baselines.

A cell fits one synthesizer on four fifths of the rows, draws as many rows as it
saw, and scores them on the fifth that it did not see and, as published, on the rows that it saw.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from lib import validate
from lib.dp import rho_in_floats
from lib.rng import stream
from lib.runner.cell import BUDGET, COUNT, KeyedCell, set_checked
from lib.synth import AIM, GEM, MST, Stratified, Synthesizer
from lib.synth.gem import published_spending
from studies.synthesizers.scores import classifier, group_scores
from studies.synthesizers.settings import (
    AS_DECLARED,
    AS_SPENT,
    BASELINES,
    DELTA,
    EPSILONS,
    MAIN,
    SEED,
)
from studies.synthesizers.tables import BY, TABLES, Table, groups_of, split, table_of

SYNTHESIZERS = {
    "MST": MST(),
    "AIM": AIM(),
    "GEM": GEM(),
    "GEM, single cells": GEM(variant="cell", rounds=100, alpha=0.67),
    # the published network would take 100 times as long
    AS_SPENT: GEM.published(shrink=8),
    AS_DECLARED: GEM.published(shrink=8),
}


@dataclass(frozen=True, kw_only=True)
class Cell(KeyedCell, kind="synthesizer"):
    """One fit: a synthesizer, the columns by which it is stratified, a budget, a run.

    ``small`` is the rule for groups of at most 0.1% of the rows. A baseline has
    ``by="vanilla"`` and an infinite epsilon.
    """

    dataset: str
    synthesizer: str
    by: str = "vanilla"
    epsilon: float = 1.0
    small: str = "keep"
    run: int = 0
    seed: int = SEED

    def __post_init__(self) -> None:
        set_checked(self, dataset=TABLES, synthesizer=(*SYNTHESIZERS, *BASELINES), by=BY)
        set_checked(self, small=("keep", "drop", "merge"), epsilon=BUDGET, run=COUNT, seed=COUNT)
        name, baseline = self.synthesizer, self.synthesizer in BASELINES
        if baseline != (self.epsilon == np.inf):
            raise ValueError(
                "epsilon must be finite for a synthesizer and infinite for a baseline, got"
                f" {self.epsilon!r} for {name!r}"
            )
        plain = self.by == "vanilla" or not baseline
        validate.require(plain, "by", f"'vanilla' for the baseline {name!r}", self.by)


def synth_grid(
    dataset: str, runs: range = range(5), epsilons: tuple[float, ...] = EPSILONS
) -> Iterator[Cell]:
    """Run by run: baselines, three synthesizers x four stratifications x six budgets, and
    fits by the published rules where these differ from ours; on the paper's own people, also the
    published GEM by sex and by race alone, and at the budget that its script declares.
    """
    for run in runs:
        cell = partial(Cell, dataset=dataset, run=run)
        for baseline in BASELINES:
            yield cell(synthesizer=baseline, epsilon=np.inf)
        for name in MAIN:
            for by, epsilon in product(BY, epsilons):
                yield cell(synthesizer=name, by=by, epsilon=epsilon)
            for small in ("drop", "merge"):
                yield cell(synthesizer=name, by="SEX_RAC1P", small=small)
        for epsilon in epsilons:
            yield cell(synthesizer="GEM, single cells", epsilon=epsilon)
            for by in BY if dataset == "newyork2018" else ("vanilla", "SEX_RAC1P"):
                yield cell(synthesizer=AS_SPENT, by=by, epsilon=epsilon)
                if dataset == "newyork2018" and by in ("vanilla", "SEX_RAC1P"):
                    yield cell(synthesizer=AS_DECLARED, by=by, epsilon=epsilon)


def stratified(inner: Synthesizer, by: str, **wrapper) -> Synthesizer:
    """``inner`` fitted to everybody (``by="vanilla"``) or inside each group of ``by``;
    ``wrapper``: see :class:`Stratified`.
    """
    validate.choice("by", by, BY)
    return inner if by == "vanilla" else Stratified(inner=inner, by=tuple(by.split("_")), **wrapper)


def synthesizer(cell: Cell) -> Synthesizer:
    """What the cell fits."""
    keep = cell.synthesizer in (AS_SPENT, AS_DECLARED)  # as published
    return stratified(SYNTHESIZERS[cell.synthesizer], cell.by, small=cell.small, keep_columns=keep)


def declared(cell: Cell) -> float:
    """The ``rho`` of the cell's fit: that of its epsilon, but for :data:`AS_SPENT`.

    There the rounds get what the published script spends, and our noisy number of rows is paid for
    on top of it.
    """
    if cell.synthesizer == AS_SPENT:
        gem: Any = SYNTHESIZERS[AS_SPENT]
        return published_spending(cell.epsilon)["rho"] / (1 - gem.count_share)
    return rho_in_floats(cell.epsilon, DELTA)


def _baseline(name: str, seen: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    if name == "real":
        return seen
    n = len(seen)
    if name == "bootstrap":
        return seen.iloc[rng.integers(0, n, n)].reset_index(drop=True)
    return seen.apply(lambda column: column.to_numpy()[rng.integers(0, n, n)])


@threadpool_limits.wrap(limits=1)  # a sum that is split over threads may round otherwise
def run_cell(cell: Cell, table: Table | None = None) -> dict:
    """What was spent and how long it took, and the scores of every group.

    A score is of the rows that were ``seen`` or of the held-out ones; ``people`` counts the group's
    seen rows in both.
    """
    table = table or table_of(cell.dataset)
    seen, held = split(table, cell.run, cell.seed)
    key = (cell.dataset, cell.synthesizer, cell.by, cell.small, cell.epsilon, cell.run)
    rng = stream(cell.seed, "synth", *key)
    start, spent = time.perf_counter(), np.nan
    if cell.synthesizer in BASELINES:
        rows = _baseline(cell.synthesizer, seen, rng)
    else:
        model = synthesizer(cell).fit(seen, table.domain, rho=declared(cell), rng=rng)
        rows, spent = model.sample(len(seen), rng), model.accountant.spent
    fit_s = time.perf_counter() - start
    predict = classifier(rows, table.target, table.domain, cell.run)
    people = {name: int(who.sum()) for name, who in groups_of(seen, table.domain).items()}
    scores = [
        {"seen": real is seen, "people": people[score["group"]]} | score
        for real in (held, seen)
        for score in group_scores(real, rows, predict(real), table.target, table.domain)
    ]
    made = {"rho": spent, "fit_s": fit_s, "rows": len(seen), "scores": scores}
    return made | {"data_source": table.source, "data_sha256": table.sha256}


def cost(cell: Cell) -> float:
    """Relative cost: strata multiply it, and AIM's grows with the budget."""
    if cell.synthesizer in BASELINES:
        return 1.0
    base = {"MST": 1.0, "AIM": 4.0 + 3 * np.log1p(cell.epsilon)}.get(cell.synthesizer, 8.0)
    return float(base * 2 ** BY.index(cell.by))
