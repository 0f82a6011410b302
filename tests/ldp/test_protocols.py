"""What is particular to one protocol, and each against a slow reading of the paper's text."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from scipy import optimize, stats

from lib.ldp import OLH, SS, THE, make
from lib.ldp.histogram import optimal_theta
from lib.ldp.local_hashing import hash_values
from lib.ldp.sampling import bernoulli, random_subsets
from lib.rng import stream
from tests.conftest import FALSE_ALARM, as_often, peak_of

N, K, V = 12_000, 5, 3


def drawn(mechanism, draw: str, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Support sets of fresh reports, by way of the reports or drawn at once."""
    if draw == "reports":
        return mechanism.support(mechanism.privatise(values, rng))
    return mechanism.privatise_support(values, rng)


def _paper_grr(v, k, epsilon, rng):
    p = math.exp(epsilon) / (math.exp(epsilon) + k - 1)
    z = v if rng.random() < p else rng.choice([u for u in range(k) if u != v])
    return [int(u == z) for u in range(k)]


def _paper_rappor(v, k, epsilon, rng):
    p = math.exp(epsilon / 2) / (math.exp(epsilon / 2) + 1)
    return [int(rng.random() < (p if u == v else 1 - p)) for u in range(k)]


def _paper_oue(v, k, epsilon, rng):
    q = 1 / (math.exp(epsilon) + 1)
    return [int(rng.random() < (0.5 if u == v else q)) for u in range(k)]


def _paper_olh(v, k, epsilon, rng, g=None):
    g = g or math.floor(math.exp(epsilon) + 1)
    table = rng.integers(0, g, size=k)  # a function drawn from all functions
    p = math.exp(epsilon) / (math.exp(epsilon) + g - 1)
    z = table[v] if rng.random() < p else rng.choice([i for i in range(g) if i != table[v]])
    return [int(h == z) for h in table]


def _paper_ss(v, k, epsilon, rng):
    omega = max(1, math.floor(k / (math.exp(epsilon) + 1)))
    p = omega * math.exp(epsilon) / (omega * math.exp(epsilon) + k - omega)
    others = [u for u in range(k) if u != v]
    chosen = {v} if rng.random() < p else set()
    chosen |= set(rng.choice(others, size=omega - len(chosen), replace=False).tolist())
    return [int(u in chosen) for u in range(k)]


def _paper_the(v, k, epsilon, rng):
    theta = optimal_theta(epsilon)
    noisy = [float(u == v) + rng.laplace(0, 2 / epsilon) for u in range(k)]
    return [int(x > theta) for x in noisy]


SLOW = {"GRR": _paper_grr, "RAPPOR": _paper_rappor, "OUE": _paper_oue, "OLH": _paper_olh}
SLOW |= {"BLH": partial(_paper_olh, g=2), "SS": _paper_ss, "THE": _paper_the}


@pytest.mark.parametrize("name", SLOW)
@pytest.mark.parametrize("draw", ["reports", "support"])
def test_same_law_of_support_sets_as_a_loop_over_users(name, draw, rng):
    """Two samples of whole support sets, compared by a chi-square test of homogeneity."""
    epsilon, mechanism = 1.0, make(name, k=K, epsilon=1.0)
    slow = np.array([SLOW[name](V, K, epsilon, rng) for _ in range(N)])
    fast = drawn(mechanism, draw, np.full(N, V), rng)
    words = [bits @ (1 << np.arange(K)) for bits in (slow, fast)]
    table = np.array([np.bincount(w, minlength=2**K) for w in words])
    table = table[:, table.sum(axis=0) >= 10]
    assert stats.chi2_contingency(table).pvalue > FALSE_ALARM


def test_bernoulli_bits_have_their_probability(rng):
    for p in (0.0, 1e-4, 1 / 256, 0.3, 0.5, 0.999, 1.0):
        assert as_often(bernoulli((400, 500), p, rng), p, tests=7)


def test_rules_for_omega_and_g():
    assert OLH(k=9, epsilon=1.0).g == 3  # floor(3.718)
    assert OLH(k=9, epsilon=1.0, g_rule="round").g == 4  # round(2.718) + 1
    assert SS(k=10, epsilon=1.0).omega == 2  # 10 / 3.718 = 2.69
    assert SS(k=10, epsilon=1.0, omega_rule="round").omega == 3
    assert SS(k=2, epsilon=5.0).omega == 1  # the printed rule gives 0, no subset at all


def test_sizes_hang_on_no_last_bit():
    """At ``epsilon = ln n``, ``e^epsilon`` is n but for its last bits, which differ by platform."""
    below = [n for n in range(2, 200) if math.exp(math.log(n)) < n]
    assert len(below) > 10
    for n in range(2, 200):
        for rule in ("floor", "round"):
            assert OLH(k=4, epsilon=math.log(n), g_rule=rule).g == n + 1
            assert SS(k=7 * (n + 1), epsilon=math.log(n), omega_rule=rule).omega == 7
    for epsilon in (1.0, 2.5, 30.6, 40.0, 600.0):  # nothing else moves
        assert OLH(k=4, epsilon=epsilon).g == math.floor(math.exp(epsilon)) + 1


