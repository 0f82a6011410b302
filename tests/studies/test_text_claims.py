"""Measures of theorems and sentences that had no row: each holds where it should and fails where
it must.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from studies.coherence.claims import chain
from studies.private_means.claims import text


def test_the_tail_of_even_halves_is_the_hypergeometric_one():
    inside = np.arange(21)
    law, apart = stats.hypergeom(40, 20, 20).pmf(inside), 2 * abs(2 * inside - 20) / 20
    for distance in (0.0, 0.3, 1.0, 1.9):
        tail = law[apart > distance + 1e-9].sum()
        assert chain.even_tail(40, distance) == pytest.approx(tail)
    assert chain.even_tail(40, 2.0) == 0


@pytest.mark.parametrize("leak", [0.0, 1e-3])
def test_joint_laws_are_laws_and_leaks_are_charged(leak):
    for true, fresh in chain.joint_laws(8, 0.5, leak=leak):
        assert true.sum() == pytest.approx(1)
        assert fresh.sum() == pytest.approx(1)
    [(true, fresh), _] = chain.joint_laws(8, 0.5, leak=1e-3)
    assert true[-2] / fresh[-2] == pytest.approx(math.comb(8, 4))  # the published half is this one


def test_the_weight_of_the_population_in_definition_11(monkeypatch):
    """The words of the definition speak of an average, its formula is a sum."""
    assert "0.250" in text.population_weight(4).detail
    real = text.parity_error
    monkeypatch.setattr(text, "parity_error", lambda *a, **reading: real(*a, **reading, omega=1.0))
    assert text.population_weight(4, reading="sum").value == 1


def test_tables_1_and_2_follow_from_other_published_numbers(monkeypatch):
    monkeypatch.setitem(text._TABLE2, "SEX", (1.518, 0.5, 2))
    assert "not as printed: SEX" in text.table2_newyork().detail
    monkeypatch.setitem(text.VARIABLES, "WKHP", text.VARIABLES["SCHL"])
    assert "not as printed: WKHP" in text.table1().detail
