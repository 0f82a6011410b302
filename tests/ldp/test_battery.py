"""The same questions to each of the protocols, and to those of `--protocol MODULE:CLASS`."""

from __future__ import annotations

import math
from decimal import ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import logsumexp

from lib import validate
from lib.ldp import PROTOCOLS, audited_epsilon, grr, make, unary
from lib.ldp import subset_selection as subset
from lib.ldp.registry import OTHERS
from lib.ldp.sampling import bernoulli
from lib.rng import stream
from tests.conftest import FALSE_ALARM, as_often
from tests.ldp.test_protocols import drawn
from tests.refusals import refused

every = pytest.mark.every_protocol
budgets = st.floats(0.01, 100)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.definition.get_closest_marker("every_protocol"):
        own = metafunc.config.getoption("--protocol")
        metafunc.parametrize("name", [*PROTOCOLS, *OTHERS, *own])


# fmt: off
NAN, RNG = math.nan, np.random.default_rng(0)
RAGGED, MASKED = [[1], [1, 2]], np.ma.array([0, 1, 2], mask=[0, 1, 0])
REFUSED = [
    *((lambda name, e=e: make(name, k=4, epsilon=e), "epsilon") for e in (0, 9e-10, NAN, math.inf, 1e3, 10**400, "1", None, True)),
    *((lambda name, k=k: make(name, k=k, epsilon=1.0), "k") for k in (1, -3, 2.5, "4", 10**400, 2**63 + 1)),
    *((lambda name, n=n: at_4(name).variance(n), "n") for n in (0, 10**400)),
    *((lambda name, f=f: at_4(name).variance(10, f), "frequency") for f in (1.5, -0.1, [0.2, NAN])),
    *((lambda name, d=d, v=v: getattr(at_4(name), d)(v, RNG), "values") for d in ("privatise", "privatise_support")
      for v in ([0, 4], [-1], [0.5], [[0, 1]], ["a"], [NAN], RAGGED, MASKED)),
    *((lambda name, d=d, rng=rng: getattr(at_4(name), d)([0], rng), "rng") for d in ("privatise", "privatise_support")
      for rng in (7, None, np.random.RandomState(1), np.random.default_rng)),
    *((lambda name, read=read, r=r: getattr(at_4(name), read)(r), "reports") for read in ("support", "support_counts", "estimate")
      for r in (*(np.full((3, 4), x) for x in (2, 0.5, 256, NAN)), np.array(["a"] * 4), RAGGED, MASKED, "ab")),
]
# fmt: on


def at_4(name):
    return make(name, k=4, epsilon=1.0)


@every
@pytest.mark.parametrize(("call", "what"), REFUSED)
def test_bad_input_is_refused_by_name(name, call, what):
    refused(lambda: call(name), what)


@every
@pytest.mark.parametrize("epsilon", [validate.EPSILON_MIN, 0.01, 100.0, validate.EPSILON_MAX])
@pytest.mark.parametrize("k", [2, 5, 10_000])
def test_the_ends_of_the_range_can_be_used(name, k, epsilon, rng):
    mechanism, values = make(name, k=k, epsilon=epsilon), rng.integers(0, k, 20)
    assert 0 < mechanism.q_star < mechanism.p_star <= 1
    assert mechanism.privacy_loss() == pytest.approx(epsilon, rel=0.01) or name == "THE"
    assert np.isfinite(mechanism.variance(10))
    assert mechanism.privatise_support(values, rng).shape == (20, k)
    assert np.isfinite(mechanism.estimate(mechanism.privatise(values, rng))).all()


@every
def test_no_users_no_estimate(name, rng):
    mechanism = make(name, k=4, epsilon=1.0)
    reports = mechanism.privatise(np.array([], dtype=int), rng)
    assert mechanism.support(reports).shape == (0, 4)
    with pytest.raises(ValueError, match="reports must be one or more, got 0"):
        mechanism.estimate(reports)


@every
@pytest.mark.parametrize("draw", ["reports", "support"])
def test_same_stream_same_reports(name, draw):
    mechanism, values = make(name, k=9, epsilon=1.0), np.arange(500) % 9
    one, two, other = (drawn(mechanism, draw, values, stream(1, key)) for key in ("a", "a", "b"))
    assert (one == two).all()
    assert (one != other).any()


@every
@settings(max_examples=150)
@given(k=st.integers(2, 10_000), epsilon=budgets)
@example(k=8921, epsilon=0.01)
def test_privacy_loss_is_epsilon_and_no_more(name, k, epsilon):
    """THE's threshold is post-processing: it loses less than the histogram."""
    loss = make(name, k=k, epsilon=epsilon).privacy_loss()
    assert 0 < loss <= epsilon * (1 + 1e-9) + 1e-9
    assert (loss < epsilon) if name == "THE" else loss == pytest.approx(epsilon, rel=1e-9)


