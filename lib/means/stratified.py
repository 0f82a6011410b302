"""StratCOINPRESS and PubStratCOINPRESS (Algorithm 3), and the stratified Laplace mean (Eqs 3, 4),
for one table.

Experiments use :mod:`lib.means.grouped` for all runs at once; this is the
mechanism as somebody with a table would call it, with its price in a accountant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lib import validate
from lib.dp import PrivacyAccountant
from lib.means.grouped import Interval, bounds, coinpress, group_order, laplace_means, recombine

__all__ = ["SPLIT", "StratifiedMean", "strat_coinpress", "strat_laplace", "holdout_weights"]

SPLIT = (0.25, 0.75)  # of rho over COINPRESS's two steps, as published


@dataclass(frozen=True)
class StratifiedMean:
    """A private mean of the population that agrees with the private means of its strata.

    Attributes
    ----------
    population : float
    strata : float array of shape (k,)
    sizes : int array of shape (k,)
        Rows of each stratum, taken as public.
    accountant : PrivacyAccountant
    """

    population: float
    strata: np.ndarray
    sizes: np.ndarray
    accountant: PrivacyAccountant


def holdout_weights(groups: np.ndarray, k: int) -> np.ndarray:
    """Rows of each stratum in a public hold-out, shape (k,): the weights of PubStratCOINPRESS.

    Raises
    ------
    ValueError
        For a code outside of 0..k-1, or an empty hold-out.
    """
    counts = np.bincount(validate.codes("groups", groups, k), minlength=k)
    if counts.sum() == 0:
        raise ValueError("groups is empty; a hold-out of at least one row is allowed")
    return counts


@dataclass(frozen=True)
class _Request:
    """Checked values in the order of their strata, the sizes, the weights, and who pays."""

    values: np.ndarray
    sizes: np.ndarray
    weights: np.ndarray
    accountant: PrivacyAccountant

    def answer(self, estimates: np.ndarray) -> StratifiedMean:
        self.accountant.note_exact("rows of each stratum")
        return StratifiedMean(
            float(recombine(estimates, self.weights)), estimates, self.sizes, self.accountant
        )


def _checked(values, groups, k, weights, rng, accountant: PrivacyAccountant) -> _Request:
    """Everything that could be refused later is refused here: what was paid for is always
    released.
    """
    k = validate.integer("k", k, low=1)
    order, sizes = group_order(groups, k)
    values = validate.finite("values", values)
    if values.shape != order.shape:
        raise ValueError(
            f"values of shape {values.shape} are not allowed: one for each of {order.size} groups'"
            " rows is"
        )
    weights = sizes if weights is None else validate.reals("weights", weights)
    if weights.shape != sizes.shape:
        raise ValueError(
            f"weights of shape {weights.shape} are not allowed: one for each of"
            f" {sizes.size} strata is"
        )
    recombine(np.zeros(k), weights)
    if not isinstance(rng, np.random.Generator):
        raise ValueError(
            f"rng={rng!r} is not allowed: a numpy Generator is; without noise nothing is private"
        )
    return _Request(values[order], sizes, weights, accountant)


def _paying(accountant: PrivacyAccountant | None, budget: float, unit: str) -> PrivacyAccountant:
    accountant = PrivacyAccountant(budget, unit=unit) if accountant is None else accountant
    if accountant.unit != unit:
        raise ValueError(
            f"accountant in {accountant.unit!r} is not allowed: this mechanism is paid in {unit!r}"
        )
    return accountant


def _shares(split: Sequence[float]) -> tuple[float, ...]:
    try:
        shares = validate.reals("split", split)
    except ValueError:
        shares = np.array(np.nan)
    if shares.ndim != 1 or not np.isclose(shares.sum(), 1.0) or not (shares > 0).all():
        raise ValueError(f"split={split!r} is not allowed: shares > 0 that add up to 1 are")
    return tuple(
        (shares / shares.sum()).tolist()
    )  # the sum is 1 up to rounding, and the accountant allows none


def strat_coinpress(
    values: np.ndarray,
    groups: np.ndarray,
    k: int,
    told: Interval,
    *,
    rho: float,
    rng: np.random.Generator,
    split: Sequence[float] = SPLIT,
    weights: np.ndarray | None = None,
    accountant: PrivacyAccountant | None = None,
) -> StratifiedMean:
    """rho-zCDP means of all strata and of the population (Algorithm 3).

    Neighbours differ in one record's value; which stratum a record is in, and
    so every size, is public. A stratum without rows says the middle of ``told``.

    Parameters
    ----------
    values : array, shape (n,)
    groups : int array, shape (n,)
        Stratum of each row, 0..k-1; public.
    told : Interval
        What is declared about every stratum: where its mean lies, its spread.
    rho : float
        Price of the whole: strata are disjoint.
    split : sequence of float
        Shares of ``rho`` over the steps; they add up to one.
    weights : array, shape (k,), optional
        Public weights (:func:`holdout_weights`); the sizes if not given.
    accountant : PrivacyAccountant, optional
        Pays; a new one over ``rho`` if not given.

    Raises
    ------
    ValueError
        For an argument out of its range, a accountant in another unit or with less than ``rho`` left;
        before anything is spent and any noise is drawn.
    """
    split = _shares(split)
    if not isinstance(told, Interval):
        raise ValueError(f"told={told!r} is not allowed: an Interval is")
    rho = validate.positive("rho", rho)
    asked = _checked(values, groups, k, weights, rng, _paying(accountant, rho, "rho"))
    asked.accountant.require("StratCOINPRESS", rho)
    steps = tuple(share * rho for share in split)
    return asked.answer(coinpress(asked.values, asked.sizes, told, steps, rng, asked.accountant))


def strat_laplace(
    values: np.ndarray,
    groups: np.ndarray,
    k: int,
    *,
    low: float | np.ndarray,
    high: float | np.ndarray,
    epsilon: float,
    rng: np.random.Generator,
    weights: np.ndarray | None = None,
    accountant: PrivacyAccountant | None = None,
) -> StratifiedMean:
    """epsilon-DP clipped Laplace means of all strata, recombined (Eqs 3, 4, Proposition 8).
    Arguments as above.

    ``low`` and ``high`` are one public interval for all strata, or arrays of shape (k,) with each
    stratum's own.
    """
    epsilon = validate.epsilon(epsilon)
    bounds(low, high, validate.integer("k", k, low=1))
    asked = _checked(values, groups, k, weights, rng, _paying(accountant, epsilon, "epsilon"))
    asked.accountant.require("stratified Laplace mean", epsilon)
    return asked.answer(
        laplace_means(asked.values, asked.sizes, low, high, epsilon, rng, asked.accountant)
    )
