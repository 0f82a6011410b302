"""Information and posteriors against brute force; the least-variance split against optimality."""

from itertools import permutations

import numpy as np
import pytest

from lib.ldp import PROTOCOLS, make, split_budget
from lib.ldp.unary import all_subsets
from studies.ldp_fairness.allocation import WEIGHTINGS, least_variance_split, total_variance
from studies.ldp_fairness.information import (
    entropy,
    mutual_information,
    posterior,
)

COUNTS = {2: [30, 11], 5: [1, 0, 40, 7, 12], 8: [5, 9, 0, 3, 3, 21, 1, 2]}


def support_law(mechanism):
    """Every support as an indicator vector and Pr[support | v]."""
    if mechanism.name == "GRR":
        return np.eye(mechanism.k), mechanism.channel()
    if mechanism.name == "SS":
        return mechanism.subsets(), mechanism.channel()
    sets = all_subsets(mechanism.k)
    off = np.where(sets, mechanism.q_star, 1 - mechanism.q_star)
    own = np.where(sets, mechanism.p_star, 1 - mechanism.p_star)
    return sets, np.array(
        [np.delete(off, v, axis=1).prod(axis=1) * own[:, v] for v in range(mechanism.k)]
    )


@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.parametrize("k", COUNTS)
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 4.0])
def test_information_equals_the_sum_over_all_reports(name, k, epsilon):
    mechanism, counts = make(name, k=k, epsilon=epsilon), np.array(COUNTS[k])
    _, channel = support_law(mechanism)
    joint = counts[:, None] / counts.sum() * channel
    safe = np.where(joint > 0, channel / joint.sum(axis=0), 1.0)
    expected = (joint * np.log2(safe)).sum()
    assert mutual_information(mechanism, counts) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_posterior_is_bayes_rule(name):
    mechanism, prior = make(name, k=5, epsilon=1.3), np.array([0.1, 0.0, 0.5, 0.15, 0.25])
    sets, channel = support_law(mechanism)
    expected = (prior[:, None] * channel / (prior @ channel)).T
    np.testing.assert_allclose(posterior(mechanism, sets, prior), expected, atol=1e-12)


def test_entropy_by_hand():
    assert entropy(np.array([2, 1, 1, 0])) == pytest.approx(1.5)
    assert entropy([0.25, 0.75]) == pytest.approx(0.25 * 2 + 0.75 * np.log2(4 / 3))
    assert entropy([7]) == 0


FREQUENCIES = [np.array([0.3, 0.7]), np.full(5, 0.2), np.full(41, 1 / 41)]


@pytest.mark.parametrize("name", ["GRR", "RAPPOR", "OUE"])
@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("epsilon", [0.25, 4.0, 20.0])
def test_least_variance_split_is_stationary(name, weighting, epsilon):
    best = least_variance_split(epsilon, name, FREQUENCIES, weighting)
    assert best.sum() == pytest.approx(epsilon)
    assert (best > 0).all()
    least = total_variance(best, name, FREQUENCIES, weighting)
    for split in ("uniform", "k-based"):
        other = split_budget(epsilon, [2, 5, 41], split)
        assert least <= total_variance(other, name, FREQUENCIES, weighting)
    for i, j in permutations(range(3), 2):
        moved = best.copy()
        moved[i] += 1e-2 * best[j]
        moved[j] -= 1e-2 * best[j]
        assert total_variance(moved, name, FREQUENCIES, weighting) >= least * (1 - 1e-9)
