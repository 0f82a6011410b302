"""The baseline's hyper-parameters, by name.

``"published"`` are the authors', found on a test split (``random_state`` 42).
The grid takes them unless told otherwise: the ledger compares its numbers with
the printed ones, which were made with them. ``"tuned"`` are the best of the
committed search on training folds (``studies.ldp_fairness.tuning``) by mean accuracy:
trials on real data, in the setting of :data:`SEARCH`. Neither is blind to the
test rows of every run; the search is to those of run 0 only. ``"default"`` are LightGBM's own,
for data sets that nobody has tuned.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from lib import validate
from lib.files import read_yaml
from lib.paths import RESULTS, to_read
from lib.runner.store import Store

CHOICES = ("published", "tuned", "default")
TRIALS = RESULTS / "ldp_tuning.parquet"
TRIALS_VERSION = "1"
PARAMETERS = {"max_depth": int, "learning_rate": float, "n_estimators": int}
SEARCH: dict[str, Any] = {"objective": "accuracy", "folds": 3, "seed": 20230717}

PUBLISHED: dict[str, dict[str, float]] = read_yaml(Path(__file__).with_suffix(".yml"), dict)


def best_trials(trials: pd.DataFrame) -> dict[str, dict[str, float]]:
    """The hyper-parameters of the best trial of each data set, by mean accuracy, the earlier of two
    that are as good.

    Trials on replicas, or in another setting than :data:`SEARCH`, do not count.
    """
    ours = trials["data_source"] != "replica"
    ours &= (trials[[*SEARCH]] == pd.Series(SEARCH)).all(axis=1)
    ranked = trials[ours].sort_values(["accuracy", "number"], ascending=[False, True])
    best = ranked.drop_duplicates("dataset").set_index("dataset")
    return {dataset: as_parameters(row) for dataset, row in best.iterrows()}


def as_parameters(trial: Any) -> dict[str, Any]:
    """What LightGBM takes of a trial."""
    return {name: kind(trial[name]) for name, kind in PARAMETERS.items()}


@cache
def _tuned() -> dict[str, dict[str, float]]:
    trials = Store(to_read(TRIALS), version=TRIALS_VERSION).frame()
    if trials.empty:
        raise ValueError(
            f"hyperparameters='tuned' needs {TRIALS}; make it with: python -m lib tune DATASET"
        )
    return best_trials(trials)


def hyperparameters(choice: str, dataset: str) -> dict[str, float]:
    """``max_depth``, ``learning_rate`` and ``n_estimators`` of ``choice`` for ``dataset``.

    Raises
    ------
    ValueError
        For an unknown choice, or a data set that the choice does not cover.
    """
    if validate.choice("hyperparameters", choice, CHOICES) == "default":
        return {}
    table = PUBLISHED if choice == "published" else _tuned()
    return table[validate.choice("dataset", dataset, table)]
