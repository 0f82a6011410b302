"""The grid: plain, stratified and pooled models of the same people, and their errors by group.

A cell fits one model to the rows seen and compares what it draws, group by group, with these rows
and with people whom it has not seen.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from threadpoolctl import threadpool_limits

from lib import validate
from lib.dp import rho_in_floats
from lib.groups import EVERYONE, group_name, groups
from lib.rng import stream
from lib.runner.cell import BUDGET, COUNT, KeyedCell, set_checked
from lib.synth import AIM, GEM, MST, Stratified, Synthesizer, break_even
from lib.synth.stratified import StratifiedModel
from lib.synth.workload import group_errors
from studies.pooling.tables import SETTINGS, domain_of, people_of, split
from studies.synthesizers.newyork import Table

VERSION = "1"
SEED = 20261129
DELTA = 1e-9
EPSILONS = (0.1, 0.5, 1.0, 5.0)
MECHANISMS: dict[str, Synthesizer] = {"MST": MST(), "AIM": AIM(), "GEM": GEM()}
WAYS = ("plain", "stratified", "pooled")


@dataclass(frozen=True, kw_only=True)
class Cell(KeyedCell, kind="pooling"):
    """One fit: a table, a mechanism, a way, the kind of groups, a budget, a run.

    ``"plain"`` knows no groups, and is scored by all kinds: its ``by`` is ``""``.
    """

    table: str
    mechanism: str
    way: str
    by: str = ""
    epsilon: float = 1.0
    run: int = 0
    seed: int = SEED

    def __post_init__(self) -> None:
        set_checked(self, table=SETTINGS, mechanism=MECHANISMS, way=WAYS, epsilon=BUDGET)
        set_checked(self, run=COUNT, seed=COUNT)
        allowed = ("",) if self.way == "plain" else SETTINGS[self.table].by
        validate.choice("by", self.by, allowed)


def pooling_grid(mechanism: str, runs: range = range(10)) -> Iterator[Cell]:
    """Run by run, table by table: the plain model, and the two ways by each kind of group.

    AIM and GEM are asked about sex and race alone: with the few groups of race or disability, the
    pool of any mechanism is little else than its plain model.
    """
    for run, (table, setting), epsilon in product(runs, SETTINGS.items(), EPSILONS):
        cell = partial(Cell, table=table, mechanism=mechanism, epsilon=epsilon, run=run)
        yield cell(way="plain")
        kinds = setting.by if mechanism == "MST" else ("sex and race",)
        for by, way in product(kinds, WAYS[1:]):
            yield cell(way=way, by=by)


def model_of(cell: Cell) -> Synthesizer:
    """What the cell fits. Sizes of groups are noisy, and paid for, in both ways by groups."""
    inner = MECHANISMS[cell.mechanism]
    if cell.way == "plain":
        return inner
    by = SETTINGS[cell.table].by[cell.by]
    if cell.way == "pooled":
        return Stratified(inner=inner, by=by, threshold="break-even")
    return Stratified(inner=inner, by=by, weights="projected")


def least_people(table: str, by: str, epsilon: float) -> float:
    """The break-even size of a setting at a budget, of which 5% pay for the sizes."""
    rho = (1 - Stratified.count_share) * rho_in_floats(epsilon, DELTA)
    return break_even(domain_of(table), by=SETTINGS[table].by[by], rho=rho)


@threadpool_limits.wrap(limits=1)  # a sum that is split over threads may round otherwise
def run_cell(cell: Cell, people: Table | None = None) -> dict:
    """What was spent, how long it took, and the scores of every group.

    Of a group: people ``seen`` and ``held`` out, the three-way ``error`` of the rows drawn against
    both (``error_seen``, ``error_held``), and whether it shared a model (``pooled``).
    """
    people = people or people_of(cell.table)
    seen, held = split(people, cell.table, cell.run, cell.seed)
    key = (cell.table, cell.mechanism, cell.way, cell.by, cell.epsilon, cell.run)
    rng = stream(cell.seed, "pooling", *key)
    start = time.perf_counter()
    model = model_of(cell).fit(seen, people.domain, rho=rho_in_floats(cell.epsilon, DELTA), rng=rng)
    rows = model.sample(max(1, round(model.total)), rng)
    fit_s = time.perf_counter() - start
    kinds = SETTINGS[cell.table].by
    wanted = kinds if cell.way == "plain" else {cell.by: kinds[cell.by]}
    shared = shared_groups(model)
    scores = []
    for kind, columns in wanted.items():
        inside, outside, drawn = (
            groups(part, crossings=[columns], everyone=kind == next(iter(wanted)))
            for part in (seen, held, rows)
        )
        errors = {
            name: group_errors(real, rows, found, drawn, people.domain)
            for name, real, found in (("seen", seen, inside), ("held", held, outside))
        }
        for name in sorted(inside.keys() | outside.keys()):
            sizes = {
                what: int(found[name].sum()) if name in found else 0
                for what, found in (("seen", inside), ("held", outside))
            }
            own = {f"error_{what}": errors[what].get(name, np.nan) for what in sizes}
            by = "" if name == EVERYONE else kind
            scores.append({"group": name, "of": by, "pooled": name in shared} | sizes | own)
    made = {"rho": model.accountant.spent, "fit_s": fit_s, "rows": len(rows), "scores": scores}
    return made | {"data_source": people.source, "data_sha256": people.sha256}


def shared_groups(model: object) -> set[str]:
    """Names of the groups that share a model."""
    if not isinstance(model, StratifiedModel):
        return set()
    crossings = (dict(zip(model.by, codes, strict=True)) for codes in model.pooled)
    return {group_name(crossing) for crossing in crossings}


def cost(cell: Cell) -> float:
    """Relative cost, about seconds."""
    base = {"MST": 3.0, "AIM": 8.0, "GEM": 8.0}[cell.mechanism]
    strata = {"": 1.0, "sex and race": 4.0, "race": 3.0, "disability": 2.0}[cell.by]
    return base * strata
