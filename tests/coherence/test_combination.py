"""One p-value from many splits: its law by enumeration, its rate, what Fisher's method loses."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from lib.coherence.combination import combined_p, fisher_false_alarm
from lib.coherence.distances import shuffled_distances, split_distance
from lib.rng import stream
from tests.conftest import FALSE_ALARM


@pytest.mark.parametrize(
    "lists",
    [
        ([0.1, 0.2, 0.3, 0.4], [0.5, 0.1, 0.2, 0.9]),
        ([0.0, 0.0, 0.0, 1.0], [0.5, 0.5, 0.2, 0.2]),
        ([1.0, 1.0, 1.0], [0.0, 2.0, 2.0], [0.1, 0.2, 0.3]),
        ([0.3, 0.3 + 1e-14, 0.1], [0.2, 0.4]),
    ],
)
def test_the_rate_is_exact_at_every_value_that_p_takes(lists):
    """Whichever entries are the observed ones is equally likely: all choices are tried."""
    orders = product(*([np.roll(values, -i) for i in range(len(values))] for values in lists))
    found = np.array([combined_p(order) for order in orders])
    for t in np.unique(found):
        assert np.mean(found <= t * (1 + 1e-12)) == pytest.approx(t, rel=1e-8)


def test_no_split_and_equal_distances_say_nothing():
    assert combined_p([]) == 1
    assert combined_p([[0.4] * 21] * 5) == 1
    assert combined_p([[0.5, *np.zeros(20)]] * 300) > 0  # too small for a float, and not 0


def _group(shift: float, splits: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Hard labels of 40 people, 20 inside, who have a 1 more often by ``shift``; many are equal."""
    inside = np.arange(40) < 20
    found = []
    for _ in range(splits):
        h = np.where(rng.random(40) < 0.3 + shift * inside, 1.0, -1.0)
        found.append(
            np.append(split_distance(h, inside), shuffled_distances(h, 20, draws=20, rng=rng))
        )
    return found


def _fisher(splits: list[np.ndarray]) -> float:
    p = [np.mean(d >= d[0] - 1e-12) for d in splits]
    return float(stats.combine_pvalues(p, method="fisher").pvalue)


@pytest.mark.thorough("long statistics")
def test_the_rate_is_kept_and_the_power_beats_fisher_on_hard_labels():
    """400 groups each; the first rate of flags at 5% is exceeded by chance once in a million."""
    rng, times, level = stream(5, "combination"), 400, 0.05
    quiet = [_group(0.0, 5, rng) for _ in range(times)]
    flags = sum(combined_p(splits) <= level for splits in quiet)
    assert flags <= stats.binom.isf(FALSE_ALARM, times, level)
    assert flags > stats.binom.ppf(FALSE_ALARM, times, 0.8 * level)  # and used
    assert sum(_fisher(splits) <= level for splits in quiet) <= 2
    loud = [_group(0.25, 5, rng) for _ in range(times)]
    power = {
        rule: np.mean([rule(splits) <= level for splits in loud]) for rule in (combined_p, _fisher)
    }
    assert power[combined_p] > power[_fisher] + 0.2


def test_what_fisher_loses_by_hand():
    """p = 1/2 twice has probability 1/4; the chi-square tail of -2 ln of it is 0.597."""
    tail = stats.chi2.sf(4 * np.log(2), 4)
    assert fisher_false_alarm(draws=1, splits=2, level=tail + 0.01) == pytest.approx(0.25)
    assert fisher_false_alarm(draws=1, splits=2, level=tail - 0.01) == 0
    assert fisher_false_alarm(draws=20, splits=20, level=0.05) < 0.005
    assert fisher_false_alarm(draws=5000, splits=2, level=0.05) == pytest.approx(0.05, rel=0.01)
