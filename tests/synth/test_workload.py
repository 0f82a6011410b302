"""Workload error against full histograms; weights and closures by hand; what is refused."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.synth import AIM
from lib.synth.aim import candidate_weights
from lib.synth.workload import (
    all_kway,
    downward_closure,
    marginal_errors,
    total_variation,
    workload_error,
)
from tests.synth.conftest import DOMAIN, people


def _full(frame, columns):
    bins = [np.arange(DOMAIN[c] + 1) for c in columns]
    return np.histogramdd(frame[list(columns)].to_numpy(), bins=bins)[0].ravel()


@given(st.integers(1, 60), st.integers(1, 200), st.integers(1, 4))
@settings(max_examples=40)
def test_workload_error_is_definition_14(n, m, k):
    real, synthetic = people(n), people(m, "other")
    workload = all_kway(DOMAIN, k)
    by_hand = [np.abs(_full(real, s) / n - _full(synthetic, s) / m).sum() for s in workload]
    assert marginal_errors(real, synthetic, DOMAIN, workload).to_numpy() == pytest.approx(by_hand)
    assert workload_error(real, synthetic, DOMAIN, workload) == pytest.approx(np.mean(by_hand))


def test_sparse_and_dense_agree():
    rng = np.random.default_rng(0)
    real, synthetic = rng.integers(0, 50, 30), rng.integers(0, 50, 40)
    dense, by_value = (total_variation(real, synthetic, k) for k in (50, 10**12))
    assert dense == pytest.approx(by_value)
    assert total_variation(np.zeros(3, int), np.ones(5, int), 2) == 2.0


def test_closure_and_weights_by_hand():
    workload = {("a", "b"): 1.0, ("b", "c"): 3.0}
    assert downward_closure(workload) == (("a",), ("b",), ("c",), ("a", "b"), ("b", "c"))
    weights = candidate_weights(workload)
    assert weights == {
        ("a",): 1.0, ("b",): 4.0, ("c",): 3.0, ("a", "b"): 1 * 2 + 3 * 1, ("b", "c"): 1 * 1 + 3 * 2,
    }  # fmt: skip
    three = all_kway(DOMAIN)
    assert len(three) == 4
    assert len(downward_closure(three)) == 4 + 6 + 4


def test_a_focus_weighs_the_marginals_with_its_columns():
    columns, one, other = DOMAIN.columns, DOMAIN.columns[:2], DOMAIN.columns[2:4]
    plain = candidate_weights(all_kway(DOMAIN))
    for unfocused in (AIM(), AIM(focus=[*one]), AIM(focus_weight=3)):
        assert unfocused.candidates(DOMAIN) == plain
    focused = AIM(focus=[*one, "elsewhere"], focus_weight=3).candidates(DOMAIN)
    weight = {s: 3.0 ** len(set(s) & set(one)) for s in combinations(columns, 3)}
    assert focused == {r: sum(c * len(set(r) & set(s)) for s, c in weight.items()) for r in plain}
    assert focused[one] / plain[one] > focused[other] / plain[other]
