"""Each rule on both sides of its verdicts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from lib.ledger.rules import Evidence, judge
from lib.stats.p_values import p_positive


@pytest.mark.parametrize(
    ("value", "reference", "verdict"),
    [
        (0.47, 0.44, "reproduced"),
        (0.46, 0.44, "same direction"),
        (0.60, 0.44, "same direction"),
        (0.43, 0.44, "not reproduced"),
        (0.46, 0.48, "not reproduced"),
    ],
)
def test_near(value, reference, verdict):
    assert (
        judge("near", Evidence(value, reference=reference), {"target": 0.48, "tolerance": 0.015})
        == verdict
    )


def test_a_number_that_is_no_change_is_reproduced_or_not():
    """Any positive value stood on the side of a positive target, and counted as "same
    direction".
    """
    slack = {"target": 0.48, "tolerance": 0.015}
    assert (
        judge("near", Evidence(0.60), slack)
        == judge("near", Evidence(0.1), slack)
        == "not reproduced"
    )
    assert judge("near", Evidence(0.47), slack) == "reproduced"


@pytest.mark.parametrize(
    ("share", "verdict"), [(0.75, "reproduced"), (0.6, "same direction"), (0.5, "not reproduced")]
)
def test_at_least(share, verdict):
    assert judge("at_least", Evidence(share), {"threshold": 0.75}) == verdict


@pytest.mark.parametrize(
    ("share", "low", "verdict"),
    [
        (0.9, 0.76, "reproduced"),
        (0.9, 0.74, "same direction"),
        (0.7, 0.5, "same direction"),
        (0.45, 0.3, "not reproduced"),
    ],
)
def test_a_share_counts_with_its_whole_interval(share, low, verdict):
    """A share of 0.9 was reproduced at a threshold of 0.75, whatever its interval."""
    assert judge("at_least", Evidence(share, low, 1.0, runs=20), {"threshold": 0.75}) == verdict


@pytest.mark.parametrize(
    ("share", "low", "verdict"),
    [
        (0.02, 0.02, "reproduced"),
        (0.02, 0.005, "same direction"),
        (0.005, 0.005, "not reproduced"),
        (0.0, 0.0, "not reproduced"),
    ],
)
def test_a_share_of_one_in_a_hundred_can_be_missed(share, low, verdict):
    """With ``half: 0``, any positive share was at least "same direction"."""
    assert judge("at_least", Evidence(share, low), {"threshold": 0.01}) == verdict


@pytest.mark.parametrize(
    ("value", "before", "verdict"),
    [
        (0.009, 0.3, "reproduced"),
        (-0.02, 0.3, "same direction"),
        (0.4, -0.3, "not reproduced"),
        (0.02, math.nan, "not reproduced"),
    ],
)
def test_returns(value, before, verdict):
    assert (
        judge("returns", Evidence(value, value - 1, value + 1, reference=before), {"margin": 0.01})
        == verdict
    )


@pytest.mark.parametrize(
    ("value", "p", "verdict"),
    [
        (0.1, 0.01, "reproduced"),
        (0.1, 0.2, "same direction"),
        (0.1, math.nan, "same direction"),
        (-0.1, 0.99, "not reproduced"),
    ],
)
def test_positive(value, p, verdict):
    assert judge("positive", Evidence(value, p=p), {}) == verdict


def test_positive_uses_the_adjusted_p():
    assert judge("positive", Evidence(0.1, p=0.04), {}, 0.08) == "same direction"


@pytest.mark.parametrize(
    ("low", "value", "high", "verdict"),
    [
        (-0.009, 0.0, 0.009, "reproduced"),
        (-0.02, 0.0, 0.02, "same direction"),
        (-0.03, -0.02, -0.01, "not reproduced"),
    ],
)
def test_within(low, value, high, verdict):
    assert judge("within", Evidence(value, low, high), {"margin": 0.01}) == verdict


def test_true_and_missing():
    assert judge("true", Evidence(1.0), {}) == "reproduced"
    assert judge("true", Evidence(0.0), {}) == "not reproduced"
    assert judge("true", Evidence(math.nan), {}) == "not run"


def test_runs_that_all_agree_are_tested_by_their_signs():
    assert p_positive(np.full(5, 0.1)) == 0.5**5
    assert p_positive(np.full(5, -0.1)) == 1
    assert p_positive(np.zeros(5)) == 1
    assert p_positive(np.full(5, 0.1) + np.array([0, 1, 0, 1, 0]) * 1e-17) == 0.5**5
    bits = np.array([0.1 + 0.2 - 0.3, 0, 0, 0, 0.1 + 0.2 - 0.3])  # zeros, but for a sum's last bits
    assert p_positive(bits) == 1
    x = np.array([1.0, 2.0, 4.0])
    assert p_positive(x) == stats.ttest_1samp(x, 0, alternative="greater").pvalue


def test_one_run_has_no_interval_and_is_never_equivalent():
    assert judge("within", Evidence(0.0), {"margin": 0.01}) == "same direction"
