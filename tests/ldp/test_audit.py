"""The audit against SciPy's exact intervals, report by report, and where only one of two values gives itself away."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from lib.ldp import audited_epsilon


def _bits(counts: dict[tuple[int, ...], int]) -> np.ndarray:
    """So many reports of each support set."""
    return np.repeat(np.array(list(counts), dtype=np.uint8), list(counts.values()), axis=0)


def _by_hand(a: np.ndarray, b: np.ndarray, level: float) -> float:
    """The best lower over upper limit, the level shared by two limits, two directions and all sets that were seen."""
    a, b = [tuple(row) for row in a.tolist()], [tuple(row) for row in b.tolist()]
    seen = set(a) | set(b)
    share = level / (2 * 2 * len(seen))

    def limits(reports, which):  # each side of SciPy's interval errs with half of what is left of the confidence
        test = stats.binomtest(reports.count(which), len(reports))
        return test.proportion_ci(confidence_level=1 - 2 * share, method="exact")

    ratios = [limits(x, s).low / limits(y, s).high for x, y in ((a, b), (b, a)) for s in seen]
    return max(0.0, math.log(max(ratios)))


SKEWED = {(1, 0, 0): 100, (0, 1, 0): 600, (0, 0, 1): 300}, {(1, 0, 0): 3, (0, 1, 0): 650, (0, 0, 1): 347}
DISJOINT = {(1, 0): 50}, {(0, 1): 50}
NEVER_TWICE = {(1, 1): 40, (1, 0): 0, (0, 1): 20}, {(1, 1): 0, (1, 0): 1, (0, 1): 59}
ALIKE = {(1, 0): 30, (0, 1): 30}, {(1, 0): 31, (0, 1): 29}


@pytest.mark.parametrize("level", [1e-6, 0.05, 0.4])
@pytest.mark.parametrize("counts", [SKEWED, DISJOINT, NEVER_TWICE, ALIKE])
def test_the_bound_is_that_of_exact_intervals(counts, level):
    a, b = map(_bits, counts)
    assert audited_epsilon(a, b, level) == pytest.approx(_by_hand(a, b, level), rel=1e-7, abs=1e-12)


def test_a_leak_in_one_direction_is_found_whichever_value_comes_first():
    """A set that one value sends in a tenth of its reports, the other in three of a thousand; no other set tells much."""
    a, b = map(_bits, SKEWED)
    rest = math.log(650 / 600)  # what the other direction has to offer, had there been no end of reports
    assert audited_epsilon(a, b) == audited_epsilon(b, a) > 10 * rest


def test_alike_reports_prove_nothing():
    assert audited_epsilon(*map(_bits, ALIKE)) == 0
