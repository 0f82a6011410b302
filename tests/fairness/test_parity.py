"""Parity error in its readings, by hand; what it refuses."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.private_means.parity import parity_error, stratum_errors

TRUTH, ESTIMATE = np.array([10.0, 20.0, 40.0]), np.array([11.0, 20.0, 30.0])


def test_by_hand():
    assert stratum_errors(TRUTH, ESTIMATE).tolist() == [0.1, 0.0, 0.25]
    assert stratum_errors(-TRUTH, -ESTIMATE).tolist() == [0.1, 0.0, 0.25]
    error = partial(parity_error, TRUTH, ESTIMATE, 20.0, 22.0)
    assert error() == pytest.approx(0.1 / 3 + 0.35)
    assert error(omega=1.0, reading="average") == pytest.approx(0.1 + 0.35 / 3)
    assert error(normalised=False) == pytest.approx(2 / 3 + 11)
    assert error(normalised=False, drop=1) == pytest.approx(2 / 3 + 1)


def test_what_is_dropped_does_not_count_in_the_average():
    """Errors 1, 0, 10 and 5: without the largest two, the mean of the other two."""
    truth, estimate = np.array([10.0, 20.0, 40.0, 5.0]), np.array([11.0, 20.0, 30.0, 10.0])
    how = {"reading": "average", "normalised": False}
    for drop, mean in ((0, 16 / 4), (1, 6 / 3), (2, 1 / 2), (3, 0.0), (4, 0.0)):
        found = parity_error(truth, estimate, 20.0, 20.0, drop=drop, **how)
        assert found == pytest.approx(mean)


@pytest.mark.parametrize("drop", [0, 1, 2])
@pytest.mark.parametrize("reading", ["sum", "average"])
def test_an_unknown_error_is_no_largest_error(drop, reading):
    """NaN in, NaN out, in its own run only; so for the population."""
    error = partial(parity_error, drop=drop, reading=reading)
    assert math.isnan(error([1.0, 2.0], [math.nan, 2.0], 1.0, 1.0))
    runs = error(np.ones((2, 2)), [[math.nan, 2.0], [1.0, 2.0]], 1.0, 1.0)
    assert np.isnan(runs).tolist() == [True, False]
    assert math.isnan(error([1.0, 2.0], [1.0, 2.0], 1.0, math.nan))


@given(st.permutations(range(3)), st.floats(0.1, 100))
def test_order_and_units_do_not_matter(order, unit):
    order = np.array(order)
    found = parity_error(unit * TRUTH[order], unit * ESTIMATE[order], unit * 20, unit * 22)
    assert found == pytest.approx(parity_error(TRUTH, ESTIMATE, 20.0, 22.0))
