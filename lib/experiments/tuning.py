"""The baseline's hyper-parameters by Bayesian optimisation, on training folds only (Section 5.1).

The paper searches ``max_depth`` in [3, 50], ``n_estimators`` in [50, 2000] and
``learning_rate`` in (0.01, 0.25) for 100 iterations; the published runs scored
the trials on a test split. Here a trial is scored by three-fold cross-validation
inside the training rows of run 0, so no test row of that run is seen.

Each trial is one record of a store. The sampler of trial ``t`` is seeded by
``t`` and sees the trials before it, so a search that was interrupted goes on as
if it had not been.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import optuna
import pandas as pd
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from lib import validate
from lib.datasets import load, task
from lib.datasets.memory import kept
from lib.experiments.hyperparameters import TRIALS
from lib.experiments.ldp_fairness import split_rows, train
from lib.experiments.store import Store
from lib.experiments.sweep import run_sweep
from lib.ldp import design_matrix
from lib.rng import seed_sequence

__all__ = ["VERSION", "OBJECTIVES", "Trial", "search"]

VERSION = "1"
OBJECTIVES = ("accuracy", "auc")

SPACE = {
    "max_depth": optuna.distributions.IntDistribution(3, 50),
    "n_estimators": optuna.distributions.IntDistribution(50, 2000, step=50),
    "learning_rate": optuna.distributions.FloatDistribution(0.01, 0.25),
}


@dataclass(frozen=True, kw_only=True)
class Trial:
    """Trial ``number`` of the search on ``dataset`` for the best mean ``objective`` over ``folds`` folds."""

    dataset: str
    number: int
    objective: str = "accuracy"
    folds: int = 3
    seed: int = 20230717

    def __post_init__(self) -> None:
        task(self.dataset)
        validate.integer("number", self.number, low=0)
        validate.choice("objective", self.objective, OBJECTIVES)
        validate.integer("folds", self.folds, low=2)


@kept()
def _training_rows(dataset: str) -> tuple[np.ndarray, np.ndarray, dict[str, str]]:
    """Design matrix and target of the training rows of run 0, and where they come from."""
    data = load(dataset)
    rows, _ = split_rows(data.y, 0)
    features = design_matrix(data.frame.iloc[rows], data.task.domain.project(data.task.features))
    return features, data.y[rows], {"data_sha256": data.sha256, "data_source": data.source}


def _score(trial: Trial, parameters: dict) -> dict:
    """Mean accuracy and AUC over the folds."""
    features, y, origin = _training_rows(trial.dataset)
    scores = []
    folds = StratifiedKFold(trial.folds, shuffle=True, random_state=0)
    for fit, held in folds.split(features, y):
        model = train(features[fit], y[fit], parameters, random_state=0)
        probability = model.predict_proba(features[held])[:, 1]
        scores.append((accuracy_score(y[held], probability > 0.5), roc_auc_score(y[held], probability)))
    accuracy, auc = np.mean(scores, axis=0)
    return {"accuracy": float(accuracy), "auc": float(auc)} | origin


def _propose(trial: Trial, history: pd.DataFrame) -> dict:
    """What the tree-structured Parzen estimator tries next, given the finished trials."""
    entropy = seed_sequence(trial.seed, "ldp-fairness tuning", trial.dataset, trial.objective, trial.number)
    sampler = optuna.samplers.TPESampler(seed=int(entropy.generate_state(1)[0]))
    study = optuna.create_study(direction="maximize", sampler=sampler)
    for row in history.itertuples():
        parameters = {"max_depth": int(row.max_depth), "n_estimators": int(row.n_estimators),
                      "learning_rate": float(row.learning_rate)}  # fmt: skip
        study.add_trial(optuna.trial.create_trial(params=parameters, distributions=SPACE,
                                                  value=getattr(row, trial.objective)))  # fmt: skip
    return study.ask(SPACE).params


def search(dataset: str, *, trials: int = 100, store: Store | None = None, **options) -> pd.DataFrame:
    """Run the trials that the store lacks and return those of ``dataset``, best first.

    Parameters
    ----------
    dataset : str
        A task of ``lib.datasets``.
    trials : int
        Iterations; the paper uses 100.
    store : Store, optional
        Defaults to ``data/results/ldp_tuning.parquet``.
    **options
        ``objective``, ``folds``, ``seed`` of :class:`Trial`.
    """
    validate.integer("trials", trials, low=1)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    store = Store(TRIALS, version=VERSION) if store is None else store  # an empty store is falsy

    first = Trial(dataset=dataset, number=0, **options)

    def history() -> pd.DataFrame:
        frame = store.frame()
        if frame.empty:
            return frame
        same = [frame[field] == getattr(first, field) for field in ("dataset", "objective", "folds", "seed")]
        return frame[np.logical_and.reduce(same)]

    def run(trial: Trial) -> dict:
        past = history()
        parameters = _propose(trial, past[past["number"] < trial.number].sort_values("number") if len(past) else past)
        return parameters | _score(trial, parameters)

    cells = [Trial(dataset=dataset, number=number, **options) for number in range(trials)]
    run_sweep(cells, run, store, backend="sequential")
    return history().sort_values([first.objective, "number"], ascending=[False, True], ignore_index=True)
