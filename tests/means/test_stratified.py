"""The mechanism as it is called: its price in the accountant, and weights."""

from __future__ import annotations

import numpy as np
import pytest

from lib.means import Interval, holdout_weights, strat_coinpress, strat_laplace
from lib.means.grouped import coinpress, group_order, recombine
from lib.rng import stream

TOLD = Interval(low=-5.0, high=5.0, sigma=1.0)
GROUPS = np.array([1, 0, 1, 2, 1, 0])
VALUES = np.array([0.5, -1.0, 0.1, 2.0, 0.3, -2.0])


def test_it_is_the_grouped_algorithm_and_costs_rho_once():
    found = strat_coinpress(VALUES, GROUPS, 4, TOLD, rho=0.5, rng=stream(0, "s"))
    order, sizes = group_order(GROUPS, 4)
    expected = coinpress(VALUES[order], sizes, TOLD, (0.125, 0.375), stream(0, "s"))
    assert (found.strata == expected).all()
    assert found.population == recombine(expected, sizes)
    assert (found.accountant.spent, found.accountant.left) == (0.5, 0.0)
    entries = [(e.kind, e.cost) for e in found.accountant.entries]
    assert entries == [("measurement", 0.125), ("measurement", 0.375), ("exact count", 0.0)]
    # sizes are public
    assert found.accountant.promise == ("replace within a group", 0.5, ("stratum",))


def test_public_weights_replace_the_sizes():
    weights = holdout_weights(np.array([0, 0, 0, 1]), 4)
    found = strat_coinpress(VALUES, GROUPS, 4, TOLD, rho=1e9, rng=stream(0, "w"), weights=weights)
    assert found.population == pytest.approx(0.75 * -1.5 + 0.25 * 0.3, abs=0.01)
    assert found.sizes.tolist() == [2, 3, 1, 0]


def test_laplace_pays_in_epsilon_and_is_exact_in_the_limit():
    found = strat_laplace(VALUES, GROUPS, 3, low=-5, high=5, epsilon=1e9, rng=stream(0, "l"))
    assert found.population == pytest.approx(VALUES.mean(), abs=1e-6)
    assert found.accountant.unit == "epsilon"
    assert found.accountant.spent == 1e9


def test_the_widest_interval_still_gives_numbers():
    """What is allowed is answered with finite numbers: it has been paid for."""
    widest = Interval(low=-5e99, high=5e99, sigma=1e100)
    found = strat_coinpress(VALUES, GROUPS, 4, widest, rho=1e-6, rng=stream(0, "wide"))
    assert np.isfinite(found.strata).all()
