"""What the private means refuse by name, and before anything is drawn or spent."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lib.dp import PrivacyAccountant
from lib.means import Interval, holdout_weights, strat_coinpress, strat_laplace
from lib.means.grouped import coinpress, group_order, laplace_means, recombine
from lib.rng import stream
from tests.refusals import each, refused

TOLD, NAN, INF = Interval(low=-5.0, high=5.0, sigma=1.0), math.nan, math.inf
GROUPS, VALUES = np.array([1, 0, 1, 2, 1, 0]), np.array([0.5, -1.0, 0.1, 2.0, 0.3, -2.0])
OF = {
    strat_coinpress: {"prior": TOLD, "rho": 0.5},
    strat_laplace: {"low": -5.0, "high": 5.0, "epsilon": 0.5},
}

# fmt: off
REFUSED = [
    *each(Interval, {"low": 0.0, "high": 1.0, "sigma": 1.0}, low=(1.0, None, -1e308), sigma=(0.0, 1e120), beta=(1.0,)),
    (lambda: Interval(low=-1e120, high=1e120, sigma=1), ""),
    *each(coinpress, {"values": [1.0], "sizes": [1], "interval": TOLD, "rhos": (0.5,), "rng": None},
          values=([NAN],), sizes=([2], [1.0]), interval=((0, 9),), rhos=((), (0.5, 0.0))),
    *each(laplace_means, {"values": [1.0], "sizes": [1], "low": 0.0, "high": 1.0, "epsilon": 1.0, "rng": None},
          values=(np.ones((2, 2, 2)), [NAN]), low=(1.0, [0.0, 0.0]), epsilon=(0.0,)),
    *((lambda high=high: laplace_means([1.0], [1, 0], [0, 0], high, 1.0, None), "low and high") for high in ([1, 1e300], [1, INF])),
    *each(recombine, {"estimates": [1.0, 2.0], "weights": [1, 1]}, estimates=([NAN, 1.0],), weights=([1.0, NAN], [0, 0], [1.0], [[1, 1], [0, 0]])),
    (lambda: group_order(np.array([0, 3]), 3), "groups"),
    *each(holdout_weights, {"groups": np.array([0, 1]), "k": 3}, groups=(np.array([], dtype=int),), k=(10**400,)),
]
UNPAID = [
    *((mechanism, {name: value}, name) for mechanism in OF for name, values in {
        "weights": (np.ones(2), np.array([1.0, -1.0, 1.0]), np.zeros(3), np.array([1.0, INF, 1.0])),
        "values": (np.append(VALUES[:-1], NAN), VALUES[:-1]), "k": (0, 10**400), "rng": (None,)}.items() for value in values),
    *((strat_coinpress, {name: value}, name) for name, values in {
        "prior": ((-1, 1),), "split": ("ab", None, 1.0, (0.5, NAN), (), (0.5, 0.4), (1.0, 0.0)), "rho": (-1, 9.5)}.items() for value in values),
    (strat_laplace, {"low": 1, "high": 0}, "low"),
    (strat_laplace, {"low": [0, 0]}, ""),
    (strat_laplace, {"high": INF}, ""),
    # half a rho is not half an epsilon
    (strat_coinpress, {"accountant": PrivacyAccountant(1.0, unit="epsilon")}, "accountant"),
    (strat_laplace, {"accountant": PrivacyAccountant(1.0)}, "accountant"),
]
# fmt: on


@pytest.mark.parametrize(("call", "name"), REFUSED)
def test_it_is_refused_by_name(call, name):
    refused(call, name)


@pytest.mark.parametrize(("mechanism", "changed", "name"), UNPAID)
def test_it_is_refused_before_it_is_paid_for(mechanism, changed, name):
    rng, data = stream(0, "refused"), {"values": VALUES, "groups": GROUPS, "k": 3, "by": ["g"]}
    unit = "rho" if mechanism is strat_coinpress else "epsilon"
    asked = data | {"rng": rng, "accountant": PrivacyAccountant(9.0, unit=unit)} | OF[mechanism]
    asked |= changed
    refused(lambda: mechanism(**asked), name)
    assert asked["accountant"].entries == []
    assert rng.bit_generator.state == stream(0, "refused").bit_generator.state


def test_a_spread_is_stated():
    """It was 1 where nobody stated it, whatever the unit of the values."""
    with pytest.raises(TypeError, match="sigma"):
        Interval(low=0, high=24)
