"""Intervals and paired differences on tables worked by hand."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from lib.rng import stream
from lib.stats.p_values import holm, p_positive, p_value
from lib.stats.summary import (
    clopper_pearson,
    mean_interval,
    rank_correlation,
    summarise,
    widening,
)
from studies.verdicts.words import p_in_words


@pytest.mark.parametrize("x", [np.array([1.0, 2.0, 4.0, 7.0]), np.array([1.0, 3.0])])
def test_the_interval_is_students(x):
    expected = stats.t.interval(0.95, x.size - 1, loc=x.mean(), scale=stats.sem(x))
    assert mean_interval(x)[1:] == pytest.approx(expected)
    assert mean_interval([*x, math.nan]) == mean_interval(x)


def test_one_value_has_no_interval_and_none_has_no_mean():
    assert mean_interval([2.0])[0] == 2.0
    assert math.isnan(mean_interval([2.0])[1])
    assert all(map(math.isnan, mean_interval([])))


@pytest.mark.parametrize("sort", [True, False])
def test_groups_at_once_have_the_intervals_that_each_has_alone(rng, sort):
    """Groups of 5, 1 and no finite value, and one of equal values; in order or as they occur."""
    groups = {"b": rng.normal(size=5), "d": [3.0, math.nan], "a": [math.nan] * 2, "c": [0.1] * 3}
    rows = [(name, 1, x) for name, values in groups.items() for x in values]
    frame = pd.DataFrame(rows, columns=["name", "size", "x"])
    found = summarise(frame, ["name", "size"], "x", 0.9, sort=sort).set_index("name")
    assert list(found.index) == (sorted(groups) if sort else list(groups))
    for key, values in groups.items():
        expected = pytest.approx(mean_interval(values, 0.9), nan_ok=True)
        assert found.loc[key, ["mean", "low", "high"]].tolist() == expected
    assert found["runs"].to_dict() == {"b": 5, "d": 1, "a": 0, "c": 3}
    with pytest.raises(ValueError, match="level"):
        summarise(frame, ["name"], "x", 1.5)


def test_runs_that_differ_by_last_bits_have_no_spread():
    same = np.full(10, 0.3) * (1 + 1e-12 * np.linspace(-1, 1, 10))
    assert p_positive(same) == 0.5**10
    assert (p_value(same, 0.0, "greater"), p_value(same, 0.5, "greater")) == (0.5**10, 1)


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


@pytest.mark.parametrize("hits", [0, 1, 3, 50])
def test_clopper_pearson_against_the_beta_law(hits):
    low, high = clopper_pearson(hits, 50)
    assert low == pytest.approx(stats.beta.ppf(0.025, hits, 51 - hits) if hits else 0.0)
    assert high == pytest.approx(stats.beta.ppf(0.975, hits + 1, 50 - hits) if hits < 50 else 1.0)


def test_equal_runs_prove_little():
    """Two runs of 0.3 had p = 0 against 0; and 30,000 against itself, but for last bits."""
    two = np.array([0.3, 0.3])
    p = {direction: p_value(two, 0.0, direction) for direction in ("greater", "two-sided", "less")}
    assert p == {"greater": 0.25, "two-sided": 0.5, "less": 1.0}
    assert p_value(two, 0.3, "two-sided") == 1
    bits = np.full(2, math.nextafter(30_000, math.inf))
    assert p_value(bits, 30_000, "two-sided") == p_value(bits, 30_000, "greater") == 1


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "int64[pyarrow]"])
def test_a_gap_is_one_in_every_dtype(dtype):
    floats = pd.Series([1.0, np.nan, 3.0, 2.0])
    gaps = pd.Series([1, None, 3, 2], dtype=dtype)
    assert mean_interval(gaps) == mean_interval(floats)
    assert p_value(gaps, 0.0, "greater") == p_value(floats, 0.0, "greater")


ONE, OTHER = pd.Series([1.0, 2.0, 3.0]), pd.Series([1.0, 3.0, 2.0], index=[2, 1, 0])
TWICE = pd.DataFrame([[0, 1], [1, 0]], columns=["a", "a"])
TENTHS = np.array([0.1, 0.2, 0.4])
# fmt: off
REFUSED = [
    *((lambda o=o: p_value(TENTHS, o, "less"), r"^reference must be a finite number, got") for o in (Decimal("0.3"), "0.3", np.array([0.3]), 1j, None)),
    (lambda: rank_correlation(ONE, OTHER), r"^y must be of the labels of x, in their order"),
    (lambda: summarise(TWICE, ["a"], "a"), "must be a column that is there once, got"),
    *((lambda v=v: mean_interval(v), r"^values must be ") for v in (np.ones((2, 2)), np.array(1.0), pd.DataFrame({"x": [1.0]}))),
    (lambda: p_positive([]), r"^x must be"),
    # read entry by entry, it gives the names of its columns
    (lambda: holm(pd.DataFrame([[0.01], [0.5]])), r"^p must be of one dimension, got"),
]
# fmt: on


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_data_with_two_readings_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("wider", [1.0, 2.5])
def test_a_mean_above_zero_has_students_p_value(wider):
    """The statistic is divided by how much wider the interval is."""
    x = np.array([-0.4, 0.3, 0.9, 1.4])
    t = x.mean() / stats.sem(x) / wider
    assert p_positive(x, wider) == pytest.approx(stats.t.sf(t, 3))
    assert p_positive(-x, wider) == pytest.approx(stats.t.cdf(t, 3))
