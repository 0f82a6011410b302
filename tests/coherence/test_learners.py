"""Learners on tables with known answers: closed forms, typed columns, unseen categories."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.tree import DecisionTreeClassifier

from lib.coherence.learners import BATTERY, Estimator, Lookup
from lib.rng import stream

LENS = ("size", "job", "member", "colour")


@pytest.fixture
def typed() -> pd.DataFrame:
    rng = stream(5, "learners table")
    n = 300
    job = rng.choice(["a", "b", "c"], n)
    return pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "job": job,
            "member": rng.random(n) < 0.5,
            "colour": pd.Categorical(rng.choice(["red", "blue"], n)),
            "y": (rng.random(n) < np.where(job == "a", 0.9, 0.2)).astype(int),
        }
    )


@pytest.mark.parametrize("learner", BATTERY.values(), ids=BATTERY)
def test_the_battery_reads_typed_columns_and_the_stream_decides(learner, typed):
    one, again = (learner(typed[:200], "y", LENS, stream(1, "same"))(typed) for _ in range(2))
    np.testing.assert_array_equal(one, again)
    assert one.shape == (300,)
    assert (np.abs(one) <= 1).all()


@pytest.mark.parametrize("learner", BATTERY.values(), ids=BATTERY)
def test_only_the_lens_is_seen_and_what_was_not_seen_is_predicted_all_the_same(learner, typed, rng):
    """Predictions need no other column, and rows that agree in the lens are predicted alike."""
    h = learner(typed, "y", ("job",), rng)(typed[["job"]])
    assert pd.Series(h).groupby(typed["job"].to_numpy()).nunique().max() == 1
    predict = learner(typed[typed["job"] != "c"], "y", LENS, rng)
    assert not np.isnan(predict(typed[typed["job"] == "c"])).any()


def test_confidence_is_twice_the_probability_less_one(rng):
    """A stump on a column of two values says the share of ones in each."""
    half = pd.DataFrame({"x": [0] * 4 + [1] * 5, "y": [1, 0, 0, 0, 1, 1, 1, 1, 0]})
    predict = Estimator(DecisionTreeClassifier())(half, "y", ("x",), rng)
    assert predict(pd.DataFrame({"x": [0, 1]})) == pytest.approx([2 * 1 / 4 - 1, 2 * 4 / 5 - 1])


def test_an_estimator_without_probabilities_says_its_labels(typed, rng):
    model = RidgeClassifier()
    h = Estimator(model, one_hot=True)(typed, "y", LENS, rng)(typed)
    assert set(h) == {-1.0, 1.0}
    assert h[typed["job"] == "a"].mean() > h[typed["job"] != "a"].mean()
    assert not hasattr(model, "coef_")  # the estimator that was given is not fitted itself


@pytest.mark.parametrize(("label", "says"), [(1, 1.0), (0, -1.0)])
def test_a_half_with_one_class_gives_the_constant(label, says, rng):
    half = pd.DataFrame({"x": [1, 2], "y": [label, label]})
    assert Estimator(LogisticRegression())(half, "y", ("x",), rng)(half).tolist() == [says, says]


def test_a_lookup_knows_who_was_in_the_half_and_nothing_else(typed, rng):
    shuffled = typed.assign(y=rng.permutation(typed["y"].to_numpy()))
    for table in (typed, shuffled):  # whatever the target
        h = Lookup()(table[:200], "y", LENS, rng)(typed)
        assert (h[:200] == 1).all()
        assert (h[200:] == -1).all()


def test_a_lookup_needs_no_target_and_of_answers_takes_the_majority(rng):
    half = pd.DataFrame({"x": [1, 1, 1, 2, 3, 3], "y": [1, 1, 0, 0, 1, 0]})
    records = pd.DataFrame({"x": [1, 2, 3, 4]})
    assert Lookup()(half[["x"]], "y", ("x",), rng)(records).tolist() == [1, 1, 1, -1]
    assert Lookup(answers=True)(half, "y", ("x",), rng)(records).tolist() == [1, -1, -1, -1]