def test_hash_functions_look_like_functions_drawn_at_random(rng):
    """Uniform values, and two values collide once in g, over many seeds."""
    seeds = rng.integers(0, 2**64, 60_000, dtype=np.uint64)
    for g in (2, 3, 7):
        tables = hash_values(seeds[:, None], np.arange(4), g).astype(np.intp)
        for v in range(4):
            assert stats.chisquare(np.bincount(tables[:, v], minlength=g)).pvalue > FALSE_ALARM / 30
        for v in range(1, 4):
            assert as_often(tables[:, 0] == tables[:, v], 1 / g, tests=30)


def test_local_hashing_counts_need_no_users_by_values_array(rng):
    """k = 10,000 values and 3,000 users: blocks of a million entries, where all are 30 million."""
    mechanism = OLH(k=10_000, epsilon=2.0)
    reports = mechanism.privatise(rng.integers(0, 10_000, 3_000), rng)
    assert peak_of(lambda: mechanism.support_counts(reports)) < 100e6


@pytest.mark.parametrize(
    ("k", "epsilon"),
    [
        (2, 1.0),
        (40, 0.1),
        (256, 0.3),
        (257, 0.3),
        (513, 0.1),
        (513, 4.0),
        (2000, 4.0),
        (10_000, 4.0),
        (70_000, 8.0),
    ],
)
def test_a_report_of_members_is_the_support_of_the_same_stream(k, epsilon):
    """By words, by Floyd's steps with few members, with many, in 8, 16 and 32 bits."""
    mechanism, values = SS(k=k, epsilon=epsilon), stream(1, "values", k).integers(0, k, 200)
    one, two = stream(2, k, epsilon), stream(2, k, epsilon)
    reports, bits = mechanism.privatise(values, one), mechanism.privatise_support(values, two)
    assert (mechanism.support(reports) == bits).all()
    assert (mechanism.support_counts(reports) == bits.sum(axis=0)).all()
    assert one.bytes(8) == two.bytes(8)  # as many draws
    # the order does not say which value is one's own
    assert (np.diff(reports.astype(int), axis=1) > 0).all()


def printed_objective(t, epsilon):
    """Times n, the variance of a frequency of 0 at the threshold t, as printed."""
    return (2 * math.exp(epsilon * t / 2) - 1) / (
        1 + math.exp(epsilon * (t - 0.5)) - 2 * math.exp(epsilon * t / 2)
    ) ** 2


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1.0, 5.0, 30.0])
def test_theta_is_the_same_optimum_in_both_ranges(epsilon):
    paper, published = optimal_theta(epsilon), optimal_theta(epsilon, "published")
    assert paper == pytest.approx(published, abs=1e-4)
    assert 0.5 < paper < 1
    around = [printed_objective(t, epsilon) for t in np.linspace(0.501, 0.999, 999)]
    assert printed_objective(paper, epsilon) <= min(around) * (1 + 1e-6)


def test_the_variance_of_the_threshold_is_that_of_the_printed_objective():
    """The estimator's Var* equals objective / n: the formula is the variance it says it is."""
    mechanism = THE(k=5, epsilon=1.5)
    objective = printed_objective(mechanism.theta, 1.5)
    assert mechanism.variance(1000) == pytest.approx(objective / 1000, rel=1e-9)


@pytest.mark.parametrize(("m", "size"), [(17, 5), (40, 13), (48, 16), (40, 2), (5, 2)])
def test_random_subsets_are_uniform(m, size, rng):
    """The number in fixed columns is hypergeometric: by words, across words, by Floyd's steps."""
    n = 60_000
    member = random_subsets(n, m, np.full(n, size), rng, columns=m + 3)
    assert member.shape == (n, m + 3)
    assert not member[:, m:].any()
    assert (member.sum(axis=1) == size).all()
    ranges = [np.arange(low, high) for low, high in ((0, 16), (m - 5, m), (12, 17))]
    for columns in (*ranges, *(rng.permutation(m)[:6] for _ in range(5))):
        within = columns[(columns >= 0) & (columns < m)]
        law = stats.hypergeom(m, within.size, size).pmf(np.arange(size + 1)) * n
        seen = np.bincount(member[:, within].sum(axis=1, dtype=np.intp), minlength=size + 1)
        common = law >= 5  # rare numbers are pooled
        observed = np.append(seen[common], seen[~common].sum())
        expected = np.append(law[common], law[~common].sum()) + 1e-9  # a pool may be empty
        expected *= observed.sum() / expected.sum()
        assert stats.chisquare(observed, expected).pvalue > FALSE_ALARM


def test_a_projected_estimate_is_the_nearest_point_of_the_simplex_and_biased(rng):
    """Beside a root of the same condition; a value that nobody has comes out too frequent."""
    protocol, values = make("OUE", k=50, epsilon=0.5), np.repeat([0, 1], 100)
    gaps = []
    for _ in range(60):
        reports = protocol.privatise(values, rng)
        plain, nearest = protocol.estimate(reports), protocol.estimate(reports, "simplex")
        cut = optimize.brentq(lambda t, f=plain: np.maximum(f - t, 0).sum() - 1, -2, 2, xtol=1e-15)
        assert nearest == pytest.approx(np.maximum(plain - cut, 0), abs=1e-12)
        gaps.append([plain[2:].mean(), nearest[2:].mean()])
    (unbiased, biased), errors = np.mean(gaps, axis=0), stats.sem(gaps, axis=0)
    assert abs(unbiased) < 6 * errors[0]
    assert biased > 6 * errors[1]
    with pytest.raises(ValueError, match=r"project must be one of None, 'simplex', got 'ball'"):
        protocol.estimate(reports, "ball")
