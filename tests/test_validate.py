"""Each check lets the good through, and names argument, value and what is allowed otherwise."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from lib import validate

NAN, INF = math.nan, math.inf
SPLITS = ("uniform", "k-based")
ARRAYS = (validate.array, validate.reals, lambda name, value: validate.codes(name, value, 9))


def codes(values):
    return validate.codes("v", np.array(values), 3)


def named(value):
    """A name among one that is known, or a module and an object that is a float."""
    return validate.resolve("x", value, {"pi": 3.0}, lambda x: isinstance(x, float), "a float")


# fmt: off
REFUSED = [
    *((lambda v=v: validate.positive("rate", v), f"^rate must be a finite number > 0, got {v!r}") for v in (0, -1, NAN, INF, "1", True, None)),
    (lambda: validate.positive("rate", 10**400), "^rate must be .*, got 10"),
    *((lambda v=v: validate.integer("k", v, low=2, high=5), "^k must be an integer >= 2 and <= 5, got") for v in (1, 6, 2.0, True, "3")),
    (lambda: validate.integer("k", True, low=0), "^k must be an integer >= 0, got True"),
    *((lambda v=v: validate.fraction("share", v), r"^share must be a number in \(0, 1\), got") for v in (0, 1, -0.1, NAN, "0.5")),
    *((lambda v=v: validate.budget("epsilon", v), "^epsilon must be a number >= 1e-09 and <= 600, got")
      for v in (0, 1e-17, 601, NAN, INF, 10**400, "1", True, None)),
    (lambda: validate.budget("epsilon", 101, low=0.01, high=100), r"^epsilon must be a number >= 0\.01 and <= 100, got 101"),
    # numbers too long to write are named all the same
    *((lambda check=c: check("k", 10**5000), "^k must be .* got an integer of 16610 bits")
      for c in (lambda *named: validate.integer(*named, low=2, high=9), validate.budget, validate.positive)),
    (lambda: validate.choice("split", "half", SPLITS), r"^split must be one of 'uniform', 'k-based'.*, got 'half'"),
    # one of them, and no array of them
    *((lambda v=v: validate.choice("split", v, ("a", "b")), r"(?s)^split must be one of 'a', 'b'.*, got .*")
      for v in (np.array(["a", "b"]), np.array(["a"]), ["a"], pd.NA, None)),
    *((lambda v=v: validate.generator("rng", v), r"^rng must be a numpy\.random\.Generator, got")
      for v in (7, None, np.random.RandomState(1), np.random.default_rng)),
    *((lambda v=v: codes(v), "^v ") for v in ([3], [-1], [0.5], [[0]], ["0"], [NAN], [INF])),
    # the first entry that is no code is shown
    (lambda: codes([1, 0.5, 9]), r"^v must be whole numbers.*, got 0\.5 \(float64\)"),
    (lambda: codes([1.0, NAN]), "^v must be whole numbers.*, got nan "),
    (lambda: codes([0.0, -INF]), "^v must be whole numbers.*, got -inf "),
    (lambda: codes([0, 7]), r"^v must be whole numbers in 0\.\.2.*, got 7 \(int64\)"),
    (lambda: codes([0.5, -1]), r"^v must be whole numbers.*, got 0\.5"),
    (lambda: codes([0, 3, 9]), r"^v must be whole numbers.*, got 3 \(int64\)"),
    (lambda: codes([0.0, 3.0, 0.5]), r"^v must be whole numbers.*, got 3\.0 \(float64\)"),
    (lambda: codes([3, -1]), "^v must be whole numbers.*, got 3 "),
    (lambda: codes(["b", "a"]), "^v must be whole numbers.*, got 'b' "),
    (lambda: codes([None]), "^v must be whole numbers.*, got None "),
    (lambda: codes([[1]]), "^v must be of one dimension, got"),
    # an object array may hold nothing but good codes
    *((lambda v=v: codes(v), rf"^v must be .* of an integer, float or bool dtype, got .* \({v.dtype}\)")
      for v in (np.array([1, 0], dtype=object), np.array([1 + 0j]), np.array(["1"]))),
    *((lambda v=v: validate.reals("f", v), "^f must be real numbers, got") for v in (1j, [0, 1j], "0.5", ["a"], {}, [10**400])),
    *((lambda v=v: validate.sequence("sizes", v), "^sizes must be a list or a tuple, got")
      for v in (None, 5, "ab", {2: 3}, {2, 3}, (i for i in (2, 3)), np.array(2))),
    *((lambda check=c: check("v", [[1], [1, 2]]), "^v must be an array: entries of one length, got") for c in ARRAYS),
    # NumPy drops the mask and hands on what lies under it
    *((lambda check=c: check("v", np.ma.array([1, 7, 2], mask=[0, 1, 0])), "^v must have no masked entries, got 1 of them") for c in ARRAYS),
    (lambda: named("tau"), "^x must be one of 'pi'.*, got 'tau'"),
    (lambda: named(3), "^x must be one of .*, got 3"),
    (lambda: named("math:sin"), "must be the name of a float, got"),
    (lambda: named("math:tau2"), r"^x must be MODULE:OBJECT .*, got 'math:tau2' \(.*tau2"),
    (lambda: named("no_such_module_here:x"), "MODULE:OBJECT .* got .*no_such_module_here"),
    *((lambda v=v: named(v), "MODULE:OBJECT") for v in (":pi", "math:")),
]
# fmt: on


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_it_is_refused_by_name(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_what_is_good_is_returned():
    rng = np.random.default_rng(1)
    assert validate.positive("rate", Fraction(1, 2)) == validate.positive("rate", 0.5) == 0.5
    assert validate.positive("rate", np.float32(2)) == 2
    assert validate.positive("rate", INF, infinite=True) == INF
    assert validate.integer("k", np.int8(3), low=2, high=5) == 3
    assert validate.fraction("share", 0.3) == 0.3
    assert validate.fraction("share", 0, open_ends=False) == 0
    assert validate.budget("epsilon", validate.EPSILON_MIN) == 1e-9
    assert validate.budget("epsilon", 600) == 600
    assert validate.choice("split", "uniform", SPLITS) == "uniform"
    assert validate.generator("rng", rng) is rng
    assert codes([0.0, 2.0]).tolist() == [0, 2]
    assert validate.reals("f", [Fraction(1, 2), 1]).tolist() == [0.5, 1.0]
    assert validate.array("v", [[1, 2], [3, 4]]).shape == (2, 2)
    assert [check("v", np.ma.array([1, 7, 2])).tolist() for check in ARRAYS] == [[1, 7, 2]] * 3
    for good in ([2, 3], (2, 3), np.array([2, 3]), pd.Index([2, 3]), {"a": 2, "b": 3}.values()):
        assert validate.sequence("sizes", good) == [2, 3]
    assert (named("pi"), named("math:pi")) == (3.0, math.pi)


@pytest.mark.parametrize("dtype", [complex, "M8[s]", str, object, float, int])
def test_no_codes_are_no_codes_whatever_their_dtype(dtype):
    """Complex ones warned that a part of them is discarded."""
    found = validate.codes("codes", np.array([], dtype=dtype), 5)
    assert (found.dtype, found.shape) == (np.intp, (0,))
