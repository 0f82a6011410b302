"""The baseline's hyper-parameters, by name.

``"published"`` are the authors', found on a test split (``random_state`` 42).
``"tuned"`` are the best of the committed search on training folds
(``lib.experiments.tuning``), by mean accuracy. ``"default"`` are LightGBM's own,
for data sets that nobody has tuned.
"""

from __future__ import annotations

from functools import cache

import pandas as pd

from lib import validate
from lib.paths import RESULTS

__all__ = ["CHOICES", "PUBLISHED", "TRIALS", "hyperparameters"]

CHOICES = ("published", "tuned", "default")
TRIALS = RESULTS / "ldp_tuning.parquet"

PUBLISHED: dict[str, dict[str, float]] = {
    "adult": {"max_depth": 38, "learning_rate": 0.02255696731716368, "n_estimators": 1100},
    "acs_coverage": {"max_depth": 47, "learning_rate": 0.20243400958078808, "n_estimators": 1300},
    "lsac": {"max_depth": 9, "learning_rate": 0.18177994587365698, "n_estimators": 1100},
}


@cache
def _tuned() -> dict[str, dict[str, float]]:
    if not TRIALS.exists():
        raise ValueError(f"hyperparameters='tuned' needs {TRIALS}; make it with: python -m lib tune DATASET")
    trials = pd.read_parquet(TRIALS)
    trials = trials[trials["objective"] == "accuracy"].sort_values(["accuracy", "number"], ascending=[False, True])
    return {
        row.dataset: {"max_depth": int(row.max_depth), "learning_rate": float(row.learning_rate),
                      "n_estimators": int(row.n_estimators)}
        for row in trials.groupby("dataset").head(1).itertuples()
    }  # fmt: skip


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
