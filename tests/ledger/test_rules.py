"""Each rule on both sides of its verdicts."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from lib.ledger.rules import TOO_CLOSE, Evidence, judge
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
    found = Evidence(value, reference=reference)
    assert judge("near", found, {"target": 0.48, "tolerance": 0.015}) == verdict


def test_a_number_that_is_no_change_is_reproduced_or_not():
    """Any positive value stood on the side of a positive target, and counted as "same
    direction".
    """
    slack = {"target": 0.48, "tolerance": 0.015}
    for value in (0.60, 0.1):
        assert judge("near", Evidence(value), slack) == "not reproduced"
    assert judge("near", Evidence(0.47), slack) == "reproduced"


@pytest.mark.parametrize(
    ("share", "verdict"), [(0.75, "reproduced"), (0.6, "same direction"), (0.5, "not reproduced")]
)
def test_at_least(share, verdict):
    assert judge("at_least", Evidence(share), {"threshold": 0.75}) == verdict


@pytest.mark.parametrize(
    ("low", "share", "high", "verdict"),
    [
        (0.76, 0.9, 1.0, "reproduced"),
        (0.74, 0.9, 1.0, "too close to call"),
        (0.5, 0.7, 0.8, "too close to call"),
        (0.5, 0.7, 0.74, "same direction"),
        (0.3, 0.45, 0.6, "not reproduced"),
        (0.75 - 1e-12, 0.9, 1.0, "reproduced"),  # a share of 3 in 4, but for its last bits
    ],
)
def test_the_whole_interval_of_a_share_decides(low, share, high, verdict):
    """A share of 0.9 whose interval holds the threshold was "same direction", as one of 0.6 was."""
    assert judge("at_least", Evidence(share, low, high, runs=20), {"threshold": 0.75}) == verdict


@pytest.mark.parametrize(
    ("low", "value", "high", "verdict"),
    [
        (0.47, 0.475, 0.48, "reproduced"),
        (0.46, 0.47, 0.48, "too close to call"),
        (0.45, 0.455, 0.46, "same direction"),
        (0.42, 0.43, 0.435, "not reproduced"),
        (0.3, 0.48, 0.7, "too close to call"),
    ],
)
def test_the_whole_interval_of_a_number_decides(low, value, high, verdict):
    slack = {"target": 0.48, "tolerance": 0.015}
    found = Evidence(value, low, high, runs=20, reference=0.44)
    assert judge("near", found, slack) == verdict
    alone = judge("near", Evidence(value, reference=0.44), slack)
    assert judge("near", replace(found, own_runs=True), slack) == alone


@pytest.mark.parametrize(
    ("value", "reference", "verdict"),
    [
        (1.0, 0.0, "reproduced"),
        (1.25, 0.0, "reproduced"),  # two means of 100 runs lie up to .283 + .01 apart
        (1.31, 0.0, "same direction"),
        (0.6, 0.7, "not reproduced"),
        (1.0, 1.1, "too close to call"),  # nor does it differ from the reference
    ],
)
def test_a_mean_of_the_papers_own_runs_is_compared_as_two_means_are(value, reference, verdict):
    """1.561 ± .001 passed 29% of the time if it was true."""
    slack = {"target": 1.0, "tolerance": 0.01, "runs": 100}
    found = Evidence(value, value - 0.2, value + 0.2, runs=100, reference=reference)
    assert judge("agrees", found, slack) == verdict


@pytest.mark.parametrize(
    ("share", "verdict"), [(0.02, "reproduced"), (0.005, "not reproduced"), (0, "not reproduced")]
)
def test_a_share_of_one_in_a_hundred_can_be_missed(share, verdict):
    """With ``half: 0``, any positive share was at least "same direction"."""
    assert judge("at_least", Evidence(share), {"threshold": 0.01}) == verdict


@pytest.mark.parametrize(
    ("value", "half", "before", "verdict"),
    [
        (0.005, 0.004, 0.3, "reproduced"),
        (0.009, 0.004, 0.3, "too close to call"),
        (-0.02, 0.004, 0.3, "same direction"),
        (0.4, 0.004, -0.3, "not reproduced"),
        (0.02, 0.004, math.nan, "not reproduced"),
    ],
)
def test_returns(value, half, before, verdict):
    found = Evidence(value, value - half, value + half, runs=20, reference=before)
    assert judge("returns", found, {"margin": 0.01}) == verdict


def test_a_part_of_a_large_change_may_be_left():
    found = Evidence(-0.02, -0.03, -0.01, runs=20, reference=-0.47)
    assert judge("returns", found, {"margin": 0.01, "part": 0.1}) == "reproduced"
    assert judge("returns", found, {"margin": 0.01, "part": 0.01}) == "too close to call"


@pytest.mark.parametrize(
    ("value", "p", "verdict"),
    [
        (0.1, 0.01, "reproduced"),
        (0.1, 0.2, "too close to call"),
        (0.1, math.nan, "too close to call"),
        (-0.1, 0.8, "too close to call"),
        (-0.1, 0.99, "not reproduced"),
    ],
)
def test_positive(value, p, verdict):
    assert judge("positive", Evidence(value, p=p), {}) == verdict
    opposite = math.nan if math.isnan(p) else 1 - p
    assert judge("positive", Evidence(value, p=p, p_opposite=opposite), {}) == verdict


@pytest.mark.parametrize(
    ("low", "value", "high", "verdict"),
    [
        (-0.009, 0.0, 0.009, "reproduced"),
        (-0.02, 0.0, 0.02, "too close to call"),
        (-0.03, -0.02, -0.005, "too close to call"),
        (-0.03, -0.02, -0.011, "not reproduced"),
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
    assert judge("within", Evidence(0.0, runs=1), {"margin": 0.01}) == "too close to call"


def test_exact_evidence_is_never_too_close():
    for rule, slack in (
        ("near", {"target": 1.0, "tolerance": 0.1}),
        ("at_least", {"threshold": 0.75}),
        ("within", {"margin": 0.1}),
        ("returns", {"margin": 0.1}),
        ("true", {}),
    ):
        for value in (-1.0, 0.0, 0.1, 0.75, 0.9, 1.0, 1.1):
            assert judge(rule, Evidence(value), slack) != TOO_CLOSE
