"""Scores of a synthetic table: workload error and means for everybody and each group by name,
and a classifier's rates.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier

from lib.domain import Domain
from lib.studies.synthesizers.tables import groups_of
from lib.synth.workload import group_errors

__all__ = ["marginal_scores", "mean_scores", "classifier_scores"]


def marginal_scores(
    real: pd.DataFrame, synthetic: pd.DataFrame, domain: Domain, *, k: int = 3
) -> dict[str, float]:
    """``error`` and ``error|<group>``: all-k-way workload error (Def. 14), on the group's own rows;
    ``share|<group>`` of each.

    NaN for a group without real rows, :data:`~lib.synth.workload.ABSENT` for one without synthetic
    ones.
    """
    everyone = {"": np.ones(len(real), dtype=bool)}, {"": np.ones(len(synthetic), dtype=bool)}
    ours, theirs = groups_of(real, domain), groups_of(synthetic, domain)
    errors = group_errors(real, synthetic, everyone[0] | ours, everyone[1] | theirs, domain, k)
    scores = {"error": errors.pop("")} | {f"error|{name}": error for name, error in errors.items()}
    return scores | {f"share|{name}": float(mask.mean()) for name, mask in theirs.items()}


def _means_apart(real: pd.DataFrame, synthetic: pd.DataFrame) -> float:
    """Sum over columns of the normalised difference of means (codes); columns whose true mean is 0
    are left out.

    Without synthetic rows every mean is taken for 0, an error of 1 a column.
    """
    truth = real.mean().to_numpy()
    found = synthetic.mean().to_numpy() if len(synthetic) else np.zeros_like(truth)
    kept = truth != 0
    return float((np.abs(truth - found)[kept] / truth[kept]).sum())


def mean_scores(real: pd.DataFrame, synthetic: pd.DataFrame, domain: Domain) -> dict[str, float]:
    """``means`` and ``means|<group>``: the f of Fig. 5; NaN for a group without real rows."""
    columns = [c for c in domain.columns if c not in ("SEX", "RAC1P")]
    scores = {"means": _means_apart(real[columns], synthetic[columns])}
    theirs = groups_of(synthetic, domain)
    for name, mask in groups_of(real, domain).items():
        apart = (
            _means_apart(real.loc[mask, columns], synthetic.loc[theirs[name], columns])
            if mask.any()
            else np.nan
        )
        scores[f"means|{name}"] = apart
    return scores


def classifier_scores(
    train: pd.DataFrame, tests: Mapping[str, pd.DataFrame], target: str, domain: Domain, seed: int
) -> dict[str, float]:
    """A random forest of 100 trees trained on ``train``: its ``acc``, and of each group ``acc``,
    ``rate`` and ``fnr``.

    ``tests`` maps a prefix of the scores' names to the rows they are taken on. A
    training table of one class predicts that class.
    """
    features = [c for c in domain.columns if c != target]
    y = train[target].to_numpy()
    constant = bool((y == y[0]).all())
    scores: dict[str, float] = {}
    forest = (
        None if constant else RandomForestClassifier(n_estimators=100, random_state=seed, n_jobs=1)
    )
    if forest is not None:
        forest.fit(train[features].to_numpy(), y)
    for prefix, test in tests.items():
        told = (
            np.full(len(test), y[0])
            if forest is None
            else forest.predict(test[features].to_numpy())
        )
        rates = _rates(told, test[target].to_numpy(), groups_of(test, domain))
        scores |= {prefix + name: value for name, value in rates.items()}
    return scores


def _rates(
    told: np.ndarray, truth: np.ndarray, groups: Mapping[str, np.ndarray]
) -> dict[str, float]:
    scores = {"acc": float((told == truth).mean())}
    for name, mask in groups.items():
        if mask.any():
            positive = mask & (truth == 1)
            scores[f"acc|{name}"] = float((told == truth)[mask].mean())
            scores[f"rate|{name}"] = float(told[mask].mean())
            scores[f"fnr|{name}"] = (
                float((told[positive] == 0).mean()) if positive.any() else np.nan
            )
    return scores
