"""The paper's stratified means of one table: StratCOINPRESS, PubStratCOINPRESS, and Laplace.

Algorithm 3, and Eqs 3 and 4. Experiments use :mod:`lib.means.grouped` for all runs at once; this
is the mechanism as somebody with a table would call it, with its price in an accountant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lib import validate
from lib.dp import PrivacyAccountant
from lib.means.grouped import (
    Interval,
    bounds,
    coinpress,
    group_columns,
    group_order,
    laplace_means,
    recombine,
)

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

    Examples
    --------
    >>> holdout_weights(np.array([0, 2, 2]), 3).tolist()
    [1, 0, 2]
    """
    _, counts = group_order(groups, k)
    if counts.sum() == 0:
        raise ValueError("groups must have at least one row of the hold-out, got none")
    return counts


def _release(
    what: str, estimates: Callable, values, groups, k, weights, accountant, by, unit, price
) -> StratifiedMean:
    """The means from ``estimates(values, sizes, accountant, by)``, values ordered by group.

    Everything that could be refused later is refused before: what is paid for is released.
    """
    by = group_columns(by, accountant)
    accountant = PrivacyAccountant(price, unit=unit) if accountant is None else accountant
    if accountant.unit != unit:
        raise ValueError(f"accountant must be in {unit!r}, got one in {accountant.unit!r}")
    order, sizes = group_order(groups, k)
    values = validate.finite("values", values)
    weights = sizes if weights is None else validate.reals("weights", weights)
    for name, given, right in (("values", values, order), ("weights", weights, sizes)):
        if given.shape != right.shape:
            raise ValueError(f"{name} must have the shape {right.shape}, got {given.shape}")
    recombine(np.zeros(k), weights)
    accountant.require(what, price)
    strata = estimates(values[order], sizes, accountant, by)
    accountant.note_exact("rows of each stratum", by)
    return StratifiedMean(float(recombine(strata, weights)), strata, sizes, accountant)


def strat_coinpress(
    values: np.ndarray,
    groups: np.ndarray,
    k: int,
    prior: Interval,
    *,
    rho: float,
    rng: np.random.Generator,
    split: Sequence[float] = SPLIT,
    weights: np.ndarray | None = None,
    accountant: PrivacyAccountant | None = None,
    by: Sequence[str] = (),
) -> StratifiedMean:
    """Private means of all strata and of the population by COINPRESS (Algorithm 3), rho-zCDP.

    Neighbours differ in one record's value; which stratum a record is in, and so every size, is
    public. The answer of a stratum without rows is the middle of ``prior``.

    Parameters
    ----------
    values : array, shape (n,)
    groups : int array, shape (n,)
        Stratum of each row, 0..k-1; public.
    prior : Interval
        What is declared about every stratum: where its mean lies, its spread.
    rho : float
        Price of the whole: strata are disjoint.
    split : sequence of float
        Shares of ``rho`` over the steps; they add up to one.
    weights : array, shape (k,), optional
        Public weights (:func:`holdout_weights`); the sizes if not given.
    accountant : PrivacyAccountant, optional
        Pays; a new one over ``rho`` if not given.
    by : sequence of str, optional
        The columns that make the strata, as ``accountant`` is to name them. Needed with one.

    Raises
    ------
    ValueError
        For an argument out of its range, an accountant in another unit or with less than ``rho``
        left; before anything is spent and any noise is drawn.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> groups = np.repeat([0, 1], [900, 100])
    >>> income = rng.normal([30, 50], 10, (1000, 2))[np.arange(1000), groups]
    >>> prior = Interval(low=0, high=100, sigma=10)
    >>> mean = strat_coinpress(income, groups, 2, prior, rho=0.5, rng=rng)
    >>> round(mean.population), mean.strata.round().tolist(), mean.accountant.spent
    (32, [30.0, 48.0], 0.5)
    """
    validate.generator("rng", rng)
    validate.instance("prior", prior, Interval)
    shares, rho = validate.vector("split", split), validate.positive("rho", rho)
    whole = np.isclose(shares.sum(), 1.0) and (shares > 0).all()
    validate.require(whole, "split", "shares > 0 that add up to 1", split)
    # the sum is 1 up to rounding, and the accountant lets none be spent beyond its budget
    steps = tuple((shares / shares.sum() * rho).tolist())

    def estimates(values, sizes, payer, by):
        return coinpress(values, sizes, prior, steps, rng, payer, by)

    what, unit = "StratCOINPRESS", "rho"
    return _release(what, estimates, values, groups, k, weights, accountant, by, unit, rho)


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
    by: Sequence[str] = (),
) -> StratifiedMean:
    """Private means of all strata and of the population by clipped Laplace means, epsilon-DP.

    Eqs 3 and 4, Proposition 8. ``low`` and ``high`` are one public interval for all strata, or
    arrays of shape (k,) with each stratum's own. Other arguments as :func:`strat_coinpress`.

    Examples
    --------
    >>> x, groups = np.array([20.0, 30.0, 70.0]), np.array([0, 0, 1])
    >>> rng = np.random.default_rng(0)
    >>> mean = strat_laplace(x, groups, 2, low=0, high=100, epsilon=100, rng=rng)
    >>> round(mean.population, 1), mean.strata.round(1).tolist()
    (39.9, [25.2, 69.4])
    """
    validate.generator("rng", rng)
    epsilon = validate.positive("epsilon", epsilon)
    bounds(low, high, validate.integer("k", k, low=1))

    def estimates(values, sizes, payer, by):
        return laplace_means(values, sizes, low, high, epsilon, rng, payer, by)

    what, unit = "stratified Laplace mean", "epsilon"
    return _release(what, estimates, values, groups, k, weights, accountant, by, unit, epsilon)
