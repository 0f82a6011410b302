"""What the private means refuse by name, and before anything is drawn or spent."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lib.dp import PrivacyAccountant
from lib.means import Interval, holdout_weights, strat_coinpress, strat_laplace
from lib.means.grouped import coinpress, group_order, laplace_means, recombine
from lib.rng import stream
from studies.private_means.group_sizes import alpha_by_squares, expected_logs
from studies.private_means.theory import clip_slack, laplace_sum_bound, noise_weights

TOLD, NAN, INF = Interval(low=-5.0, high=5.0), math.nan, math.inf
GROUPS, VALUES = np.array([1, 0, 1, 2, 1, 0]), np.array([0.5, -1.0, 0.1, 2.0, 0.3, -2.0])
OF = {
    strat_coinpress: {"prior": TOLD, "rho": 0.5},
    strat_laplace: {"low": -5.0, "high": 5.0, "epsilon": 0.5},
}

# fmt: off
REFUSED = [
    (lambda: Interval(low=0, high=1e300), "^low and high must be"),
    (lambda: laplace_means(np.arange(6.0), [6], 0, 1e300, 1.0, None), "^low and high must be"),
    (lambda: laplace_means(np.ones((2, 2, 2)), [2], 0, 9, 1.0, None), "^values must be"),
    (lambda: recombine([NAN, 1.0], [1, 1]), "^estimates must be"),
    (lambda: holdout_weights(np.array([0, 1]), 10**400), "^k must be an integer"),
    (lambda: coinpress(np.arange(6.0), [6], (0, 9), (0.5,), None), "interval must be an Interval, got"),
    (lambda: Interval(low=1.0, high=1.0), "low.*1.0"),
    (lambda: Interval(low=0.0, high=1.0, sigma=0.0), r"sigma must be .*, got 0.0"),
    (lambda: Interval(low=0.0, high=1.0, sigma=1e120), r"sigma must be .*, got 1e"),
    (lambda: Interval(low=0.0, high=1.0, beta=1.0), r"beta must be .*, got 1.0"),
    (lambda: Interval(low=None, high=1.0), "low.*None"),
    (lambda: Interval(low=-1e308, high=1e308), "low.*-1e"),
    (lambda: Interval(low=-1e120, high=1e120), "distance"),
    (lambda: coinpress([1.0], [2], TOLD, (0.5,), None), "sizes must be whole numbers >= 0 with the sum 1"),
    (lambda: coinpress([1.0], [1], TOLD, (), None), "rhos must be a tuple"),
    (lambda: coinpress([1.0], [1], TOLD, (0.5, 0.0), None), r"rhos must be .*, got 0.0"),
    (lambda: coinpress([NAN], [1], TOLD, (0.5,), None), "values must be finite numbers, got 1"),
    (lambda: laplace_means([1.0], [1], 0.0, 1.0, 0.0, None), r"epsilon must be .*, got 0.0"),
    (lambda: laplace_means([1.0], [1], 1.0, 1.0, 1.0, None), "low.*1.0"),
    (lambda: laplace_means([1.0], [1], 0, 1e300, 1.0, None), "^low and high must"),
    (lambda: laplace_means(np.ones((2, 2, 2)), [2], 0, 9, 1.0, None), "^values must"),
    (lambda: laplace_means([1.0], [1.0], 0.0, 1.0, 1.0, None), "sizes must be whole"),
    (lambda: laplace_means([1.0, NAN], [2], 0.0, 1.0, 1.0, None), "values must be finite numbers, got 1"),
    (lambda: laplace_means([1.0], [1], [0.0, 0.0], [1.0, 1.0], 1.0, None), "one or 1 of each"),
    (lambda: laplace_means([1.0], [1], [0.0], [0.0], 1.0, None), "low and high must be"),
    (lambda: recombine(np.ones(2), np.array([1.0, NAN])), "weights must be numbers >= 0"),
    (lambda: recombine(np.ones(2), np.zeros(2)), "weights must be numbers >= 0"),
    (lambda: recombine([1, 2, 3], weights=[1.0]), "weights must be one for each"),
    (lambda: recombine([1], weights=[1.0, 2.0]), "weights must be one for each"),
    (lambda: group_order(np.array([0, 3]), 3), "groups"),
    (lambda: holdout_weights(np.array([], dtype=int), 3), "hold-out"),
    (lambda: clip_slack(10, 1.0), r"gamma must be .*, got 1.0"),
    (lambda: clip_slack(10, 0.1, reading="mine"), r"reading must be .*, got 'mine'"),
    (lambda: clip_slack(0.01, 0.5, reading="printed"), r"n must be .*, got 0.01"),
    *((lambda w=w: laplace_sum_bound(w, 0.5), "weights must be") for w in ([-1, -2], [], [1.0, NAN])),
    (lambda: noise_weights(np.array([0, 5]), radius=1, epsilon=1, gamma=0.1), "sizes must be"),
    (lambda: alpha_by_squares(np.array([5.0])), "sizes must be"),
    (lambda: expected_logs(0.0, 3, 10), r"alpha must be .*, got 0.0"),
]
UNPAID = [
    *((mechanism, *row) for mechanism in OF for row in [
        ({"weights": np.ones(2)}, r"weights must have the shape \(3,\), got \(2,\)"),
        *(({"weights": np.array(w)}, "weights must be") for w in ([1.0, -1.0, 1.0], [0.0, 0.0, 0.0], [1.0, INF, 1.0])),
        ({"values": np.append(VALUES[:-1], NAN)}, "values must be finite numbers, got 1"),
        ({"values": VALUES[:-1]}, r"values must have the shape \(6,\), got \(5,\)"),
        ({"k": 2}, "groups"),
        ({"k": 0}, r"k must be .*, got 0"),
        ({"k": 10**400}, "k must be an integer"),
        ({"rng": None}, r"rng must be .*, got None"),
    ]),
    (strat_coinpress, {"prior": (-1, 1)}, "prior must be"),
    (strat_coinpress, {"split": "ab"}, r"split must be .*, got 'ab'"),
    (strat_coinpress, {"split": None}, r"split must be .*, got None"),
    (strat_coinpress, {"split": 1.0}, r"split must be .*, got \(\)"),
    *((strat_coinpress, {"split": s}, "split must be") for s in ((0.5, NAN), (), (0.5, 0.4))),
    (strat_coinpress, {"rho": -1}, r"rho must be .*, got -1"),
    (strat_coinpress, {"rho": 9.5}, r"at most the 9 that is left of 9, got 9\.5"),
    (strat_laplace, {"low": 1, "high": 0}, "low.*1"),
    (strat_laplace, {"low": None, "high": 1}, "low.*None"),
    (strat_laplace, {"low": [0, 0], "high": 1}, "one or 3 of each"),
    (strat_laplace, {"low": 1, "high": INF}, "high.*inf"),
    # half a rho is not half an epsilon
    (strat_coinpress, {"accountant": PrivacyAccountant(1.0, unit="epsilon")}, "accountant must be in 'rho', got one in 'epsilon'"),
    (strat_laplace, {"accountant": PrivacyAccountant(1.0)}, "accountant must be in 'epsilon', got one in 'rho'"),
]
# fmt: on


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_it_is_refused_by_name(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize(("mechanism", "changed", "words"), UNPAID)
def test_it_is_refused_before_it_is_paid_for(mechanism, changed, words):
    rng, data = stream(0, "refused"), {"values": VALUES, "groups": GROUPS, "k": 3, "by": ["g"]}
    unit = "rho" if mechanism is strat_coinpress else "epsilon"
    asked = data | {"rng": rng, "accountant": PrivacyAccountant(9.0, unit=unit)} | OF[mechanism]
    asked |= changed
    with pytest.raises(ValueError, match=words):
        mechanism(**asked)
    assert asked["accountant"].entries == []
    assert rng.bit_generator.state == stream(0, "refused").bit_generator.state
