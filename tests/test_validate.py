"""Each check lets the good through, and names argument, value and what is allowed otherwise."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest

from lib import validate

NAN, INF, HUGE = math.nan, math.inf, 10**5000
DAYS = np.timedelta64(3, "D")  # NumPy counts it among the integers
MASKED = np.ma.array([1, 7, 2], mask=[0, 1, 0])  # NumPy hands on what lies under a mask
in_three = partial(validate.codes, k=3)
between = partial(validate.integer, low=2, high=5)
split = partial(validate.choice, allowed=("uniform", "k-based"))


def named(name, value):
    """A name among one that is known, or a module and an object that is a float."""
    return validate.resolve(name, value, {"pi": 3.0}, lambda x: isinstance(x, float), "a float")


# fmt: off
# The check, what it refuses, and the start of what it says of the argument x.
REFUSED = [
    (validate.positive, (0, NAN, INF, "1", True, None, DAYS, HUGE), "a finite number > 0, got"),
    (validate.number, (NAN, "1", True, [1.0], DAYS), "a number, got"),
    (between, (1, 6, 2.0, True, "3", DAYS), "an integer >= 2 and <= 5, got"),
    (between, (HUGE,), "an integer >= 2 and <= 5, got an integer of 16610 bits"),
    (validate.fraction, (0, 1, NAN, "0.5", DAYS), r"a number in \(0, 1\), got"),
    (validate.budget, (1e-17, 601, NAN, HUGE, "1", True, DAYS), "a number >= 1e-09 and <= 600, got"),
    (validate.boolean, (1, "False", None), "True or False, got"),
    (validate.table, (1, {"a": [1]}, np.eye(2), pd.Series([1])), r"a pandas\.DataFrame, got"),
    (validate.names, ("ab", 5, {"a": 1}, ("a", 1)), "a list or a tuple( of names)?, got"),
    (partial(validate.instance, kind=Fraction), (1,), "a Fraction, got"),
    # one of them, and no array of them
    (split, ("half", np.array(["uniform"]), ["uniform"], pd.NA, None), "one of 'uniform', 'k-based', got"),
    (validate.generator, (7, None, np.random.RandomState(1)), r"a numpy\.random\.Generator, got"),
    # the first entry that is no code is shown, with the dtype
    (in_three, ([3, -1], [0, 3, 9]), r"whole numbers in 0\.\.2 .*, got 3 \(int64\)"),
    (in_three, ([1, 0.5, 9], [0.5, -1]), r"whole numbers .*, got 0\.5 \(float64\)"),
    (in_three, ([-1], ["0"], [1.0, NAN], [0.0, -INF], [None], [1j], np.array([1], dtype=object)), "whole numbers .*, got "),
    (in_three, ([[0]], 1), "of one dimension, got"),
    (validate.reals, ([0, 1j], "0.5", ["a"], {}, True, [10**400]), "real numbers, got"),
    (validate.vector, (1.0, [[1.0]]), "of one dimension, got"),
    (validate.finite, ([1.0, NAN],), "finite numbers, got 1 values"),
    (validate.sequence, (None, "ab", {2: 3}, {2, 3}, iter((2, 3)), np.array(2)), "a list or a tuple, got"),
    *((check, ([[1], [1, 2]],), "an array: entries of one length, got") for check in (validate.reals, in_three)),
    *((check, (MASKED,), "no masked entries, got 1") for check in (validate.reals, in_three)),
    (named, ("tau", 3), "one of 'pi', got"),
    (named, ("math:sin",), "the name of a float, got"),
    (named, ("math:tau2", "no_such_module_here:x", ":pi", "math:", ".this:x"), "MODULE:OBJECT .*, got"),
]
# fmt: on


@pytest.mark.parametrize(("check", "values", "words"), REFUSED)
def test_it_is_refused_by_name(check, values, words):
    for value in values:
        with pytest.raises(ValueError, match=f"(?s)^x must (be|have) {words}"):
            check("x", value)


def test_a_refused_mask_can_be_used_as_before():
    """To write a masked array changes how it is cast afterwards."""
    mask = np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])
    assert "must" in str(validate.refusal("x", "none", mask))
    assert mask.astype(int).sum() == 4
