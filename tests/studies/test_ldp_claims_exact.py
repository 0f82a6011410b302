"""Exact measures against enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lib.ldp import make
from lib.ldp.unary import all_subsets
from studies.ldp_fairness.claims import exact


def test_what_a_budget_leaves_unprotected():
    assert exact.unprotected_share(0.1, 0.99).value == 0
    assert exact.unprotected_share(600.0, 0.99).value == 1
    found = exact.unprotected_share(50.0, 0.99)
    assert 0.5 < found.value < 1
    assert "gender of adult, k-based: 69%" in found.detail  # 50 * 2/122


@pytest.mark.parametrize("name", ["RAPPOR", "OUE", "THE", "SS", "GRR"])
def test_probability_of_one_value_against_the_channel(name):
    protocol = make(name, k=4, epsilon=1.0)
    reports = np.eye(4) if name == "GRR" else all_subsets(4)
    reports = protocol.subsets() if name == "SS" else reports
    one = protocol.channel()[2][reports.sum(axis=1) == 1].sum()
    assert exact.single_value_probability(protocol) == pytest.approx(one)


@pytest.mark.parametrize("name", ["BLH", "OLH"])
def test_probability_of_one_value_over_all_hash_functions(name):
    protocol = make(name, k=3, epsilon=1.2)
    total = []
    for function in itertools.product(range(protocol.g), repeat=3):
        sizes = np.bincount(function, minlength=protocol.g)
        total.append(protocol.channel(np.array(function))[0][sizes == 1].sum())
    assert exact.single_value_probability(protocol) == pytest.approx(np.mean(total))


def test_shares_of_consistent_reports_and_variances_that_compare_both_ways():
    assert exact.single_share(["GRR"]).value == 1
    assert 0 < exact.single_share(["SS"]).value < 1
    assert exact.inconsistent_share(["GRR", "OUE"]).value == 0
    assert exact.inconsistent_share(["RAPPOR", "OUE", "THE", "BLH", "OLH"]).value > 0.1
    assert exact.less_variance("OLH", "BLH").value == exact.less_variance("THE", "HE").value == 1
    assert exact.less_variance("BLH", "OLH").value < 1 > exact.less_variance("RAPPOR", "OUE").value


def test_the_covariance_that_is_left_against_the_joint_law():
    rng = np.random.default_rng(0)
    joint = rng.dirichlet(np.ones(10)).reshape(2, 5)
    a, b = make("GRR", k=2, epsilon=2.0), make("GRR", k=5, epsilon=2.0)
    sent = a.channel().T @ joint @ b.channel()

    def covariance(law):
        return law - np.outer(law.sum(axis=1), law.sum(axis=0))

    left = (a.p_star - a.q_star) * (b.p_star - b.q_star)
    np.testing.assert_allclose(covariance(sent), left * covariance(joint), atol=1e-12)
    assert f"{left:.1%} at epsilon 8" in exact.correlation_left().detail  # 8 / 4 attributes
