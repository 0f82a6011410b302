"""Scores of a synthetic table, group by group: workload error, means, and a classifier's rates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

from lib.domain import Domain
from lib.synth.workload import group_errors
from studies.synthesizers.tables import groups_of


def classifier(
    train: pd.DataFrame, target: str, domain: Domain, seed: int
) -> Callable[[pd.DataFrame], np.ndarray]:
    """The predictions of a random forest of 100 trees, as a function of a table.

    A training table of one class predicts that class.
    """
    features, y = [c for c in domain.columns if c != target], train[target].to_numpy()
    if (y == y[0]).all():
        return lambda test: np.full(len(test), y[0])
    forest = RandomForestClassifier(n_estimators=100, random_state=seed, n_jobs=1)
    forest.fit(train[features].to_numpy(), y)
    return lambda test: forest.predict(test[features].to_numpy())


def group_scores(
    real: pd.DataFrame,
    synthetic: pd.DataFrame,
    predictions: np.ndarray,
    target: str,
    domain: Domain,
) -> list[dict]:
    """Scores of everyone and of each group of the declared domain, one record a group.

    ``share`` of the synthetic rows; ``error``, the all-3-way workload error (Def. 14) on the
    group's own rows; ``means``, the f of Fig. 5; ``acc``, ``rate`` and ``fnr`` of the predictions
    of ``target`` for ``real``. A group without real rows has NaN. One without synthetic ones has
    the error :data:`~lib.synth.workload.ABSENT`.
    """
    ours, theirs = groups_of(real, domain), groups_of(synthetic, domain)
    errors = group_errors(real, synthetic, ours, theirs, domain, 3)
    columns = [c for c in domain.columns if c not in ("SEX", "RAC1P")]
    truth = real[target].to_numpy()
    return [
        {
            "group": name,
            "share": float(theirs[name].mean()),
            "error": errors[name],
            "means": _means_apart(real.loc[who, columns], synthetic.loc[theirs[name], columns]),
            "acc": _share((predictions == truth)[who]),
            "rate": _share(predictions[who]),
            "fnr": _share((predictions == 0)[who & (truth == 1)]),
        }
        for name, who in ours.items()
    ]


def _share(values: np.ndarray) -> float:
    return float(values.mean()) if values.size else np.nan


def _means_apart(real: pd.DataFrame, synthetic: pd.DataFrame) -> float:
    """Sum over columns of the normalised difference of means (codes); columns whose true mean is 0
    are left out. NaN without real rows.

    Without synthetic rows every mean is taken for 0, an error of 1 a column.
    """
    if not len(real):
        return np.nan
    truth = real.mean().to_numpy()
    found = synthetic.mean().to_numpy() if len(synthetic) else np.zeros_like(truth)
    kept = truth != 0
    return float((np.abs(truth - found)[kept] / truth[kept]).sum())
