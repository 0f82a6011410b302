"""Parity error in its readings, by hand; what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.fairness.groups import parity_error, stratum_errors

TRUTH, ESTIMATE = np.array([10.0, 20.0, 40.0]), np.array([11.0, 20.0, 30.0])


def test_by_hand():
    assert stratum_errors(TRUTH, ESTIMATE).tolist() == [0.1, 0.0, 0.25]
    assert parity_error(TRUTH, ESTIMATE, 20.0, 22.0) == pytest.approx(0.1 / 3 + 0.35)
    assert parity_error(TRUTH, ESTIMATE, 20.0, 22.0, omega=1.0, reading="average") == pytest.approx(0.1 + 0.35 / 3)
    assert parity_error(TRUTH, ESTIMATE, 20.0, 22.0, normalised=False) == pytest.approx(2 / 3 + 11)
    assert parity_error(TRUTH, ESTIMATE, 20.0, 22.0, normalised=False, drop=1) == pytest.approx(2 / 3 + 1)


@given(st.permutations(range(3)), st.floats(0.1, 100))
def test_order_and_units_do_not_matter(order, unit):
    order = np.array(order)
    assert parity_error(unit * TRUTH[order], unit * ESTIMATE[order], unit * 20, unit * 22) == pytest.approx(
        parity_error(TRUTH, ESTIMATE, 20.0, 22.0)
    )


def test_runs_are_batched_over_the_first_axis():
    both = parity_error(
        np.stack([TRUTH, TRUTH]), np.stack([ESTIMATE, TRUTH]), np.array([20.0, 20.0]), np.array([22.0, 20.0])
    )
    assert both == pytest.approx([0.1 / 3 + 0.35, 0.0])


@pytest.mark.parametrize(
    ("options", "words"),
    [({"omega": 0.0}, "omega=0.0"), ({"reading": "median"}, "reading='median'"), ({"drop": 4}, "drop=4")],
)
def test_wrong_arguments_are_named(options, words):
    with pytest.raises(ValueError, match=words):
        parity_error(TRUTH, ESTIMATE, 20.0, 22.0, **options)


def test_a_true_value_of_zero_cannot_be_divided_by():
    with pytest.raises(ValueError, match="truth="):
        stratum_errors(np.array([0.0, 1.0]), np.ones(2))
    assert stratum_errors(np.array([0.0]), np.ones(1), normalised=False) == [1.0]
