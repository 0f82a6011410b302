"""Measures of the coherence paper: each can fail, and learners that read a release are not
mistaken for fixed ones.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from lib.ledger import read_claims
from lib.ledger.rules import judge
from lib.rng import stream
from studies.coherence import noisy_counts as coherence_dp
from studies.coherence.claims import chain, theory
from studies.coherence.claims import results as coherence
from studies.coherence.single_column import column_distances, theorem9_size
from tests.conftest import FALSE_ALARM

DRAWS = 20_000


def test_a_learner_that_reads_the_count_beats_every_fixed_predictor():
    """The old measure of Theorem 11 held that it could not."""
    n, alpha = 1000, 0.1
    fixed = (column_distances(n // 2, n, n, size=DRAWS, rng=stream(1, "fixed")) > alpha).sum()
    reads = (theory.reading_distances(n, alpha, size=DRAWS, rng=stream(1, "reads")) > alpha).sum()
    table = [[reads, DRAWS - reads], [fixed, DRAWS - fixed]]
    assert stats.fisher_exact(table, "greater").pvalue < FALSE_ALARM
    law = stats.hypergeom(n, n // 2, n // 2)
    bit = law.sf(262) + law.cdf(237)
    at_most = 1 - (1 - bit) ** 2  # either of two traits, nearly independent
    assert abs(reads / DRAWS - at_most) < 0.02


def test_where_our_bound_is_silent_and_nothing_is_refuted_theorem_11_has_no_verdict(monkeypatch):
    honest = theory.theorem11_size
    monkeypatch.setattr(theory, "theorem11_size", lambda **k: honest(**k) / 1000)
    assert math.isnan(theory.clear_count(draws=100).value)


def test_theorem_9_fails_for_two_people_and_not_at_betas_of_use():
    n, ones, alpha, beta, chance = theory.theorem9_counterexample()
    assert (n, ones, chance) == (2, 1, pytest.approx(1.0))
    # from there on the constraint is at most two people at alpha just below 2
    assert math.exp(-1 / 2) < beta < 1
    assert theorem9_size(alpha=alpha, beta=beta, n=n, collection=1) <= n
    assert theory.theorem9_counterexample(betas=(1e-6, 0.05, 0.3, 0.5)) is None


def _release(distances: dict[str, list[float]], n: int = 100_000) -> pd.DataFrame:
    """Rows of a release at epsilon .01; ``distances`` of a group over the splits."""
    rows = pd.DataFrame(distances).melt(var_name="group", value_name="distance", ignore_index=False)
    same = {"release": "fine", "epsilon": 0.01, "reader": "informed", "members": n}
    return rows.rename_axis("split").reset_index().assign(**same)


def test_theorem_7_is_judged_for_all_groups_at_once(monkeypatch):
    """Each group fails in 1 split of 20, which is beta; some group fails in 4."""
    groups = dict(zip(coherence_dp.GROUPS, 2.0 * np.eye(20), strict=False))
    monkeypatch.setattr(coherence, "_stored", lambda grid: _release(groups))
    found = coherence.guarantee_misses("theorem7")
    assert found["misses"].tolist() == [4]
    assert found["alpha"].iloc[0] < 2
    assert coherence.dp_bound_holds().value == 0
    monkeypatch.setattr(coherence, "_stored", lambda grid: _release({"everyone": [0.0] * 20}))
    held = coherence.dp_bound_holds()
    assert "0.168 of 20 splits" in held.detail
    # where the guarantee says nothing there is no verdict
    monkeypatch.setattr(coherence, "_stored", lambda grid: _release({"everyone": [0.0] * 3}, n=50))
    assert math.isnan(coherence.dp_bound_holds().value)


def test_a_theorem_that_allows_what_a_known_release_breaks_is_refuted(monkeypatch):
    """No release of the grid breaks it here; a known one does at a fiftieth of its epsilon."""
    honest = coherence.insufficient_epsilon
    monkeypatch.setattr(coherence, "_stored", lambda grid: _release({"everyone": [0.0] * 100}))
    assert coherence.dp_bound_holds().value == 1
    monkeypatch.setattr(coherence, "insufficient_epsilon", lambda alpha: honest(alpha) / 50)
    assert coherence.dp_bound_holds().value == 0


def test_shares_of_splits_have_their_exact_interval(monkeypatch):
    part = pd.DataFrame({"distance": [0.1, 0.3, 0.3, 0.3], "null": 0.1, "null_95": 0.2})
    monkeypatch.setattr(coherence, "_splits", lambda group, variant: part)
    found = coherence.section5_unnoticed()
    want = stats.binomtest(1, 4).proportion_ci(method="exact")
    assert (found.value, found.runs) == (0.25, 4)
    assert (found.low, found.high) == pytest.approx((want.low, want.high))
    assert "with predictions in [-1, 1], 25%" in found.detail


# an exact measure, and a bound of the paper that it compares with, made smaller by a factor
TOO_SHARP = {
    "theorem4_exact": (theory, "hush_scovel", 0.01),
    "corollary2_follows": (theory, "corollary", 0.1),
    "lemma1_exact": (chain, "lemma1_probability", 1e-3),
    "pure_information": (chain, "pure_dp", 0.01),
}


@pytest.mark.parametrize("measure", TOO_SHARP)
def test_a_bound_that_is_too_sharp_is_not_reproduced(measure, monkeypatch):
    module, name, factor = TOO_SHARP[measure]
    claim = next(claim for claim in read_claims() if claim.measure == measure)
    honest, verdicts = getattr(module, name), []
    for by in (1, factor):
        monkeypatch.setattr(module, name, lambda *a, by=by, **k: by * honest(*a, **k))
        found = claim.measured_by()(**claim.arguments)
        verdicts.append(judge(claim.rule, found, claim.tolerance))
    assert verdicts == ["reproduced", "not reproduced"]