@every
@settings(max_examples=60)
@given(k=st.integers(2, 16), epsilon=budgets)
@example(k=16, epsilon=100.0)
@example(k=9, epsilon=100.0)
@example(k=16, epsilon=50.0)
@example(k=16, epsilon=0.01)
def test_log_channel_has_the_stated_loss_for_every_k_and_budget(name, k, epsilon):
    """No probability underflows: OUE's smallest at k = 16 and epsilon = 100 is e^-1500."""
    mechanism = make(name, k=k, epsilon=epsilon)
    channel = mechanism.log_channel()
    assert channel.shape[0] == k
    assert np.isfinite(channel).all()
    np.testing.assert_allclose(logsumexp(channel, axis=1), 0, atol=1e-10)
    loss = (channel.max(axis=0) - channel.min(axis=0)).max()
    assert loss <= epsilon * (1 + 1e-9) + 1e-10
    assert loss == pytest.approx(mechanism.privacy_loss(), rel=1e-9, abs=1e-10)


def _drawn_probabilities(mechanism, monkeypatch, rng) -> list[Fraction]:
    """Of every Bernoulli bit that ``privatise`` asks for, in order, exactly as given."""
    seen = []

    def spy(shape, p, rng):
        seen.append(Fraction(p))
        return bernoulli(shape, p, rng)

    for module in (grr, subset, unary):
        monkeypatch.setattr(module, "bernoulli", spy)
    mechanism.privatise(np.zeros(3, dtype=int), rng)
    return seen


def _laws(mechanism, drawn: list[Fraction]) -> list[list[Fraction]]:
    """``Pr[z | v]`` of Section 3.3, from the probabilities that are drawn with and no other."""
    k, values = mechanism.k, range(mechanism.k)
    if mechanism.name in ("GRR", "BLH", "OLH"):
        (keep,), g = drawn, getattr(mechanism, "g", k)
        other, reports = (1 - keep) / (g - 1), range(min(g, k + 1))
        return [[keep if z == v % g else other for z in reports] for v in values]
    if mechanism.name == "SS":
        (keep,), omega = drawn, mechanism.omega
        sets = list(combinations(values, omega))
        inside, outside = keep / math.comb(k - 1, omega - 1), (1 - keep) / math.comb(k - 1, omega)
        return [[inside if v in z else outside for z in sets] for v in values]
    other, own = drawn
    ones = [[own if u == v else other for u in values] for v in values]
    factors = [[(1 - p, p) for p in row] for row in ones]
    return [[math.prod(bits) for bits in product(*row)] for row in factors]


def _loss(laws: list[list[Fraction]]) -> float:
    return max(math.log(max(column)) - math.log(min(column)) for column in zip(*laws, strict=True))


@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 4.0, 12.0])
@pytest.mark.parametrize("k", [2, 3, 6])
def test_what_is_drawn_loses_what_is_stated(name, k, epsilon, monkeypatch, rng):
    """The exact law of a report, in fractions, from the bits' probabilities: q is not read."""
    mechanism = make(name, k=k, epsilon=epsilon)
    laws = _laws(mechanism, _drawn_probabilities(mechanism, monkeypatch, rng))
    if name != "OLH":  # of its g reports only those that tell values apart are listed
        assert all(sum(law) == 1 for law in laws)
    assert _loss(laws) <= epsilon + 1e-9
    assert _loss(laws) == pytest.approx(mechanism.privacy_loss(), rel=1e-8)


def _support_probabilities(mechanism) -> np.ndarray:
    """``Pr[v' in S | v]`` from the enumerated channel."""
    channel, k = mechanism.channel(), mechanism.k
    if mechanism.name == "GRR":
        members = np.eye(k)
    elif mechanism.name == "SS":
        members = mechanism.subsets()
    else:
        members = (np.arange(2**k)[:, None] >> np.arange(k)) & 1
    return channel @ members


