"""The search resumes as if it had not been interrupted, and never sees the test rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lib.datasets import load
from lib.ldp import design_matrix
from lib.runner.store import Store
from studies.ldp_fairness import hyperparameters, tuning
from studies.ldp_fairness.cells import split_rows
from studies.ldp_fairness.hyperparameters import best_trials
from studies.ldp_fairness.tuning import search

COLUMNS = ["number", "max_depth", "n_estimators", "learning_rate", "accuracy", "auc"]


@pytest.fixture
def quick(monkeypatch):
    """Scores made from the parameters themselves: the search is under test, not LightGBM."""
    monkeypatch.setattr(
        tuning, "_score", lambda trial, p: {"accuracy": -abs(p["max_depth"] - 17), "auc": 0.5}
    )


def test_interrupted_and_resumed_is_the_same_search(quick, tmp_path):
    whole = search("lsac", trials=14, store=Store(tmp_path / "a.parquet", version="1"))
    for trials in (3, 9, 14):
        parts = search("lsac", trials=trials, store=Store(tmp_path / "b.parquet", version="1"))
    pd.testing.assert_frame_equal(whole[COLUMNS], parts[COLUMNS])
    assert len(Store(tmp_path / "b.parquet", version="1")) == 14


def test_trials_are_scored_on_training_rows_of_the_first_run_only():
    """So they saw four fifths of the test rows of each other run."""
    data = load("lsac")
    train, test = split_rows(data.y, 0)
    features, y, origin = tuning._training_rows("lsac")
    everyone = design_matrix(data.frame, data.task.domain.project(data.task.features))
    assert (features == everyone[train]).all()
    assert (y == data.y[train]).all()
    assert not set(train) & set(test)
    assert np.isin(split_rows(data.y, 7)[1], train).mean() == pytest.approx(0.8, abs=0.02)
    assert origin == {"data_sha256": data.sha256, "data_source": data.source}


def _trial(number: int, accuracy: float, **more) -> dict:
    found = {"dataset": "lsac", "number": number, "accuracy": accuracy, "data_source": "local"}
    found |= {"max_depth": 10 + number, "learning_rate": 0.1, "n_estimators": 100}
    return hyperparameters.SEARCH | found | more


def test_the_tuned_parameters_are_those_of_the_best_trial_of_the_stated_search():
    trials = [_trial(0, 0.7), _trial(1, 0.8), _trial(2, 0.8), _trial(3, 0.6, dataset="adult")]
    others = [{"data_source": "replica"}, {"folds": 5}, {"seed": 1}, {"objective": "auc"}]
    for others_too in ([], [_trial(9, 0.99, **other) for other in others]):
        best = best_trials(pd.DataFrame(trials + others_too))
        assert {name: found["max_depth"] for name, found in best.items()} == {
            "lsac": 11,
            "adult": 13,
        }
    assert best_trials(pd.DataFrame([_trial(0, 0.9, data_source="replica")])) == {}
