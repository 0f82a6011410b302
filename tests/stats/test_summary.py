"""Intervals and paired differences on tables worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from lib.rng import stream
from lib.stats.p_values import p_positive, p_value
from lib.stats.summary import clopper_pearson, interval_words, mean_interval, summarise, widening
from studies.verdicts.words import p_in_words


def test_the_interval_is_students():
    x = np.array([1.0, 2.0, 4.0, 7.0])
    expected = stats.t.interval(0.95, 3, loc=x.mean(), scale=stats.sem(x))
    assert mean_interval(x)[1:] == pytest.approx(expected)
    assert mean_interval([*x, math.nan]) == mean_interval(x)


def test_one_value_has_no_interval_and_none_has_no_mean():
    assert mean_interval([2.0])[0] == 2.0
    assert math.isnan(mean_interval([2.0])[1])
    assert all(map(math.isnan, mean_interval([])))


@pytest.mark.parametrize("sort", [True, False])
def test_groups_at_once_have_the_intervals_that_each_has_alone(rng, sort):
    """Groups of 5, 1 and no finite value, and one of equal values; in order or as they first
    occur.
    """
    groups = {
        ("b", 1): rng.normal(size=5),
        ("a", 2): [3.0, math.nan],
        ("a", 1): [math.nan] * 2,
        ("c", 1): [0.1] * 3,
    }
    frame = pd.DataFrame(
        [(*key, x) for key, values in groups.items() for x in values], columns=["name", "size", "x"]
    )
    found = summarise(frame, ["name", "size"], "x", 0.9, sort=sort).set_index(["name", "size"])
    assert list(found.index) == (sorted(groups) if sort else list(groups))
    for key, values in groups.items():
        assert found.loc[key, ["mean", "low", "high"]].tolist() == pytest.approx(
            mean_interval(values, 0.9), nan_ok=True
        )
    assert found["runs"].to_dict() == {("b", 1): 5, ("a", 2): 1, ("a", 1): 0, ("c", 1): 3}
    with pytest.raises(ValueError, match="level"):
        summarise(frame, ["name"], "x", 1.5)


def test_runs_that_differ_by_last_bits_have_no_spread():
    same = np.full(10, 0.3) * (1 + 1e-12 * np.linspace(-1, 1, 10))
    assert p_positive(same) == 0.5**10
    assert (p_value(same, 0.0, "greater"), p_value(same, 0.5, "greater")) == (0.5**10, 1)


def test_an_interval_in_words():
    row = pd.Series({"mean": 0.1, "low": -0.05, "high": 0.25})
    assert interval_words(row) == "+0.100 [-0.050, +0.250]"
    row[["low", "high"]] = math.nan
    assert interval_words(row, ".1f") == "0.1"


def test_the_corrected_interval_is_the_formula_of_nadeau_and_bengio():
    """t times s times the root of 1/J + n_test/n_train."""
    x, ratio = stream(9, "corrected").normal(size=12), 0.25
    mean, low, high = mean_interval(x, ratio=ratio)
    half = stats.t.ppf(0.975, 11) * x.std(ddof=1) * np.sqrt(1 / 12 + ratio)
    assert (mean, low, high) == pytest.approx((x.mean(), x.mean() - half, x.mean() + half))
    assert mean_interval(x, ratio=0.0) == mean_interval(x)
    for ratio in (-0.1, math.nan, math.inf):
        with pytest.raises(ValueError, match="ratio must be a finite number >= 0"):
            widening(12, ratio)


def test_overlapping_splits_say_too_much_of_the_population_and_the_corrected_interval_does_not():
    """Means of 20 test rows over 20 splits of 100 rows, 400 tables: the population's mean is 0."""
    rng, tables, runs, rows, test = stream(9, "coverage"), 400, 20, 100, 20
    hits = {0.0: 0, test / (rows - test): 0}
    for _ in range(tables):
        x = rng.standard_normal(rows)
        means = [x[rng.permutation(rows)[:test]].mean() for _ in range(runs)]
        for ratio in hits:
            _, low, high = mean_interval(means, ratio=ratio)
            hits[ratio] += low <= 0 <= high
    plain, corrected = (found / tables for found in hits.values())
    assert plain < 0.75
    assert 0.92 < corrected < 0.99


def test_an_interval_of_a_distance_ends_at_zero():
    """Its lower end was negative: a distance of [-0.1, 0.3]."""
    x = [0.0, 0.0, 0.3]
    assert mean_interval(x)[1] < 0
    mean, _, high = mean_interval(x)
    assert mean_interval(x, floor=0.0) == (mean, 0.0, high)
    found = summarise(pd.DataFrame({"g": "a", "d": x}), ["g"], "d", floor=0.0)
    assert found.loc[0, ["low", "high"]].tolist() == [0.0, high]


def test_small_p_values_are_not_printed_to_the_last_digit():
    assert p_in_words(1e-164) == p_in_words(0.0) == "p < 1e-6"
    assert p_in_words(2e-6) == "p = 2e-06"
    assert p_in_words(0.0321) == "p = 0.032"


def test_clopper_pearson_against_the_beta_law():
    low, high = clopper_pearson(3, 50)
    assert low == pytest.approx(stats.beta.ppf(0.025, 3, 48))
    assert high == pytest.approx(stats.beta.ppf(0.975, 4, 47))
