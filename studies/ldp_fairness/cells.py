"""The grid of Arcolezi et al.: LDP on the sensitive attributes of the training set, LightGBM,
tested on true data.

A :class:`Cell` is one training. Runs share their splits: run ``r`` of every
protocol, budget and the NonDP baseline trains and tests on the same people, so
differences to NonDP are paired. Split and model use ``random_state = r``, as
the published runs do; the noise has its own stream, keyed by the cell.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from sklearn.model_selection import train_test_split

from lib import validate
from lib.datasets import Dataset, load, task
from lib.extras import needs
from lib.fairness import Metric, evaluate
from lib.ldp import (
    PROTOCOLS,
    ROUNDED,
    SPLITS,
    design_matrix,
    make,
    protocol_class,
    sanitise,
    split_budget,
)
from lib.rng import stream
from lib.runner.cell import COUNT, KeyedCell, set_checked
from studies.data.memory import cached_by_data_location
from studies.ldp_fairness.hyperparameters import CHOICES, hyperparameters

if TYPE_CHECKING:
    from lightgbm import LGBMClassifier

# Raised whenever a change here or below alters what a cell computes; a golden test holds it.
VERSION = "2"  # 2: the subsets of SS are drawn another way; the other protocols' cells are as in 1

EPSILONS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 20.0, 50.0)
BASELINE = "NonDP"


@dataclass(frozen=True, kw_only=True)
class Cell(KeyedCell, kind="ldp fairness"):
    """One training.

    Parameters
    ----------
    dataset : str
        A task of ``lib.datasets``, or ``"module:TASK"``.
    protocol : str
        One of ``lib.ldp.PROTOCOLS`` or ``"module:Class"``, or ``"NonDP"`` (then ``split="none"``,
        ``epsilon=nan``).
    split : {"uniform", "k-based", "none"}
    epsilon : float
        Budget of a user's whole report.
    run : int
        0, 1, ...: the train/test split, the model's seed and the noise stream.
    sensitive : {"table2", "random"}
        The four attributes of Table 2, or the appendix's draw for this run.
    hyperparameters : str
        "published", "tuned" or "default", see ``studies.ldp_fairness.hyperparameters``.
    seed : int
        Master seed of the noise.
    """

    dataset: str
    protocol: str
    split: str
    epsilon: float
    run: int
    sensitive: str = "table2"
    hyperparameters: str = "published"
    seed: int = 20230717

    def __post_init__(self) -> None:
        task(self.dataset)
        set_checked(
            self,
            run=COUNT,
            seed=COUNT,
            sensitive=("table2", "random"),
            hyperparameters=CHOICES,
            split=("none",) if self.protocol == BASELINE else SPLITS,
        )
        if self.protocol != BASELINE:
            protocol_class(self.protocol)
            set_checked(self, epsilon=validate.budget)
            budgets(self)  # a share that is too small is known here, not after earlier cells
        else:
            what = f"nan for {BASELINE}, which has no budget"
            validate.require(self.epsilon != self.epsilon, "epsilon", what, self.epsilon)
            set_checked(self, epsilon=lambda *_: math.nan)

    @property
    def noise(self) -> np.random.Generator:
        """The stream of this cell's LDP noise."""
        key = (self.dataset, self.protocol, self.split, float(self.epsilon), self.run)
        return stream(self.seed, "ldp-fairness", *key, self.sensitive)


def main_grid(
    datasets=("lsac", "adult", "acs_coverage"),
    protocols=PROTOCOLS,
    splits=SPLITS,
    epsilons=EPSILONS,
    runs=range(20),
    **options,
) -> Iterator[Cell]:
    """Figs 2-7, run by run: all cells of run 0 first, its baselines before them."""
    for run, dataset in product(runs, datasets):
        common = {"dataset": dataset, "run": run} | options
        yield Cell(protocol=BASELINE, split="none", epsilon=math.nan, **common)
        for epsilon, protocol, split in product(epsilons, protocols, splits):
            yield Cell(protocol=protocol, split=split, epsilon=float(epsilon), **common)


# from here on, e^epsilon is above 1e8 and has no fraction that a budget of ten digits would fix
_SHARPEST = math.log(1e8)


