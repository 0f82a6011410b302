"""Privacy by exact densities and enumeration; samplers against their laws."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from lib.dp.conversion import rho_of_pure
from lib.dp.gaussian import gaussian_delta
from lib.dp.mechanisms import Exponential, Gaussian, Laplace
from lib.rng import stream
from tests.conftest import FALSE_ALARM, as_often

N = 200_000


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("sensitivity", [1e-6, 1.0, 1e6])
def test_laplace_ratio_is_e_to_the_epsilon_and_no_more(epsilon, sensitivity):
    m = Laplace(sensitivity=sensitivity, epsilon=epsilon)
    x = np.linspace(-5, 5, 2001) * sensitivity
    losses = m.log_density(x) - m.log_density(x - sensitivity)
    assert np.abs(losses).max() == pytest.approx(epsilon, rel=1e-12)


@pytest.mark.parametrize("rho", [0.01, 0.5, 4.0])
def test_gaussian_renyi_divergence_is_rho_alpha(rho):
    m = Gaussian(sensitivity=3.0, rho=rho)
    for alpha in (1.5, 2.0, 8.0):
        centre = (1 - alpha) * 3.0  # of p^alpha q^(1-alpha), with p at 0 and q at the sensitivity
        value, _ = integrate.quad(
            lambda x, a=alpha: math.exp(
                a * m.log_density(x) + (1 - a) * m.log_density(x - 3.0) - (a - 1) * a * rho
            ),
            centre - 40 * m.sigma,
            centre + 40 * m.sigma,
            points=[centre],
            limit=400,
        )
        assert math.log(value) == pytest.approx(0.0, abs=1e-7)
    assert gaussian_delta(m.mu, 1.0) > 0


def test_exponential_mechanism_by_all_neighbouring_scores():
    """Every change of every score by the sensitivity; the loss has a range of epsilon at most."""
    m = Exponential(sensitivity=2.0, epsilon=1.3)
    worst = 0.0
    for scores in itertools.product((0.0, 1.0, 5.0), repeat=3):
        for change in itertools.product((-2.0, 0.0, 2.0), repeat=3):
            before, after = (m.log_probabilities(np.add(scores, c)) for c in (0.0, change))
            loss = before - after
            worst = max(worst, np.abs(loss).max())
            assert np.ptp(loss) <= m.epsilon + 1e-12
            p, q = np.exp(before), np.exp(after)
            for alpha in (1.01, 2.0, 10.0):
                divergence = math.log((p**alpha * q ** (1 - alpha)).sum()) / (alpha - 1)
                assert divergence <= m.rho * alpha + 1e-12
    assert 0.5 * m.epsilon < worst <= m.epsilon + 1e-12
    assert m.rho == rho_of_pure(1.3, of="bounded range")
    assert Exponential.of_rho(m.rho, sensitivity=2.0).epsilon == pytest.approx(1.3)


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 100.0])
def test_samplers_have_their_laws(epsilon):
    laplace = Laplace(sensitivity=2.0, epsilon=epsilon)
    gaussian = Gaussian(sensitivity=2.0, rho=epsilon)
    for name, mechanism, law in (
        ("laplace", laplace, stats.laplace(scale=2.0 / epsilon)),
        ("gaussian", gaussian, stats.norm(scale=2.0 / math.sqrt(2 * epsilon))),
    ):
        noise = mechanism.release(np.zeros(N), stream(0, "dp", name, epsilon))
        assert stats.kstest(noise, law.cdf).pvalue > FALSE_ALARM
        assert mechanism.variance() == pytest.approx(law.var())
    assert stats.laplace(scale=2.0 / epsilon).sf(laplace.quantile(0.01)) * 2 == pytest.approx(0.01)


@pytest.mark.parametrize("epsilon", [0.01, 2.0, 100.0])
def test_selection_has_its_probabilities(epsilon):
    m, scores = Exponential(sensitivity=1.0, epsilon=epsilon), np.array([0.0, 1.0, 1.5, -40.0])
    chosen = m.select(np.broadcast_to(scores, (N, 4)), stream(0, "dp", "select", epsilon))
    p = np.exp(m.log_probabilities(scores))
    assert p.sum() == pytest.approx(1.0)
    for index in range(4):
        assert as_often(chosen == index, p[index])
    assert chosen.shape == (N,)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize(
    ("scores", "sensitivity", "steps"),
    [
        ([0.0, 1.0], 1.0, [0, 1]),
        ([0.0, 1e-320], 1e-320, [0, 1]),  # epsilon over the sensitivity overflows
        ([3e-320, 1e-320, 2e-320], 1e-320, [3, 1, 2]),
        ([1.0, 0.0, -1e308], 1e-3, [1e3, 0, -math.inf]),  # the last score overflows
        ([1e-1, 0.0, -1e308], 1e-1, [1, 0, -math.inf]),
    ],
)
def test_selection_has_its_probabilities_where_a_score_overflows(
    epsilon, scores, sensitivity, steps
):
    """Probabilities are those of scores that are counted in sensitivities, by hand."""
    weights = [math.exp(epsilon / 2 * (step - max(steps))) for step in steps]
    expected = [weight / sum(weights) for weight in weights]
    m = Exponential(sensitivity=sensitivity, epsilon=epsilon)
    # numbers below 1e-308 have three digits
    assert m.probabilities(np.array(scores)).tolist() == pytest.approx(expected, rel=2e-3)
    assert np.exp(m.log_probabilities(np.array(scores))) == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize("law", [Gaussian, Laplace])
def test_a_law_is_not_changed_after_it_was_priced(law):
    """Whoever kept the array could write another sensitivity into it, and less noise."""
    price, given = {"rho" if law is Gaussian else "epsilon": 0.5}, np.array([1.0, 1.0])
    made = law(sensitivity=given, **price)
    given[:] = 1e-3
    noise = made.sigma if law is Gaussian else made.scale
    assert made.sensitivity.tolist() == [1.0, 1.0]
    for array in (made.sensitivity, noise):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 1e-3


@pytest.mark.parametrize(
    "law", [Laplace(sensitivity=1.0, epsilon=1.0), Gaussian(sensitivity=1.0, rho=0.5)]
)
def test_a_value_that_the_noise_cannot_move_is_refused(law):
    """Between 1e17 and the next float lie 16, so that the value itself was released."""
    for value in (1e17, -1e17, [1.0, 2.0**43], np.array([2**53], dtype=np.int64)):
        with pytest.raises(ValueError, match=r"^values must be so small that the gap to the next"):
            law.release(value, stream(0, "noise"))
    assert law.release(2.0**42, stream(0, "noise")) != 2.0**42
    assert law.release([], stream(0, "noise")).size == 0
    wide = Laplace(sensitivity=1e9, epsilon=1.0)  # it was moved by one, before any noise
    for value in (2**53 + 1, [2**53 + 1, 0], np.uint64(2**53 + 1)):
        with pytest.raises(ValueError, match=r"^values must be numbers that a float can hold, got"):
            wide.release(np.array(value), stream(0, "noise"))
    assert wide.release(np.array([2**53 + 2]), stream(0, "noise")).size == 1
