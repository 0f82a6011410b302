"""The search resumes as if it had not been interrupted, and never sees the test rows."""

from __future__ import annotations

import pandas as pd
import pytest

from lib.datasets import load
from lib.experiments import tuning
from lib.experiments.ldp_fairness import split_rows
from lib.experiments.store import Store
from lib.experiments.tuning import Trial, search

COLUMNS = ["number", "max_depth", "n_estimators", "learning_rate", "accuracy", "auc"]


@pytest.fixture
def quick(monkeypatch):
    """Scores made from the parameters themselves: the search is under test, not LightGBM."""
    monkeypatch.setattr(tuning, "_score", lambda trial, p: {"accuracy": -abs(p["max_depth"] - 17), "auc": 0.5})


def test_interrupted_and_resumed_is_the_same_search(quick, tmp_path):
    whole = search("lsac", trials=14, store=Store(tmp_path / "a.parquet", version="1"))
    for trials in (3, 9, 14):
        parts = search("lsac", trials=trials, store=Store(tmp_path / "b.parquet", version="1"))
    pd.testing.assert_frame_equal(whole[COLUMNS], parts[COLUMNS])
    assert len(Store(tmp_path / "b.parquet", version="1")) == 14


def test_the_search_learns_from_its_trials(quick, tmp_path):
    found = search("lsac", trials=60, store=Store(tmp_path / "a.parquet", version="1")).sort_values("number")
    assert found["accuracy"][found["number"] >= 40].mean() > found["accuracy"][found["number"] < 10].mean()


def test_trials_are_scored_on_training_rows_only():
    train, _ = split_rows(load("lsac").y, 0)
    features, y, _ = tuning._training_rows("lsac")
    assert len(features) == len(y) == len(train)


def test_bad_searches_are_refused(tmp_path):
    with pytest.raises(ValueError, match="objective='f1'"):
        Trial(dataset="lsac", number=0, objective="f1")
    with pytest.raises(ValueError, match="trials=0"):
        search("lsac", trials=0, store=Store(tmp_path / "a.parquet", version="1"))
