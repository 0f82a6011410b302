"""How close the embedded replicas are to the real data: marginals, and a classifier's results.

Marginal error is the total variation distance, averaged over the subsets of k
columns. It stands between two references made from the real data: a bootstrap
resample (as close as another sample would be) and independent columns (what
one gets from one-way marginals alone). Downstream, LightGBM is trained on the
replica or on the real training rows and tested on real rows held out from those.
The replica was made from all rows, the test rows among them, under its epsilon.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import pandas as pd

from lib import validate
from lib.datasets import TASKS, Dataset, load
from lib.domain import Domain
from lib.fairness import evaluate
from lib.ldp import design_matrix
from lib.paths import RESULTS, to_write
from lib.rng import stream
from lib.runner import Grid, Store, run_grid
from lib.runner.cell import COUNT, KeyedCell, set_checked
from lib.runner.tables import write_table
from studies.ldp_fairness.cells import probability, split_rows, train
from studies.ldp_fairness.hyperparameters import PUBLISHED

TABLES = ("replica", "bootstrap", "independent", "real")
SEED = 20261121


@dataclass(frozen=True, kw_only=True)
class Score(KeyedCell, kind="replica score"):
    """One table against the real one.

    ``part`` is ``"marginals"`` or ``"downstream"``, ``run`` the repetition.
    """

    dataset: str
    table: str
    part: str
    run: int
    seed: int = SEED

    def __post_init__(self) -> None:
        parts = ("marginals", "downstream")
        set_checked(self, dataset=TASKS, table=TABLES, part=parts, run=COUNT, seed=COUNT)


def marginal_error(a: pd.DataFrame, b: pd.DataFrame, domain: Domain, k: int) -> tuple[float, float]:
    """Mean and maximum total variation distance of ``a`` and ``b`` over all k-subsets of columns.

    Counted sparsely: only cells that somebody is in are visited.

    Examples
    --------
    >>> a, b = pd.DataFrame({"x": [0, 0, 1, 1]}), pd.DataFrame({"x": [0, 1, 1, 1]})
    >>> marginal_error(a, b, Domain.of({"x": 2}), 1)
    (0.25, 0.25)
    """
    validate.integer("k", k, low=1, high=len(domain))
    columns = [c for c, size in domain if size > 1]
    distances = []
    for subset in combinations(columns, k):
        shape = [domain[c] for c in subset]
        cells = [np.ravel_multi_index([t[c].to_numpy() for c in subset], shape) for t in (a, b)]
        both, codes = np.unique(np.concatenate(cells), return_inverse=True)
        parts = np.split(codes, [len(a)])
        p, q = (np.bincount(part, minlength=both.size) / part.size for part in parts)
        distances.append(np.abs(p - q).sum() / 2)
    return float(np.mean(distances)), float(np.max(distances))


def _table(cell: Score, real: Dataset, rows: np.ndarray) -> pd.DataFrame:
    """The table called ``cell.table``; a reference is made from ``rows`` of the real one."""
    rng = stream(cell.seed, "replica scores", cell.dataset, cell.table, cell.part, cell.run)
    frame = real.frame.iloc[rows]
    if cell.table == "replica":
        return load(cell.dataset, "replica").frame
    if cell.table == "bootstrap":
        return frame.iloc[rng.integers(0, len(frame), len(frame))]
    if cell.table == "independent":
        return frame.apply(lambda column: rng.permutation(column.to_numpy()))
    return frame


def run_score(cell: Score) -> dict:
    """Errors of the 1-, 2-, 3-way marginals, or utility and fairness on real test rows."""
    real = load(cell.dataset)
    validate.require(
        not real.is_replica, "dataset", "there with its real rows (COMPANION_DATA)", cell.dataset
    )
    origin: dict[str, object] = {"data_sha256": real.sha256}
    if cell.table == "replica":
        origin["replica_sha256"] = load(cell.dataset, "replica").sha256
    if cell.part == "marginals":
        other = _table(cell, real, np.arange(len(real.frame)))
        for k in (1, 2, 3):
            errors = marginal_error(real.frame, other, real.task.domain, k)
            origin[f"mean_{k}"], origin[f"max_{k}"] = errors
        return origin
    fit, test = split_rows(real.y, cell.run)
    table, features = _table(cell, real, fit), real.task.domain.project(real.task.features)
    default = {"max_depth": -1, "learning_rate": 0.1, "n_estimators": 100}
    known, target = design_matrix(table, features), table[real.task.target].to_numpy()
    model = train(known, target, PUBLISHED.get(cell.dataset, default), cell.run)
    scores = probability(model, design_matrix(real.frame.iloc[test], features))
    return evaluate(real.y[test], (scores > 0.5).astype(int), real.protected[test], scores) | origin


def score_grid(profile: str = "paper") -> Iterator[Score]:
    """All data sets and tables: marginals once (references 3 times), downstream 5 times.

    ``"quick"`` has the first run of each.
    """
    for dataset, table in product(TASKS, TABLES):
        marginals = {"replica": 1, "real": 0}.get(table, 3)
        for part, runs in {"marginals": marginals, "downstream": 5}.items():
            for run in range(runs if profile == "paper" else min(runs, 1)):
                yield Score(dataset=dataset, table=table, part=part, run=run)


SCORES = Grid(
    "replica_scores",
    "The embedded replicas against the real tables",
    score_grid,
    run_score,
    lambda cell: 1.0,
    "1",
    RESULTS,
)


def score_all() -> pd.DataFrame:
    """Every score of the replicas as they are now, from the store or computed.

    Scores of replaced replicas are dropped first, those of references stay.
    """
    path = to_write(SCORES.path("paper"))
    store = Store(path, version=SCORES.version)
    if len(store):
        with store.writing():  # what a killed run has left is folded
            pass
        with store.writing():
            scores = store.frame()
            now = scores["dataset"].map({name: load(name, "replica").sha256 for name in TASKS})
            current = scores[(scores["table"] != "replica") | (scores["replica_sha256"] == now)]
            if len(current) < len(scores):
                write_table(current, path)
    return run_grid(SCORES)
