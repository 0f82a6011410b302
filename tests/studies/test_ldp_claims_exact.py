"""Exact measures against enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from lib.ldp import make
from lib.ldp.unary import all_subsets
from studies.ldp_fairness.claims import exact


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
