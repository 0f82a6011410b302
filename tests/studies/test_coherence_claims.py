"""Measures of the coherence paper: each can fail, and learners that read a release are not
mistaken for fixed ones.
"""

from __future__ import annotations

import math

import pandas as pd
import pytest
from scipy import stats

from lib.coherence.bounds.tightened import half_sample_distance
from lib.rng import stream
from studies.coherence import noisy_counts as coherence_dp
from studies.coherence.claims import results as coherence
from studies.coherence.claims import theory
from studies.coherence.single_column import column_distances, theorem9_size
from tests.conftest import FALSE_ALARM

DRAWS = 20_000


def test_a_learner_that_reads_the_count_beats_every_fixed_predictor():
    """The old measure of Theorem 11 held that it could not."""
    n, alpha = 1000, 0.1
    fixed = (column_distances(n // 2, n, n, size=DRAWS, rng=stream(1, "fixed")) > alpha).sum()
    reads = (theory.reading_distances(n, alpha, size=DRAWS, rng=stream(1, "reads")) > alpha).sum()
    assert (
        stats.fisher_exact([[reads, DRAWS - reads], [fixed, DRAWS - fixed]], "greater").pvalue
        < FALSE_ALARM
    )
    bit = (
        1
        - stats.hypergeom(n, n // 2, n // 2).cdf(262)
        + stats.hypergeom(n, n // 2, n // 2).cdf(237)
    )
    at_most = 1 - (1 - bit) ** 2  # either of two traits, nearly independent
    assert abs(reads / DRAWS - at_most) < 0.02


def test_the_union_over_the_counts_covers_the_learner_that_reads_it():
    n, beta = 1000, 0.05
    alpha = half_sample_distance(n, math.log(beta) - math.log(n / 2 + 1))
    assert (
        theory.reading_distances(n, alpha, size=DRAWS, rng=stream(1, "union")) > alpha
    ).mean() == 0


def test_theorem_11_is_settled_and_a_smaller_constraint_would_not_be(monkeypatch):
    assert theory.clear_count().value == 1
    honest = theory.theorem11_size
    monkeypatch.setattr(theory, "theorem11_size", lambda **k: honest(**k) / 1000)
    # our bound is silent, nothing is refuted
    assert math.isnan(theory.clear_count(draws=100).value)
    monkeypatch.setattr(theory, "theorem11_size", lambda **k: 1.0)
    assert theory.clear_count(draws=1000).value == 0  # the learner that reads the count refutes it


def test_theorem_9_fails_for_two_people_and_not_at_betas_of_use():
    n, ones, alpha, beta, chance = theory.theorem9_counterexample()
    assert (n, ones, chance) == (2, 1, pytest.approx(1.0))
    # from there on the constraint is at most two people at alpha just below 2
    assert math.exp(-1 / 2) < beta < 1
    assert theorem9_size(alpha=alpha, beta=beta, n=n, collection=1) <= n
    assert theory.theorem9_counterexample(betas=(1e-6, 0.05, 0.3, 0.5)) is None
    assert theory.clear_column(draws=500).value == 0


def _release(distances: dict[str, list[float]], n: int = 100_000) -> pd.DataFrame:
    """Rows of a release at epsilon .01; ``distances`` of a group over the splits."""
    return pd.DataFrame(
        [
            {
                "release": "fine",
                "epsilon": 0.01,
                "reader": "informed",
                "split": i,
                "group": g,
                "members": n,
                "distance": d,
            }
            for g, found in distances.items()
            for i, d in enumerate(found)
        ]
    )


def test_theorem_7_is_judged_for_all_groups_at_once(monkeypatch):
    """Each group fails in 1 split of 20, which is beta; some group fails in 4."""
    groups = {
        g: [2.0 if i == k else 0.0 for i in range(20)] for k, g in enumerate(coherence_dp.GROUPS)
    }
    monkeypatch.setattr(coherence, "_stored", lambda grid: _release(groups))
    found = coherence.guarantee_misses("theorem7")
    assert found["misses"].tolist() == [4]
    assert found["alpha"].iloc[0] < 2
    assert coherence.dp_bound_holds().value == 0
    monkeypatch.setattr(coherence, "_stored", lambda grid: _release({"everyone": [0.0] * 20}))
    held = coherence.dp_bound_holds()
    assert held.value == 1
    assert "0.168 of 20 splits" in held.detail


def test_a_guarantee_that_says_nothing_is_not_a_verdict(monkeypatch):
    monkeypatch.setattr(coherence, "_stored", lambda grid: _release({"everyone": [0.0] * 3}, n=50))
    assert math.isnan(coherence.dp_bound_holds().value)


def test_shares_of_splits_have_their_exact_interval(monkeypatch):
    part = pd.DataFrame({"distance": [0.1, 0.3, 0.3, 0.3], "null": 0.1, "null_95": 0.2})
    monkeypatch.setattr(coherence, "_splits", lambda group, variant="published": part)
    found = coherence.section5_unnoticed()
    want = stats.binomtest(1, 4).proportion_ci(method="exact")
    assert (found.value, found.runs) == (0.25, 4)
    assert (found.low, found.high) == pytest.approx((want.low, want.high))
    assert "with predictions in [-1, 1], 25%" in found.detail
