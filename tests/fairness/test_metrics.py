"""Fairness and utility against a table worked by hand, and as properties."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lib.fairness import evaluate, fairness, group_rates, utility

# group 1: 4 people, labels 1 1 0 0, predicted 1 0 1 0; group 0: 4 people, labels 1 1 1 0, predicted
# 1 0 0 0
Y = np.array([1, 1, 0, 0, 1, 1, 1, 0])
HAT = np.array([1, 0, 1, 0, 1, 0, 0, 0])
GROUP = np.array([1, 1, 1, 1, 0, 0, 0, 0])


def test_utility_of_the_worked_example():
    metrics = utility(Y, HAT)
    assert metrics["acc"] == pytest.approx(4 / 8)
    assert metrics["recall"] == pytest.approx(2 / 5)
    assert metrics["f1"] == pytest.approx(2 * (2 / 3) * (2 / 5) / (2 / 3 + 2 / 5))
    assert metrics["balanced_accuracy"] == pytest.approx((2 / 5 + 2 / 3) / 2)


# accuracies 4/5 in group 1, 1/4 in group 0; errors 1/5 and 3/4
FOUR_Y = np.array([1, 1, 0, 0, 0, 1, 1, 0, 0])
FOUR_HAT = np.array([1, 1, 0, 0, 1, 0, 1, 1, 1])
FOUR_GROUP = np.array([1, 1, 1, 1, 1, 0, 0, 0, 0])


def test_four_unequal_accuracies_by_hand():
    """``acc_g`` is the share that is right, and OAD that of group 1 less that of group 0."""
    rates = group_rates(FOUR_Y, FOUR_HAT, FOUR_GROUP)
    assert (rates["n_0"], rates["n_1"]) == (4, 5)
    assert (rates["acc_1"], rates["acc_0"]) == (pytest.approx(4 / 5), pytest.approx(1 / 4))
    positive = [rates["positive_rate_1"], rates["positive_rate_0"]]
    assert positive == pytest.approx([3 / 5, 3 / 4])
    assert (rates["tpr_1"], rates["tpr_0"]) == (pytest.approx(2 / 2), pytest.approx(1 / 2))
    assert (rates["fpr_1"], rates["fpr_0"]) == (pytest.approx(1 / 3), pytest.approx(2 / 2))
    metrics = fairness(FOUR_Y, FOUR_HAT, FOUR_GROUP)
    assert metrics["OAD"] == pytest.approx(4 / 5 - 1 / 4)
    assert metrics["SPD"] == pytest.approx(3 / 5 - 3 / 4)
    assert metrics["EOD"] == pytest.approx(2 / 2 - 1 / 2)
    assert metrics["DI"] == pytest.approx((3 / 4) / (3 / 5))
    swapped = fairness(FOUR_Y, FOUR_HAT, 1 - FOUR_GROUP)
    assert swapped["OAD"] == pytest.approx(1 / 4 - 4 / 5)


@pytest.mark.parametrize(
    "scores",
    [
        [0.9, 0.4, 0.6, 0.1, 0.8, 0.3, 0.2, 0.05],
        [math.inf, 0.4, 0.6, -math.inf, math.inf, 0.3, 0.2, -math.inf],
        [math.inf] * 4 + [0.0] * 4,
        [-math.inf] * 8,
    ],
)
def test_only_the_order_of_scores_counts_even_of_infinite_ones(scores):
    scores = np.array(scores)
    pairs = [(a > b) + 0.5 * (a == b) for a in scores[Y == 1] for b in scores[Y == 0]]
    assert utility(Y, HAT, scores)["auc"] == pytest.approx(np.mean(pairs))


bits = hnp.arrays(np.int8, 60, elements=st.integers(0, 1))


@given(y=bits, hat=bits, group=bits)
def test_swapping_the_groups_turns_the_signs(y, hat, group):
    one, two = fairness(y, hat, group), fairness(y, hat, 1 - group)
    for metric in ("SPD", "EOD", "OAD"):
        assert one[metric] == pytest.approx(-two[metric], nan_ok=True)
    if 0 < one["DI"] < math.inf:
        assert one["DI"] == pytest.approx(1 / two["DI"])


def test_a_rate_of_nobody_is_nan():
    """An absent group has none; one without positive labels has no true positive rate."""
    metrics = evaluate(Y, HAT, np.ones(8, dtype=int))
    assert metrics["n_0"] == 0
    assert all(math.isnan(metrics[m]) for m in ("DI", "SPD", "EOD", "OAD", "positive_rate_0"))
    assert metrics["acc"] == 0.5
    assert evaluate([1], [1], [0])["acc"] == 1
    metrics = fairness(np.where(GROUP == 0, 0, Y), HAT, GROUP)
    assert math.isnan(metrics["EOD"])
    assert not math.isnan(metrics["SPD"])


def test_disparate_impact_at_the_edges():
    assert fairness(Y, np.ones(8, dtype=int), GROUP)["DI"] == 1
    assert math.isnan(fairness(Y, np.zeros(8, dtype=int), GROUP)["DI"])
    assert fairness(Y, 1 - GROUP, GROUP)["DI"] == math.inf


def _by_hand(y, hat) -> tuple[float, float]:
    """Recall and f1 from the counts, NaN for 0/0."""
    tp, fp, fn = (y & hat).sum(), (~y & hat).sum(), (y & ~hat).sum()
    return (tp / (tp + fn) if tp + fn else math.nan), (
        2 * tp / (2 * tp + fp + fn) if tp + fp + fn else math.nan
    )


@pytest.mark.parametrize("y", [[0, 0, 0], [1, 1, 1], [0, 1, 1]])
@pytest.mark.parametrize("hat", [[0, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0]])
def test_recall_and_f1_are_filled_in_nowhere(y, hat):
    recall, f1 = _by_hand(np.array(y, dtype=bool), np.array(hat, dtype=bool))
    found = utility(y, hat)
    assert found["recall"] == pytest.approx(recall, nan_ok=True)
    assert found["f1"] == pytest.approx(f1, nan_ok=True)


def test_metrics_of_ones_own_stand_beside_the_others():
    def missed(y_true, y_pred, group, scores):
        return scores[(group == 0) & (y_true > y_pred)].mean()

    scores = np.linspace(0, 1, Y.size)
    others = evaluate(Y, HAT, GROUP, scores)
    found = evaluate(Y, HAT, GROUP, scores, {"missed": missed})
    assert found == others | {"missed": pytest.approx(scores[[5, 6]].mean())}


def test_whole_columns_of_pandas_are_labels():
    for dtype in ("boolean", "Int8", object):
        assert fairness(Y, pd.Series(HAT, dtype=dtype), GROUP) == fairness(Y, HAT, GROUP)


@pytest.mark.parametrize(
    "call", [fairness, group_rates, evaluate, lambda y, hat, _: utility(y, hat)]
)
def test_series_of_other_labels_are_refused_and_not_compared_by_place(call):
    y = pd.Series([1, 0, 1, 0], index=[3, 2, 1, 0])
    group = pd.Series([1, 1, 0, 0], index=y.index)
    right = call(y, pd.Series([1, 0, 0, 0], index=y.index), group)
    assert call(y.to_numpy(), [1, 0, 0, 0], group) == pytest.approx(right, nan_ok=True)
    with pytest.raises(ValueError, match="y_pred must be labelled as y_true is"):
        call(y, pd.Series([1, 0, 0, 0]), group)
