"""Exact measures against enumeration, and on both sides: a check that cannot fail is none."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lib.ldp import PROTOCOLS, make
from lib.ldp.unary import all_subsets
from lib.ledger.rules import judge
from studies.ldp_fairness.claims import exact


def test_table_counts_speak_of_real_data_only():
    found = exact.table2("lsac", 20427, [2, 2, 5, 2])
    assert found.data in ("replica", "real data")
    assert np.isnan(found.value) == (found.data == "replica")


def test_attribute_counts_can_fail():
    assert exact.attribute_counts({"adult": 10, "acs_coverage": 15, "lsac": 6}).value == 1
    assert exact.attribute_counts({"adult": 11}).value == 0


def test_splits_and_ratios():
    assert exact.splits_agree([2, 2, 2]).value == 1
    assert exact.splits_agree([2, 2, 5, 2]).value == 0
    assert exact.ratio(0.25).value == pytest.approx(np.exp(0.25))
    assert exact.composes().value == 1
    assert exact.ss_is_grr().value == 1


def test_what_a_budget_leaves_unprotected():
    """Seven of the eight attributes pass 99% at 50; the four binary ones under k-based are those
    that can fail.
    """
    assert exact.unprotected_share(0.1, 0.99).value == 0
    assert exact.unprotected_share(600.0, 0.99).value == 1
    found = exact.unprotected_share(50.0, 0.99)
    assert 0.5 < found.value < 1
    assert "gender of adult, k-based: 69%" in found.detail  # 50 * 2/122


def test_privacy_would_be_found_missing(monkeypatch):
    assert exact.private().value == 1
    honest = exact.make
    monkeypatch.setattr(
        exact, "make", lambda name, k, epsilon: honest(name, k=k, epsilon=1.001 * epsilon)
    )
    monkeypatch.setattr(exact, "PROTOCOLS", ("GRR",))
    assert exact.private().value == 0


@pytest.mark.parametrize("name", ["RAPPOR", "OUE", "THE", "SS", "GRR"])
def test_probability_of_one_value_against_the_channel(name):
    protocol = make(name, k=4, epsilon=1.0)
    reports = {"SS": lambda: protocol.subsets(), "GRR": lambda: np.eye(4)}.get(
        name, lambda: all_subsets(4)
    )()
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


def test_shares_of_consistent_reports():
    assert exact.single_share(["GRR"]).value == 1
    assert 0 < exact.single_share(["SS"]).value < 1
    assert exact.inconsistent_share(["GRR", "OUE"]).value == 0
    assert exact.inconsistent_share(["RAPPOR", "OUE", "THE", "BLH", "OLH"]).value > 0.1
    assert (
        judge("at_least", exact.inconsistent_share(["GRR"]), {"threshold": 0.01})
        == "not reproduced"
    )


def test_variances_compare_both_ways():
    assert exact.less_variance("OLH", "BLH").value == 1
    assert exact.less_variance("BLH", "OLH").value < 1
    assert exact.less_variance("THE", "HE").value == 1
    assert exact.less_variance("RAPPOR", "OUE").value < 1


def test_optimal_choices_are_counted_by_brute_force():
    assert 0 < exact.omega_optimal([5, 10], [0.5, 1.0]).value <= 1
    assert exact.g_optimal([np.log(3)]).value == 1  # e^eps + 1 = 4 is an integer
    assert exact.g_optimal([1.5]).value == 0  # 5.48: six is better than five
    assert exact.theta_inside([0.5, 8.0]).value == 1


def test_the_covariance_that_is_left_against_the_joint_law():
    """Two attributes, GRR on each: the covariance of the reports' bits over that of the true
    ones.
    """
    rng = np.random.default_rng(0)
    joint = rng.dirichlet(np.ones(10)).reshape(2, 5)
    a, b = make("GRR", k=2, epsilon=2.0), make("GRR", k=5, epsilon=2.0)
    sent = a.channel().T @ joint @ b.channel()

    def covariance(law):
        return law - np.outer(law.sum(axis=1), law.sum(axis=0))

    left = (a.p_star - a.q_star) * (b.p_star - b.q_star)
    np.testing.assert_allclose(covariance(sent), left * covariance(joint), atol=1e-12)
    assert f"{left:.1%} at epsilon 8" in exact.correlation_left().detail  # 8 / 4 attributes


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_protocol_has_a_share(name):
    assert 0 <= exact.single_share([name]).value <= 1
