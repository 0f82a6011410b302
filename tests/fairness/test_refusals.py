"""What the metrics refuse by name."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from lib.fairness import evaluate, group_rates, utility
from studies.private_means.parity import parity_error, stratum_errors
from tests.fairness.test_metrics import GROUP, HAT, Y
from tests.fairness.test_parity import ESTIMATE, TRUTH
from tests.refusals import each, refused

# fmt: off
LABELED = {"y_true": Y, "y_pred": HAT}
NO_LABELS = (
    [], Y[None], Y[:-1], Y + 1, Y * 0.5, 5, [[0], [0, 1]] * 4, np.ma.array(Y, mask=HAT), list("01010101"), [1, None] * 4,
    pd.Series([True, None] * 4, dtype="boolean"),
)
REFUSED = [
    *each(utility, LABELED, y_pred=NO_LABELS),
    *each(group_rates, LABELED | {"group": GROUP}, y_pred=NO_LABELS, group=NO_LABELS),
    *each(evaluate, LABELED | {"group": GROUP}, y_true=([], Y + 1), y_pred=NO_LABELS, group=NO_LABELS,
          scores=(np.zeros(7), np.zeros((8, 2)), np.full(8, math.nan), np.array(list("abcdefgh"))), extra=({"SPD": lambda *_: 0.5}, {"mine": 0.5})),
    *((lambda more=more: parity_error(TRUTH, ESTIMATE, 20.0, 22.0, **more), next(iter(more)))
      for more in ({"omega": 0.0}, {"reading": "median"}, {"drop": 4})),
    (lambda: parity_error([], [], 1.0, 1.0), "truth"),
    (lambda: parity_error([1.0, 2.0], [1.0, 2.0, 3.0], 1.0, 1.0), "estimate"),
    (lambda: stratum_errors(np.array([0.0, 1.0]), np.ones(2)), "truth"),
]
# fmt: on


@pytest.mark.parametrize(("call", "name"), REFUSED)
def test_it_is_refused_by_name(call, name):
    refused(call, name)
