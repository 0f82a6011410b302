"""Differential privacy: what a budget is worth, what a mechanism costs, and a ledger that refuses
to overspend.

>>> from lib.dp import Ledger, Laplace, rho_of
>>> ledger = Ledger(rho_of(1.0, 1e-9))
>>> round(ledger.left, 4)
0.0118
"""

from lib.dp.accountant import RELATIONS, Entry, Ledger
from lib.dp.accounting import (
    compose,
    delta_of,
    epsilon_of,
    parallel,
    rho_in_floats,
    rho_of,
    rho_of_pure,
)
from lib.dp.gaussian import gaussian_delta, gaussian_epsilon
from lib.dp.looks import choose, noisy, observed
from lib.dp.mechanisms import Exponential, Gaussian, Laplace

__all__ = [
    "RELATIONS",
    "Entry",
    "Exponential",
    "Gaussian",
    "Laplace",
    "Ledger",
    "choose",
    "compose",
    "delta_of",
    "epsilon_of",
    "gaussian_delta",
    "gaussian_epsilon",
    "noisy",
    "observed",
    "parallel",
    "rho_in_floats",
    "rho_of",
    "rho_of_pure",
]