@pytest.mark.parametrize("name", ["GRR", "RAPPOR", "OUE", "SS", "THE"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("k", [2, 5, 8])
def test_support_probabilities_follow_from_the_channel(name, k, epsilon):
    mechanism = make(name, k=k, epsilon=epsilon)
    found = _support_probabilities(mechanism)
    np.testing.assert_allclose(found, mechanism.support_channel(), rtol=1e-10)


@every
@pytest.mark.parametrize("draw", ["reports", "support"])
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_empirical_support_agrees_with_the_exact_one(name, draw, epsilon, rng):
    """Every entry of the support channel by an exact binomial test; Bonferroni over the 36."""
    k, n = 6, 20_000
    mechanism = make(name, k=k, epsilon=epsilon)
    for v in range(k):
        bits = drawn(mechanism, draw, np.full(n, v), rng)
        for column, p in zip(bits.T, mechanism.support_channel()[v], strict=True):
            assert as_often(column, p, tests=k**2)


@every
def test_estimates_are_unbiased_with_the_stated_variance(name, rng):
    """Standardised errors: mean within a normal bound, variance within a chi-square bound."""
    k, n, repeats = 5, 400, 600
    mechanism = make(name, k=k, epsilon=1.2)
    values = np.repeat(np.arange(k), n * np.array([50, 25, 15, 10, 0]) // 100)
    truth = np.bincount(values, minlength=k) / n
    errors = np.array(
        [mechanism.estimate(mechanism.privatise(values, rng)) - truth for _ in range(repeats)]
    )
    z = errors / np.sqrt(mechanism.variance(n, truth))
    level = FALSE_ALARM / (2 * k)
    assert np.abs(z.mean(axis=0)).max() * math.sqrt(repeats) < stats.norm.isf(level / 2)
    spread = repeats * (z**2).mean(axis=0)
    # 0.97: the errors are only nearly normal
    assert spread.min() > stats.chi2.ppf(level / 2, repeats) * 0.97
    assert spread.max() < stats.chi2.isf(level / 2, repeats) * 1.03


def _digits(name: str, k: int, epsilon: float) -> tuple[Decimal, Decimal]:
    """``p_star`` and ``q_star`` from the paper's formulas to 80 digits."""
    e, half, n = Decimal(epsilon).exp(), (Decimal(epsilon) / 2).exp(), Decimal(k)
    if name == "GRR":
        return e / (e + n - 1), 1 / (e + n - 1)
    if name == "RAPPOR":
        return half / (half + 1), 1 / (half + 1)
    if name == "OUE":
        return Decimal("0.5"), 1 / (e + 1)
    if name == "SS":
        omega = max(1, int(n / (e + 1)))
        p = omega * e / (omega * e + n - omega)
        return p, (p * (omega - 1) + (1 - p) * omega) / (n - 1)
    g = Decimal(2) if name == "BLH" else (e + 1).to_integral_value(ROUND_FLOOR)
    return e / (e + g - 1), 1 / g


@pytest.mark.parametrize("name", ["GRR", "BLH", "OLH", "RAPPOR", "OUE", "SS"])
@pytest.mark.parametrize("k", [2, 5, 10_000])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 37.5, 42.4, 50.0, 75.0, 100.0])
def test_probabilities_and_variance_to_the_last_digits(name, k, epsilon):
    """OLH's g was cut off at 2**61, and variances of large budgets came out as 0."""
    mechanism = make(name, k=k, epsilon=epsilon)
    with localcontext(prec=80):
        p, q = _digits(name, k, epsilon)
        for ours, exact in ((mechanism.p_star, p), (mechanism.q_star, q)):
            assert abs(Decimal(ours) / exact - 1) < Decimal("1e-12")
        for f in (0, Decimal("0.3"), 1):
            exact = (f * p * (1 - p) + (1 - f) * q * (1 - q)) / (1000 * (p - q) ** 2)
            assert abs(Decimal(mechanism.variance(1000, float(f))) / exact - 1) < Decimal("1e-10")


def test_olh_drops_the_value_half_of_the_time_at_budgets_whose_g_no_word_holds(rng):
    """Kept hashes among 20,000, by a normal bound at a false-alarm rate below 1e-9."""
    mechanism, values = make("OLH", k=50, epsilon=60.0), np.full(20_000, 7)
    for bits in (drawn(mechanism, draw, values, rng) for draw in ("reports", "support")):
        assert abs(bits[:, 7].mean() - 0.5) < 6.2 * 0.5 / math.sqrt(values.size)
        assert bits.sum() == bits[:, 7].sum()


@every
@pytest.mark.parametrize("epsilon", [1.0, 2.5])
def test_the_audit_tells_what_is_claimed_from_too_little(name, epsilon, rng):
    """Never more than 1 at a budget of 1; reports made at 2.5 do not pass for it."""
    mechanism = make(name, k=4, epsilon=epsilon)
    draws = [mechanism.support(mechanism.privatise(np.full(40_000, v), rng)) for v in (0, 3)]
    assert (audited_epsilon(*draws) <= 1.0) == (epsilon == 1.0)
