"""What runs of a mechanism prove about its privacy: a lower confidence bound on delta(epsilon).

The privacy loss of an output ``o`` is ``L(o) = ln(p(o) / q(o))``, where ``p`` is its
density on one table and ``q`` its density on a neighbouring table. The least
``delta`` that goes with ``epsilon`` is a mean over outputs on the first table,

    delta(epsilon) = E[(1 - e^(epsilon - L))_+],

of numbers between 0 and 1. Independent runs therefore give a lower bound that
holds with a stated probability, whatever the law of ``L`` is.

>>> import numpy as np
>>> noise = np.random.default_rng(0).normal(size=20_000)  # outputs for a table of 0 rows, sigma = 1
>>> losses = ((noise - 1)**2 - noise**2) / 2  # the neighbour counts 1 row
>>> round(delta_lower_bound(losses, 0.5, level=1e-6), 2), round(Promise(rho=0.5).delta(0.5), 2)
(0.23, 0.4)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lib import validate
from lib.dp.conversion import delta_of, epsilon_of

# The epsilons at which delta is looked at, as multiples of the declared epsilon. They are fixed
# before any run.
MULTIPLES = (*(i / 50 for i in range(5, 75)), 1.5, 1.75, 2, 2.5, 3, 4, 6, 10, 20, 50, 100)
_ROUNDING = 1e-9  # losses are sums of a few hundred terms; they are lowered by this much


@dataclass(frozen=True, kw_only=True)
class Promise:
    """A declared guarantee: ``rho`` of zCDP or ``epsilon`` of pure DP, exactly one of them.

    >>> Promise(epsilon=1.0).delta(1.0)
    0.0
    """

    rho: float | None = None
    epsilon: float | None = None

    def __post_init__(self) -> None:
        if (self.rho is None) == (self.epsilon is None):
            raise ValueError(
                f"a promise must have either rho or epsilon, got rho={self.rho},"
                f" epsilon={self.epsilon}"
            )
        validate.positive("rho" if self.epsilon is None else "epsilon", self.rho or self.epsilon)

    def delta(self, epsilon: float) -> float:
        """The largest ``delta`` at ``epsilon`` (at least 0) that the promise allows.

        For pure DP this is the curve of randomised response, ``(e^e0 - e^epsilon) / (1 + e^e0)``
        (Kairouz, Oh and Viswanath, 2015).
        """
        if self.rho is not None:
            return delta_of(self.rho, epsilon)
        return max(0.0, -math.expm1(epsilon - self.epsilon) / (1 + math.exp(-self.epsilon)))

    def epsilon_at(self, delta: float) -> float:
        """The ``epsilon`` that the promise is worth at ``delta`` (at 0 for pure DP)."""
        return self.epsilon if self.rho is None else epsilon_of(self.rho, delta)


def mean_exceeds(values: np.ndarray, mean: float, level: float) -> bool:
    """Whether draws from [0, 1] prove a mean above ``mean``; wrong at most ``level`` of times.

    A gambler bets against the claim "the mean is at most m" on one value after the other, without
    ever risking more than nine tenths. If the claim is true, the chance that the fortune ever grows
    ``1/level``-fold is at most ``level`` (Ville's inequality; the bets are those of Waudby-Smith
    and Ramdas, 2024).

    Parameters
    ----------
    values : array, shape (n,)
        Independent draws from the law, in the order of the runs.
    mean : float
        At least 0.
    level : float
        In (0, 1).
    """
    x, goal = validate.reals("values", values), -math.log(validate.fraction("level", level))
    if x.ndim != 1 or not x.size or not ((x >= 0) & (x <= 1)).all():
        raise ValueError(
            f"values must be one or more numbers in [0, 1], got an array of shape {x.shape}"
        )
    mean = validate.fraction("mean", mean, open_ends=False)
    if mean == 0:
        return bool((x > 0).any())
    number = np.arange(1, x.size + 1)
    centre = (0.5 + np.cumsum(x)) / (number + 1)
    spread = (0.25 + np.cumsum((x - centre) ** 2)) / (number + 1)
    # A bet may depend on earlier values only, hence the shift by one.
    bets = np.sqrt(2 * goal / (x.size * np.concatenate([[0.25], spread[:-1]])))
    return bool(np.cumsum(np.log1p(np.minimum(bets, 0.9 / mean) * (x - mean))).max() >= goal)


def delta_exceeds(losses: np.ndarray, epsilon: float, delta: float, level: float) -> bool:
    """Whether losses prove delta(``epsilon``) > ``delta``; wrong at most ``level`` of times.

    ``losses`` are those of independent runs, shape (n,). A loss may be infinite: its output has
    density 0 on the neighbouring table.
    """
    losses = validate.reals("losses", losses)
    epsilon = validate.budget("epsilon", epsilon, low=0, high=math.inf)
    validate.require(losses.ndim == 1 and losses.size > 0, "losses", "of shape (n,)", losses.shape)
    validate.require(not np.isnan(losses).any(), "losses", "without NaN", losses)
    validate.fraction("delta", delta, open_ends=False)
    return mean_exceeds(-np.expm1(-np.clip(losses - _ROUNDING - epsilon, 0.0, None)), delta, level)


def delta_lower_bound(losses: np.ndarray, epsilon: float, level: float) -> float:
    """The largest delta ruled out at ``epsilon``; above the true one at most ``level`` of times."""
    low, high = 0.0, 1.0
    while high - low > 1e-3 * high and high > 1e-12:
        middle = (low + high) / 2
        low, high = (
            (middle, high) if delta_exceeds(losses, epsilon, middle, level) else (low, middle)
        )
    return low


def certified_epsilon(losses: np.ndarray, promise: Promise, delta: float, level: float) -> float:
    """The largest epsilon of the grid that the losses rule out at ``delta``; 0 if there is none.

    The mechanism is **not** (epsilon', delta)-DP for any smaller epsilon'. The statement is wrong
    with probability at most ``level``, which is divided among the points of the grid.
    """
    validate.fraction("level", level)
    delta_there = delta if promise.epsilon is None else 0.0
    for epsilon in reversed(_grid(promise, delta)):
        if delta_exceeds(losses, epsilon, delta_there, level / len(MULTIPLES)):
            return epsilon
    return 0.0


def proves_violation(losses: np.ndarray, promise: Promise, delta: float, level: float) -> bool:
    """Whether losses refute the promise on the grid; wrong with probability at most ``level``."""
    validate.fraction("level", level)
    grid = [0.0, *_grid(promise, delta)]
    return any(delta_exceeds(losses, e, promise.delta(e), level / len(grid)) for e in grid)


def _grid(promise: Promise, delta: float) -> list[float]:
    validate.instance("promise", promise, Promise)
    return [m * promise.epsilon_at(delta) for m in MULTIPLES]
