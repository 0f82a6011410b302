"""Holm's procedure against what it is: closed testing with Bonferroni."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.stats.p_values import holm


def test_a_test_that_could_not_be_made_is_of_the_family():
    adjusted = holm([0.01, math.nan])
    assert adjusted[0] == pytest.approx(0.02)
    assert math.isnan(adjusted[1])


@given(st.lists(st.floats(0, 1), max_size=6))
def test_adjusted_is_the_largest_bonferroni_of_all_families_that_hold_the_test(p):
    everyone = range(len(p))
    families = [f for size in range(1, len(p) + 1) for f in combinations(everyone, size)]
    expected = [
        max(min(1.0, len(f) * min(p[j] for j in f)) for f in families if i in f) for i in everyone
    ]
    assert holm(p).tolist() == pytest.approx(expected)
