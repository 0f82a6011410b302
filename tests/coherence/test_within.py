"""Our bound within a group: its steps against exact laws and simulation, and its limit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from lib.coherence.bounds.max_information import pure_dp, pure_dp_tightened
from lib.coherence.bounds.within_group import (
    group_spread,
    insufficient_epsilon,
    limit_distance,
    membership_distance,
    membership_distances,
    within_distance,
    within_size,
)
from studies.coherence.exact_information import (
    generalisation_information,
    max_information,
    membership_bits,
    noisy_count,
)
from tests.conftest import as_often


@given(
    st.lists(st.floats(0.01, 1), min_size=6, max_size=6),
    st.lists(st.floats(0.01, 1), min_size=6, max_size=6),
    st.floats(0, 0.5),
)
@settings(max_examples=60)
def test_max_information_is_the_best_of_all_events(true, fresh, eta):
    true, fresh = np.array(true) / sum(true), np.array(fresh) / sum(fresh)
    best = -math.inf
    for code in range(1, 64):
        event = np.array([code >> i & 1 for i in range(6)], dtype=bool)
        if true[event].sum() > eta:
            best = max(best, math.log((true[event].sum() - eta) / fresh[event].sum()))
    assert max_information(true, fresh, eta) == pytest.approx(best, abs=1e-9)


def test_membership_bits_against_enumeration():
    """All halves of 6 people times all reports of 6 bits."""
    n, epsilon, keep = 6, 1.3, 1 / (1 + math.exp(-0.65))
    true, fresh = membership_bits(n=n, epsilon=epsilon)
    halves = [h for h in range(2**n) if h.bit_count() == n // 2]
    want_true, want_fresh = np.zeros_like(true), np.zeros_like(fresh)
    for report in range(2**n):
        law = {
            h: keep ** (n - (h ^ report).bit_count()) * (1 - keep) ** (h ^ report).bit_count()
            for h in halves
        }
        for h in halves:
            cell = (h & report).bit_count(), report.bit_count()
            want_true[cell] += law[h] / len(halves)
            want_fresh[cell] += sum(law.values()) / len(halves) ** 2
    assert np.allclose(true, want_true, atol=1e-12)
    assert np.allclose(fresh, want_fresh, atol=1e-12)


def test_laws_too_small_for_a_float_do_not_make_the_information_infinite():
    """A half of 800 with all the ones has probability 1e-239, whose square is 0 in a float."""
    weights, channel = noisy_count(n=800, ones=400, epsilon=2.0)
    joint = weights[:, None] * channel
    eta, bound = generalisation_information(beta=0.099, epsilon=32.0)
    assert max_information(joint, np.outer(weights, joint.sum(axis=0)), eta) <= bound


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2.0])
@pytest.mark.parametrize("n", [10, 60, 200])
@pytest.mark.parametrize("eta", [0.2, 1e-4])
def test_no_exact_max_information_exceeds_the_bounds(epsilon, n, eta):
    """Two epsilon-DP releases, exactly: ours holds for both, and the paper's larger one."""
    found = max(max_information(*laws, eta) for laws in _releases(n, epsilon))
    asked = {"epsilon": epsilon, "n": n, "eta": eta}
    assert found <= pure_dp_tightened(**asked) <= pure_dp(**asked)


def _releases(n: int, epsilon: float):
    """(true, fresh) of two epsilon-DP releases about a half of n people."""
    weights, channel = noisy_count(n=n, ones=n // 2, epsilon=epsilon)
    joint = weights[:, None] * channel
    yield membership_bits(n=n, epsilon=epsilon)
    yield joint, np.outer(weights, joint.sum(axis=0))


@pytest.mark.parametrize("members", [7, 50, 501])
def test_the_spread_covers_every_split(members):
    """The sum of squared ranges, summed as it stands, for every number of members in the half."""
    for epsilon in (0.1, 1.0, 4.0):
        s = group_spread(members=members, epsilon=epsilon)
        for v in range(1, members):
            few = min(v, members - v)
            k = np.arange(1, few + 1)
            ranges = np.log1p((members - few) / (members - k) * math.expm1(epsilon))
            assert (ranges**2).sum() / 4 <= s + 1e-12


@pytest.mark.parametrize(
    ("members", "others", "epsilon"), [(120, 0, 0.5), (400, 1600, 1.0), (60, 500, 0.1)]
)
def test_the_bound_holds_behind_randomised_response_on_membership(members, others, epsilon, rng):
    found = membership_distances(members, epsilon=epsilon, others=others, size=4000, rng=rng)
    for p in (0.5, 0.05):
        bound = within_distance(members, epsilon=epsilon, log_p=math.log(p))
        assert as_often(found > bound, p, side="greater")
    scale = found.std() / math.sqrt(found.size)
    # |mean| at most mean of the absolute value
    assert found.mean() > membership_distance(epsilon) - 6 * scale


@given(
    alpha=st.floats(0.05, 2),
    beta=st.floats(1e-12, 1),
    collection=st.integers(1, 1000),
    share=st.floats(0.001, 0.95),
)
@settings(max_examples=100)
def test_size_inverts_distance_and_moves_the_right_way(alpha, beta, collection, share):
    epsilon = share * optimize.brentq(lambda e: limit_distance(e) - alpha, 1e-6, 20)
    size = within_size(alpha=alpha, beta=beta, epsilon=epsilon, collection=collection)
    log_p = math.log(beta / collection)
    assert within_distance(size, epsilon=epsilon, log_p=log_p) == pytest.approx(alpha, rel=1e-6)
    assert within_distance(2 * size, epsilon=epsilon, log_p=log_p) < alpha
    assert within_size(alpha=alpha, beta=beta, epsilon=epsilon / 2, collection=collection) <= size
    assert within_size(alpha=alpha, beta=beta, epsilon=epsilon, collection=2 * collection) >= size
    assert epsilon < insufficient_epsilon(alpha)


def test_limit():
    assert limit_distance(1e-3) == pytest.approx(0.5e-3, rel=1e-3)
    assert all(membership_distance(e) < limit_distance(e) < e for e in (0.01, 0.3, 1.0, 3.0))
    huge = within_distance(1e14, epsilon=0.3, log_p=-40.0)
    assert huge == pytest.approx(limit_distance(0.3), rel=1e-4)
    assert within_size(alpha=0.2, beta=0.1, epsilon=0.42, collection=1) == math.inf
    assert within_distance(10, epsilon=0.1, log_p=-40.0) == math.inf
    assert membership_distance(insufficient_epsilon(0.7)) == pytest.approx(0.7)
    assert insufficient_epsilon(2.0) == math.inf


def test_a_very_large_epsilon_is_no_overflow():
    near = [limit_distance(epsilon) / epsilon for epsilon in (599.0, 601.0, 1e6)]
    assert near[0] == pytest.approx(near[1], rel=1e-2)
    # eps / w counts alone, and int_{1/2}^1 w^-2 dw = 1
    assert near[2] == pytest.approx(math.sqrt(0.5), rel=1e-5)
    assert within_size(alpha=0.5, beta=0.05, epsilon=800, collection=1) == math.inf


def test_noisy_count_is_differentially_private_and_a_law():
    weights, channel = noisy_count(n=40, ones=15, epsilon=0.7)
    assert weights.sum() == pytest.approx(1)
    assert np.allclose(channel.sum(axis=1), 1)
    ratios = np.log(channel[1:] / channel[:-1])
    assert 0.7 - 1e-6 < np.abs(ratios).max() <= 0.7 + 1e-9
