"""What the metrics refuse by name."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from lib.fairness import evaluate, fairness, group_rates, utility
from studies.private_means.parity import parity_error, stratum_errors
from tests.fairness.test_metrics import GROUP, HAT, Y
from tests.fairness.test_parity import ESTIMATE, TRUTH

# fmt: off
REFUSED = [
    (lambda: evaluate(Y, HAT[:-1], GROUP), "y_pred"),
    (lambda: evaluate(Y, HAT, GROUP[:-1]), "group"),
    (lambda: evaluate(Y + 1, HAT, GROUP), "y_true"),
    (lambda: evaluate(Y, HAT * 0.5, GROUP), "y_pred"),
    (lambda: evaluate([], [], []), "y_true"),
    (lambda: evaluate(Y[None], HAT, GROUP), "y_true"),
    *((lambda s=s: evaluate(Y, HAT, GROUP, s), "scores must be numbers of shape")
      for s in (np.zeros(7), np.zeros((8, 2)), np.full(8, math.nan), np.array(list("abcdefgh")))),
    (lambda: evaluate(Y, HAT, GROUP, Y, {"SPD": lambda *_: 0.5}), r"extra must be names other than .*, got 'SPD'"),
    (lambda: evaluate(Y, HAT, GROUP, extra={"mine": 0.5}), "^extra must"),
    (lambda: parity_error(TRUTH, ESTIMATE, 20.0, 22.0, omega=0.0), r"omega must be .*, got 0.0"),
    (lambda: parity_error(TRUTH, ESTIMATE, 20.0, 22.0, reading="median"), r"reading must be .*, got 'median'"),
    (lambda: parity_error(TRUTH, ESTIMATE, 20.0, 22.0, drop=4), r"drop must be .*, got 4"),
    (lambda: parity_error([], [], 1.0, 1.0), r"truth and estimate must be of shape .*, got \(0,\)"),
    (lambda: parity_error(1.0, 2.0, 1.0, 1.0), r"truth and estimate must be of shape .*, got \(\)"),
    (lambda: parity_error([1.0, 2.0], [1.0, 2.0, 3.0], 1.0, 1.0), r"estimate must be of a shape that broadcasts with .*, got \(3,\)"),
    (lambda: stratum_errors(np.array([0.0, 1.0]), np.ones(2)), "truth must be finite values other than 0, got"),
]
NO_LABELS = [
    (pd.Series([True, None] * 4, dtype="boolean"), "must be 0 or 1 .*, got <NA>"),
    ([1, None] * 4, "must be 0 or 1 .*, got None"),
    ([[0], [0, 1]] * 4, "must be an array: entries of one length"),
    (np.ma.array(Y, mask=HAT), "must have no masked entries, got 3 of them"),
    (list("01010101"), "must be 0 or 1 .*, got .*'0'"),
    (5, r"must be of shape .*, got \(\)"),
]
# fmt: on


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_it_is_refused_by_name(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("measure", [fairness, group_rates, utility])
@pytest.mark.parametrize(("bad", "words"), NO_LABELS)
def test_labels_of_another_kind_are_named(measure, bad, words):
    good = {"y_true": Y, "y_pred": HAT} | ({} if measure is utility else {"group": GROUP})
    for name in good:
        with pytest.raises(ValueError, match=f"^{name} {words}"):
            measure(**good | {name: bad})
