"""Each check lets the good through, and names argument, value and what is allowed otherwise."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from lib import validate


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, "1", True, None])
def test_positive(bad):
    assert validate.positive("rate", 0.5) == 0.5
    with pytest.raises(ValueError, match=f"rate must be a finite number > 0, got {bad!r}"):
        validate.positive("rate", bad)


def test_positive_may_allow_infinity():
    assert validate.positive("rate", math.inf, infinite=True) == math.inf


def test_positive_takes_any_real_number_that_a_float_can_hold():
    assert validate.positive("rate", Fraction(1, 2)) == 0.5
    assert validate.positive("rate", np.float32(2)) == 2
    with pytest.raises(ValueError, match=r"rate must be .*, got 10"):
        validate.positive("rate", 10**400)


@pytest.mark.parametrize("bad", [1, 6, 2.0, True, "3"])
def test_integer(bad):
    assert validate.integer("k", np.int8(3), low=2, high=5) == 3
    with pytest.raises(ValueError, match="k must be an integer >= 2 and <= 5, got"):
        validate.integer("k", bad, low=2, high=5)


@pytest.mark.parametrize("bad", [0, 1, -0.1, math.nan, "0.5"])
def test_fraction(bad):
    assert validate.fraction("share", 0.3) == 0.3
    assert validate.fraction("share", 0, open_ends=False) == 0
    with pytest.raises(ValueError, match=r"share must be a number in \(0, 1\), got"):
        validate.fraction("share", bad)


def test_choice():
    assert validate.choice("split", "uniform", ("uniform", "k-based")) == "uniform"
    with pytest.raises(
        ValueError, match=r"split must be one of 'uniform', 'k-based'.*, got 'half'"
    ):
        validate.choice("split", "half", ("uniform", "k-based"))


@pytest.mark.parametrize("bad", [[3], [-1], [0.5], [[0]], ["0"], [math.nan], [math.inf]])
def test_codes(bad):
    assert validate.codes("v", np.array([0.0, 2.0]), 3).tolist() == [0, 2]
    assert validate.codes("v", [], 3).size == 0
    with pytest.raises(ValueError, match="v "):
        validate.codes("v", np.array(bad), 3)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1, 0.5, 9], r"v must be whole numbers.*, got 0\.5 \(float64\)"),
        ([1.0, math.nan], r"v must be whole numbers.*, got nan "),
        ([0.0, -math.inf], r"v must be whole numbers.*, got -inf "),
        ([0, 7], r"v must be whole numbers in 0\.\.2.*, got 7 \(int64\)"),
        ([0.5, -1], r"v must be whole numbers.*, got 0\.5"),
        ([0, 3, 9], r"v must be whole numbers.*, got 3 \(int64\)"),
        ([0.0, 3.0, 0.5], r"v must be whole numbers.*, got 3\.0 \(float64\)"),
        ([3, -1], r"v must be whole numbers.*, got 3 "),
        (["b", "a"], r"v must be whole numbers.*, got 'b' "),
        ([None], r"v must be whole numbers.*, got None "),
        ([[1]], "v must be of one dimension, got"),
    ],
)
def test_codes_name_the_first_entry_that_is_none(values, words):
    with pytest.raises(ValueError, match=words):
        validate.codes("v", np.array(values), 3)


@pytest.mark.parametrize(
    "values", [np.array([1, 0], dtype=object), np.array([1 + 0j]), np.array(["1"])]
)
def test_codes_say_that_it_is_the_dtype(values):
    """An object array may hold nothing but good codes."""
    with pytest.raises(
        ValueError,
        match=rf"v must be .* of an integer, float or bool dtype, got .* \({values.dtype}\)",
    ):
        validate.codes("v", values, 3)


@pytest.mark.parametrize("bad", [7, None, np.random.RandomState(1), np.random.default_rng])
def test_generator(bad):
    rng = np.random.default_rng(1)
    assert validate.generator("rng", rng) is rng
    with pytest.raises(ValueError, match=r"rng must be a numpy\.random\.Generator, got"):
        validate.generator("rng", bad)


@pytest.mark.parametrize("bad", [0, 1e-17, 601, math.nan, math.inf, 10**400, "1", True, None])
def test_budget(bad):
    assert validate.budget("epsilon", validate.EPSILON_MIN) == 1e-9
    assert validate.budget("epsilon", 600) == 600
    with pytest.raises(ValueError, match="epsilon must be a number >= 1e-09 and <= 600, got"):
        validate.budget("epsilon", bad)
    with pytest.raises(ValueError, match=r"epsilon must be a number >= 0\.01 and <= 100, got 101"):
        validate.budget("epsilon", 101, low=0.01, high=100)


def _is_number(found: object) -> bool:
    return isinstance(found, float)


def test_a_name_is_one_that_is_known_or_a_module_and_an_object():
    known = {"pi": 3.0}
    assert validate.resolve("x", "pi", known, _is_number, "a float") == 3.0
    assert validate.resolve("x", "math:pi", known, _is_number, "a float") == math.pi


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("tau", r"x must be one of 'pi'.*, got 'tau'"),
        (3, r"x must be one of .*, got 3"),
        ("math:sin", "must be the name of a float, got"),
        ("math:tau2", r"x must be MODULE:OBJECT .*, got 'math:tau2' \(.*tau2"),
        ("no_such_module_here:x", r"MODULE:OBJECT .* got .*no_such_module_here"),
        (":pi", "MODULE:OBJECT"),
        ("math:", "MODULE:OBJECT"),
    ],
)
def test_another_name_is_refused_with_the_reason(value, words):
    with pytest.raises(ValueError, match=words):
        validate.resolve("x", value, {"pi": 3.0}, _is_number, "a float")


@pytest.mark.parametrize("bad", [np.array(["a", "b"]), np.array(["a"]), ["a"], pd.NA, None])
def test_a_choice_is_one_of_them_and_no_array_of_them(bad):
    with pytest.raises(ValueError, match=r"(?s)^split must be one of 'a', 'b'.*, got .*"):
        validate.choice("split", bad, ("a", "b"))


def test_numbers_too_long_to_write_are_named_all_the_same():
    for check in (
        lambda v: validate.integer("k", v, low=2, high=9),
        lambda v: validate.budget("k", v),
        lambda v: validate.positive("k", v),
    ):
        with pytest.raises(ValueError, match=r"^k must be .* got an integer of 16610 bits"):
            check(10**5000)


def test_a_list_whose_rows_differ_is_no_array():
    assert validate.array("v", [[1, 2], [3, 4]]).shape == (2, 2)
    for check in (validate.array, validate.reals, lambda name, v: validate.codes(name, v, 9)):
        with pytest.raises(ValueError, match=r"^v must be an array: entries of one length, got"):
            check("v", [[1], [1, 2]])


def test_what_a_mask_hides_is_not_used():
    """NumPy drops the mask and hands on what lies under it."""
    for check in (validate.array, validate.reals, lambda name, v: validate.codes(name, v, 9)):
        with pytest.raises(ValueError, match=r"^v must have no masked entries, got 1 of them"):
            check("v", np.ma.array([1, 7, 2], mask=[0, 1, 0]))
        assert check("v", np.ma.array([1, 7, 2])).tolist() == [1, 7, 2]


@pytest.mark.parametrize("bad", [1j, [0, 1j], "0.5", ["a"], {}, [10**400]])
def test_reals(bad):
    assert validate.reals("f", [Fraction(1, 2), 1]).tolist() == [0.5, 1.0]
    with pytest.raises(ValueError, match=r"^f must be real numbers, got"):
        validate.reals("f", bad)


@pytest.mark.parametrize("bad", [None, 5, "ab", {2: 3}, {2, 3}, (i for i in (2, 3)), np.array(2)])
def test_sequence(bad):
    for good in ([2, 3], (2, 3), np.array([2, 3]), pd.Index([2, 3]), {"a": 2, "b": 3}.values()):
        assert validate.sequence("sizes", good) == [2, 3]
    with pytest.raises(ValueError, match=r"^sizes must be a list or a tuple, got"):
        validate.sequence("sizes", bad)


@pytest.mark.parametrize("dtype", [complex, "M8[s]", str, object, float])
def test_no_codes_are_no_codes_whatever_their_dtype(dtype):
    """Complex ones warned that a part of them is discarded."""
    found = validate.codes("codes", np.array([], dtype=dtype), 5)
    assert (found.dtype, found.shape) == (np.intp, (0,))
