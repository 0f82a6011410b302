"""The audit against SciPy's exact intervals, and how often it says too much."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from lib.ldp import audited_epsilon
from lib.rng import stream
from tests.conftest import FALSE_ALARM


def _bits(counts: dict[tuple[int, ...], int]) -> np.ndarray:
    """So many reports of each support set."""
    return np.repeat(np.array(list(counts), dtype=np.uint8), list(counts.values()), axis=0)


def _by_hand(a: np.ndarray, b: np.ndarray, level: float) -> float:
    """Every second report picks a set; SciPy's intervals on the others."""
    a, b = [tuple(row) for row in a.tolist()], [tuple(row) for row in b.tolist()]
    halves = [(x[::2], y[::2], x[1::2], y[1::2]) for x, y in ((a, b), (b, a))]

    def limits(reports, which, share):
        return stats.binomtest(reports.count(which), len(reports)).proportion_ci(
            1 - 2 * share, method="exact"
        )

    _, x, y, chosen = max(
        (limits(one, s, level).low / limits(two, s, level).high, x, y, s)
        for one, two, x, y in halves
        for s in sorted(set(a[::2]) | set(b[::2]))
    )
    low = limits(x, chosen, level / 2).low
    return max(0.0, math.log(low / limits(y, chosen, level / 2).high)) if low > 0 else 0.0


SKEWED = (
    {(1, 0, 0): 100, (0, 1, 0): 600, (0, 0, 1): 300},
    {(1, 0, 0): 3, (0, 1, 0): 650, (0, 0, 1): 347},
)
DISJOINT = {(1, 0): 50}, {(0, 1): 50}
NEVER_TWICE = {(1, 1): 40, (1, 0): 0, (0, 1): 20}, {(1, 1): 0, (1, 0): 1, (0, 1): 59}
ALIKE = {(1, 0): 30, (0, 1): 30}, {(1, 0): 31, (0, 1): 29}


@pytest.mark.parametrize("level", [1e-6, 0.05, 0.4])
@pytest.mark.parametrize("counts", [SKEWED, DISJOINT, NEVER_TWICE, ALIKE])
def test_the_bound_is_that_of_exact_intervals(counts, level):
    a, b = map(_bits, counts)
    by_hand = pytest.approx(_by_hand(a, b, level), rel=1e-7, abs=1e-12)
    assert audited_epsilon(a, b, level) == audited_epsilon(b, a, level) == by_hand


LAWS = {
    "many equal sets": (np.full(64, 1 / 64), np.full(64, 1 / 64), 0.0),
    "randomised response": (np.array([0.75, 0.25]), np.array([0.25, 0.75]), math.log(3)),
    "one telling set": (
        np.array([0.02, *np.full(9, 0.98 / 9)]),
        np.array([0.01, *np.full(9, 0.99 / 9)]),
        math.log(2),
    ),
}


@pytest.mark.parametrize("law", LAWS)
def test_a_bound_above_the_truth_is_as_rare_as_the_level_says(law):
    """300 audits of a known law at a level of 0.1."""
    p, q, truth = LAWS[law]
    rng, runs, n, level = stream(0, "false alarms", law), 300, 4000, 0.1
    bits = (np.arange(p.size)[:, None] >> np.arange(7) & 1).astype(np.uint8)
    above = sum(
        audited_epsilon(bits[rng.choice(p.size, n, p=p)], bits[rng.choice(p.size, n, p=q)], level)
        > truth
        for _ in range(runs)
    )
    assert stats.binomtest(above, runs, level, alternative="greater").pvalue > FALSE_ALARM