def rounded_grid(**options) -> Iterator[Cell]:
    """The cells of OLH and SS that the authors' rounding changes, under that rounding
    (``lib.ldp.ROUNDED``).

    The printed rules round ``g`` and ``omega`` down. A cell is listed if the
    nearest whole number is another for at least one of its attributes, or if
    ``g`` is so large that the last bits of the budget decide.
    """
    for cell in main_grid(**({"protocols": tuple(ROUNDED)} | options)):
        if cell.protocol == BASELINE:
            continue
        rounded, domain = ROUNDED[cell.protocol], task(cell.dataset).domain
        for c, e in budgets(cell).items():
            printed, nearest = (make(n, k=domain[c], epsilon=e) for n in (cell.protocol, rounded))
            if printed.p_star != nearest.p_star or (cell.protocol == "OLH" and e > _SHARPEST):
                yield replace(cell, protocol=rounded)
                break


def sensitive_attributes(cell: Cell) -> tuple[str, ...]:
    """``A_s`` of a cell.

    ``"random"`` follows Appendix A: ``d_s`` uniform on 2..6, the protected
    attribute always in, the others drawn from the task's pool without
    replacement; the draw depends on data set and run only.
    """
    spec = task(cell.dataset)
    if cell.sensitive == "table2":
        return spec.sensitive
    rng = stream(cell.seed, "ldp-fairness appendix", cell.dataset, cell.run)
    others = rng.choice(len(spec.pool), size=int(rng.integers(2, 7)) - 1, replace=False)
    return (spec.protected, *(spec.pool[i] for i in others))


def budgets(cell: Cell) -> dict[str, float]:
    """What each sensitive attribute of a cell gets of its budget; a ``ValueError`` if that is
    too little for one.
    """
    names, domain = sensitive_attributes(cell), task(cell.dataset).domain
    shares = split_budget(cell.epsilon, [domain[c] for c in names], cell.split, attributes=names)
    return dict(zip(names, shares.tolist(), strict=True))


_data = cached_by_data_location()(load)


def split_rows(y: np.ndarray, run: int) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers of train and test: 80/20, stratified on the target ``y``, shape (n,)."""
    train, test = train_test_split(np.arange(len(y)), test_size=0.2, stratify=y, random_state=run)
    return train, test


def train(
    features: np.ndarray, y: np.ndarray, parameters: dict, random_state: int
) -> LGBMClassifier:
    """LightGBM as the paper uses it; single-threaded, since cells run side by side."""
    with needs("run"):
        from lightgbm import LGBMClassifier
    return LGBMClassifier(
        **parameters, random_state=random_state, n_jobs=1, force_row_wise=True, verbose=-1
    ).fit(features, y)


def probability(model: LGBMClassifier, features: np.ndarray) -> np.ndarray:
    """What the model gives for a target of 1, shape (n,)."""
    return np.asarray(model.predict_proba(features))[:, 1]


def run_cell(
    cell: Cell, data: Dataset | None = None, extra: Mapping[str, Metric] | None = None
) -> dict:
    """Train and test one cell: metrics, per-group rates, budgets, times, the data's provenance.

    ``extra`` are metrics of your own, as in :func:`lib.fairness.metrics.evaluate`.
    """
    data = data or _data(cell.dataset)
    spec, start = data.task, time.perf_counter()
    parameters = hyperparameters(cell.hyperparameters, cell.dataset)
    train_rows, test_rows = split_rows(data.y, cell.run)
    domain = spec.domain.project(spec.features)
    known, unseen = data.frame.iloc[train_rows], data.frame.iloc[test_rows]
    sensitive = sensitive_attributes(cell)
    bits, shares = None, {spec.protected: math.nan}
    if cell.protocol != BASELINE:
        how = {"protocol": cell.protocol, "split": cell.split}
        bits = sanitise(known, domain, sensitive, epsilon=cell.epsilon, rng=cell.noise, **how)
        shares = budgets(cell)
    features = design_matrix(known, domain, bits)
    built = time.perf_counter()
    model = train(features, data.y[train_rows], parameters, cell.run)
    fitted = time.perf_counter()
    scores = probability(model, design_matrix(unseen, domain))
    labels = (scores > 0.5).astype(np.int8)
    y = data.y[test_rows]
    return evaluate(y, labels, data.protected[test_rows], scores, extra) | {
        "d_s": len(sensitive),
        "attributes": ",".join(sensitive),
        "epsilon_protected": shares[spec.protected],
        "majority_accuracy": float(max(y.mean(), 1 - y.mean())),
        "constant_prediction": bool(labels.min() == labels.max()),
        "build_s": built - start,
        "fit_s": fitted - built,
        "predict_s": time.perf_counter() - fitted,
        "data_source": data.source,
        "data_sha256": data.sha256,
    }


def relative_cost(cell: Cell) -> float:
    """Seconds that the cell takes on one core of a common machine, for the estimate of the time
    left.
    """
    return {"lsac": 0.9, "adult": 3.3, "acs_coverage": 5.8}.get(cell.dataset, 5.0)
