"""The baseline's hyper-parameters by Bayesian optimisation, on training folds only (Section 5.1).

The paper searches ``max_depth`` in [3, 50], ``n_estimators`` in [50, 2000] and
``learning_rate`` in (0.01, 0.25) for 100 iterations; the published runs scored
the trials on a test split. Here a trial is scored by three-fold cross-validation
inside the training rows of run 0, so no test row of that run is seen.

Runs 1, 2, ... draw splits of their own, so about 80% of *their* test rows are
training rows of run 0 and took part in the search.
What was chosen is three numbers a data set, but results of those runs with
``hyperparameters="tuned"`` are not blind to their test rows; only a search a
run would be. The grid's default is ``"published"``, since the ledger compares
with printed numbers, and those were made with parameters from a test split.

Each trial is one record of a store. The sampler of trial ``t`` is seeded by
``t`` and sees the trials before it, so a search that was interrupted goes on as
if it had not been. The committed trials are of real data only.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import numpy as np
import pandas as pd
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from lib import validate
from lib.datasets import load, task
from lib.extras import needs
from lib.ldp import design_matrix
from lib.paths import to_write
from lib.rng import seed_sequence
from lib.runner.cell import COUNT, SEVERAL, KeyedCell, set_checked
from lib.runner.records import refuse_uncommitted
from lib.runner.store import Store
from lib.runner.sweep import run_sweep
from studies.data.memory import cached_by_data_location
from studies.ldp_fairness.cells import probability, split_rows, train
from studies.ldp_fairness.hyperparameters import SEARCH, TRIALS, TRIALS_VERSION, as_parameters

with needs("run"):
    import optuna

VERSION = TRIALS_VERSION
OBJECTIVES = ("accuracy", "auc")

SPACE = {
    "max_depth": optuna.distributions.IntDistribution(3, 50),
    "n_estimators": optuna.distributions.IntDistribution(50, 2000, step=50),
    "learning_rate": optuna.distributions.FloatDistribution(0.01, 0.25),
}


@dataclass(frozen=True, kw_only=True)
class Trial(KeyedCell, kind="ldp tuning"):
    """Trial ``number`` of the search on ``dataset`` for the best mean ``objective`` over
    ``folds`` folds.
    """

    dataset: str
    number: int
    objective: str = SEARCH["objective"]
    folds: int = SEARCH["folds"]
    seed: int = SEARCH["seed"]

    def __post_init__(self) -> None:
        task(self.dataset)
        set_checked(self, objective=OBJECTIVES, number=COUNT, folds=SEVERAL, seed=COUNT)


@cached_by_data_location()
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
    for fit, held in StratifiedKFold(trial.folds, shuffle=True, random_state=0).split(features, y):
        one = probability(train(features[fit], y[fit], parameters, random_state=0), features[held])
        scores.append((accuracy_score(y[held], one > 0.5), roc_auc_score(y[held], one)))
    return dict(zip(OBJECTIVES, np.mean(scores, axis=0).tolist(), strict=True)) | origin


def _propose(trial: Trial, history: pd.DataFrame) -> dict:
    """What the tree-structured Parzen estimator tries next, given the finished trials."""
    key = "ldp-fairness tuning", trial.dataset, trial.objective, trial.number
    seed = int(seed_sequence(trial.seed, *key).generate_state(1)[0])
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    for _, past in history.iterrows():
        known = optuna.trial.create_trial(
            params=as_parameters(past), distributions=SPACE, value=past[trial.objective]
        )
        study.add_trial(known)
    return study.ask(SPACE).params


def search(
    dataset: str, *, trials: int = 100, store: Store | None = None, **options
) -> pd.DataFrame:
    """Run the trials that the store lacks and return those of ``dataset``, best first.

    Parameters
    ----------
    dataset : str
        A task of ``lib.datasets``.
    trials : int
        Iterations; the paper uses 100.
    store : Store, optional
        Defaults to ``data/results/ldp_tuning.parquet``, which takes real data only.
    **options
        ``objective``, ``folds``, ``seed`` of :class:`Trial`.

    Raises
    ------
    ValueError
        For a bad argument, or where the default store would get a replica's
        trials; :class:`~lib.runner.records.StoreError` for a damaged store.
    """
    validate.integer("trials", trials, low=1)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    first = Trial(dataset=dataset, number=0, **options)
    if store is None:  # an empty store is falsy
        _, _, origin = _training_rows(dataset)  # the very rows that the trials are to be scored on
        refuse_uncommitted({"dataset": dataset, **origin}, "a search without a store of its own")
        store = Store(to_write(TRIALS), version=VERSION)

    cells = [replace(first, number=number) for number in range(trials)]
    same = pd.Series({name: value for name, value in asdict(first).items() if name != "number"})

    def history() -> pd.DataFrame:
        frame = store.frame()
        return frame if frame.empty else frame[(frame[same.index] == same).all(axis=1)]

    def run(trial: Trial) -> dict:
        past = history()
        if len(past):
            past = past[past["number"] < trial.number].sort_values("number", kind="stable")
        parameters = _propose(trial, past)
        return parameters | _score(trial, parameters)

    run_sweep(cells, run, store, backend="sequential")
    return history().sort_values(
        [first.objective, "number"], ascending=[False, True], ignore_index=True
    )
