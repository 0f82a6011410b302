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
    law = stats.hypergeom(40, 20, 20).pmf(inside)
    for distance in (0.0, 0.3, 1.0, 1.9):
        assert chain.even_tail(40, distance) == pytest.approx(
            law[2 * abs(2 * inside - 20) / 20 > distance + 1e-9].sum()
        )
    assert chain.even_tail(40, 2.0) == 0


@pytest.mark.parametrize("leak", [0.0, 1e-3])
def test_joint_laws_are_laws_and_leaks_are_charged(leak):
    for true, fresh in chain.joint_laws(8, 0.5, leak=leak):
        assert true.sum() == pytest.approx(1)
        assert fresh.sum() == pytest.approx(1)
    [(true, fresh), _] = chain.joint_laws(8, 0.5, leak=1e-3)
    assert true[-2] / fresh[-2] == pytest.approx(math.comb(8, 4))  # the published half is this one


@pytest.mark.parametrize(
    ("measure", "bound", "broken"),
    [
        ("claim1_exact", "claim1", lambda fresh, zeta, eta: fresh * math.exp(0.3 * zeta)),
        ("lemma1_exact", "lemma1_probability", lambda members, mu, zeta, eta: 1e-3 * mu),
        ("theorem3_exact", "size", lambda terms: 40),
        ("pure_information", "pure_dp", lambda epsilon, n, eta: 0.2 * epsilon**2 * n),
        (
            "approximate_information",
            "approximate_dp",
            lambda **given: (1e-6, given["epsilon"] ** 2 / 100),
        ),
        ("theorem8_simulated", "size", lambda terms: 10),
    ],
)
def test_a_bound_that_is_too_small_is_refuted(monkeypatch, measure, bound, broken):
    assert chain.MEASURES[measure]().value == 1
    monkeypatch.setattr(chain, bound, broken)
    assert chain.MEASURES[measure]().value == 0


def test_hoeffding_holds_and_a_smaller_bound_would_not(monkeypatch):
    assert chain.hoeffding_exact().value == 1
    law = chain.stats.hypergeom

    class Wider:  # as if twice the population's share could be drawn
        def __init__(self, people, ones, sample):
            self.law = law(people, min(people, 2 * ones), sample)

        def sf(self, x):
            return self.law.sf(x)

    monkeypatch.setattr(chain.stats, "hypergeom", Wider)
    assert chain.hoeffding_exact().value == 0


def test_a_fresh_estimate_doubles_the_noise_of_the_groups(monkeypatch):
    found = text.fresh_estimate()
    assert (found.value, found.reference) == (pytest.approx(2), 1)
    monkeypatch.setattr(
        text, "laplace_means", lambda x, sizes, low, high, epsilon, rng: np.ones(sizes.size)
    )
    assert text.fresh_estimate().value == 1


def test_the_radius_costs_its_logarithm_with_enough_steps_only(monkeypatch):
    assert text.coinpress_error(1e4, 6, runs=100) < 2 * text.coinpress_error(10.0, 6, runs=100)
    assert text.coinpress_error(1e6, 2, runs=100) > 100 * text.coinpress_error(10.0, 2, runs=100)
    monkeypatch.setattr(text, "coinpress_error", lambda radius, steps: radius)
    assert text.logarithmic_radius().value == 0


def test_the_weight_of_the_population_in_definition_11(monkeypatch):
    """The words of the definition speak of an average, its formula is a sum."""
    assert text.population_weight(4).value == 1
    assert text.population_weight(4, reading="sum").value == 0
    assert "0.250" in text.population_weight(4).detail
    real = text.parity_error
    monkeypatch.setattr(
        text, "parity_error", lambda *a, reading: real(*a, reading=reading, omega=1.0)
    )
    assert text.population_weight(4, reading="sum").value == 1


def test_tables_1_and_2_follow_from_other_published_numbers(monkeypatch):
    assert text.table1().value == text.table2_newyork().value == 1
    monkeypatch.setitem(text._TABLE2, "SEX", (1.518, 0.5, 2))
    assert text.table2_newyork().value == 0
    assert "not as printed: SEX" in text.table2_newyork().detail
    monkeypatch.setitem(text.VARIABLES, "WKHP", text.VARIABLES["SCHL"])
    assert "not as printed: WKHP" in text.table1().detail


def test_the_stylised_example_needs_pairs_that_differ_between_strata():
    assert text.stylised_selection().value == 1
    assert text.stylised_selection((0.9, 0.8, 0.8)).value == 0  # best in each stratum too
    assert text.stylised_selection((0.2, 0.8, 0.8)).value == 0  # not the best for everybody
