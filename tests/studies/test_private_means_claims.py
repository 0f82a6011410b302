"""Measures of the claims about means: each says no where the statement is made false."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from lib.ledger.rules import judge
from lib.means import stratified
from lib.means.grouped import laplace_means
from studies.private_means.claims import census as means
from studies.private_means.claims import text
from studies.private_means.claims import theory as means_theory


def half_the_noise(values, sizes, low, high, epsilon, rng):
    return laplace_means(values, sizes, low, high, 2 * epsilon, rng)


def unclipped(values, sizes, low, high, epsilon, rng):
    means = np.add.reduceat(values, np.cumsum(sizes) - sizes) / sizes
    return means + rng.laplace(size=sizes.size) * (high - low) / sizes / epsilon


def peeking(values, sizes, low, high, epsilon, rng):
    """The noise looks at the values."""
    return laplace_means(values, sizes, low, high, epsilon * (1 + (values.max() > 1e5)), rng)


@pytest.mark.parametrize(
    ("mechanism", "words"),
    [
        (laplace_means, "largest loss 1.000000000 of epsilon"),  # the neighbours are the worst
        (half_the_noise, "largest loss 2.0"),
        (unclipped, "largest loss"),
        (peeking, "the noise's scale depends on the values"),
    ],
)
def test_the_mechanism_costs_epsilon_and_others_are_found_out(mechanism, words, monkeypatch):
    monkeypatch.setattr(stratified, "laplace_means", lambda *a, **_: mechanism(*a[:6]))
    found = means_theory.stratified_privacy()
    assert found.value == (mechanism is laplace_means)
    assert found.detail.startswith(words)


@pytest.mark.parametrize("by_groups", [False, True])
def test_a_bound_with_twice_the_noise_or_half_the_constant_does_not_hold(by_groups, monkeypatch):
    found = means_theory.noise_bound(by_groups)
    assert (found.value, found.runs, found.data) == (1, 2000, "generated")

    def loud(values, sizes, low, high, epsilon, rng):
        return laplace_means(values, sizes, low, high, epsilon / 2, rng)

    monkeypatch.setattr(means_theory, "laplace_means", loud)
    assert means_theory.noise_bound(by_groups).value == 0


def test_skewed_sizes_have_a_little_less_laplace_noise():
    """By about a twentieth, in every setting."""
    found = means_theory.skewed_noise(0.3, 10.0)
    assert (found.value, found.low, found.high) == (1, 1, 1)
    for simulated in (found, means_theory.theorem10()):
        assert (simulated.runs > 0, simulated.data, simulated.exact) == (True, "generated", False)
    assert 0.9 < float(found.detail.split("median ratio ")[1].split(",")[0]) < 1
    assert means_theory.skewed_noise(1.0, 1.0).value == 0


def _mixtures(ratios: dict[int, float], spread: float = 0.001) -> pd.DataFrame:
    """Plain error 10 / n, the stratified one ``ratios[n]`` times it, at two values of k."""
    cells = product(ratios, (3, 12), ("COINPRESS", "StratCOINPRESS"))
    rows = pd.DataFrame(cells, columns=["n", "k", "method"])
    times = rows["n"].map(ratios).where(rows["method"] == "StratCOINPRESS", 1.0)
    plain = 10 / rows["n"]
    gap = (times - 1) * plain
    ends = {"gap_low": gap - spread * plain, "gap_high": gap + spread * plain}
    same = {"metric": "error", "alpha": 1.0, "runs": 50, "data_source": "generated"}
    cell = rows["n"].astype(str) + " " + rows["k"].astype(str)
    return rows.assign(cell=cell, mean=times * plain, gap=gap, **ends, **same)


@pytest.mark.parametrize(
    ("last", "verdict"), [(1.05, "reproduced"), (3.0, "same direction"), (6.0, "not reproduced")]
)
def test_two_errors_that_go_to_zero_do_not_converge_unless_their_ratio_goes_to_one(
    last, verdict, monkeypatch
):
    monkeypatch.setattr(means, "mixtures", lambda **_: _mixtures({1000: 5.0, 30_000: last}))
    found = means.mixture_ratio("StratCOINPRESS")
    assert (found.value, found.reference) == pytest.approx((last, 5.0))
    assert found.high - found.value == pytest.approx(0.001 / np.sqrt(2))
    assert judge("near", found, {"target": 1.0, "tolerance": 0.1}) == verdict
    # the gap is small whatever the ratio
    assert means.mixture_gap("StratCOINPRESS", 10_000, 0.01).value == 1


def test_a_gap_counts_with_its_whole_interval(monkeypatch):
    monkeypatch.setattr(means, "mixtures", lambda **_: _mixtures({10_000: 2.0}, spread=10.0))
    found = means.mixture_gap("StratCOINPRESS", 10_000, 0.01)
    assert found.low < found.value == 1
    assert judge("at_least", found, {"threshold": 1.0}) != "reproduced"


def _census(p: list[float]) -> pd.DataFrame:
    """Crossings of one variable whose one-sided p-values for a smaller error are ``p``, 50 runs."""
    t, half = stats.t.ppf(np.array(p), 49), stats.t.isf(0.025, 49)
    same = {"metric": "error", "method": "StratCOINPRESS", "variable": "SCHL", "runs": 50}
    gaps = {"gap": t, "gap_low": t - half, "gap_high": t + half}
    return pd.DataFrame(gaps).assign(
        cell=range(len(p)), data_source="local", dataset="newyork2024", **same
    )


@pytest.mark.parametrize(
    ("p", "better"),
    [
        ([0.02] + [0.5] * 49, 0),
        ([0.0005] + [0.5] * 49, 1),
        ([0.0005, 0.0006] + [0.5] * 48, 2),
        ([0.999] * 50, 0),
    ],
)
def test_one_crossing_of_many_must_stand_out_from_all(p, better, monkeypatch):
    """At 2.5% each, one interval in forty lies below zero by chance."""
    monkeypatch.setattr(means, "census", lambda setting, dataset: _census(p))
    found = means.census_improves(["SCHL"])
    assert found.value == (better > 0)
    assert f"in {better} of 50 crossings" in found.detail


def test_people_in_the_wrong_group_are_found(monkeypatch):
    """The same total, with a group smaller than the published count of those who answered."""
    assert text.group_total().value == 1
    moved = {(1, 1): text.GROUPS[1, 1] - 10_000, (2, 1): text.GROUPS[2, 1] + 10_000}
    monkeypatch.setattr(text, "GROUPS", text.GROUPS | moved)
    assert sum(text.GROUPS.values()) == text.ROWS
    assert text.group_total().value == 0
