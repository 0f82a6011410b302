"""Numbers that are equal but for last bits are tied before they are ranked."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.stats.summary import above, merge_ties, rank_correlation, ranks


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=30), st.integers(0, 2**32 - 1))
def test_ranks_of_integers_survive_last_bits(values, seed):
    x = np.array(values) / 7
    moved = x * (1 + 1e-13 * np.random.default_rng(seed).uniform(-1, 1, x.size))
    assert ranks(moved).tolist() == pd.Series(values).rank().tolist()


def test_rank_correlation_counts_a_planted_last_bit_as_a_tie():
    bits = pd.Series([1.0, 1.0 + 2**-52, 1.0 - 2**-53, 2.0, 3.0])
    other = pd.Series([3.0, 1.0, 2.0, 5.0, 4.0])
    exact = bits.round(6).rank().corr(other.rank())
    assert rank_correlation(bits, other) == pytest.approx(exact, abs=1e-12)
    assert abs(bits.rank().corr(other.rank()) - exact) > 0.05  # what the page printed


def test_gaps_and_infinities_are_kept():
    x = [np.nan, np.inf, 1.0, np.inf, -np.inf, 0.0, -0.0]
    assert np.array_equal(merge_ties(x), x, equal_nan=True)
    assert merge_ties([]).size == 0
    assert not above(np.array([np.nan, 1.0]), np.array([1.0, np.nan])).any()


def test_small_differences_that_are_no_last_bits_stay():
    x = np.array([1.0, 1.0 + 1e-7, 1.0 + 2e-7])
    assert merge_ties(x).tolist() == x.tolist()


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=30), st.integers(0, 2**32 - 1))
def test_what_is_above_survives_last_bits(values, seed):
    rng = np.random.default_rng(seed)
    one, other = np.array(values), rng.permutation(values)
    moved = [x / 7 * (1 + 1e-12 * rng.uniform(-1, 1, x.size)) for x in (one, other)]
    assert above(*moved).tolist() == (one > other).tolist()
