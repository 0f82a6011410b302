"""Ours: epsilon and the size of the group decide, not the size of the data set; and what no theorem can promise.

The paper pays for the max-information of the whole half, ``n / 2`` records,
to protect a group of ``M``. But a predictor's distance on the group depends on
the half only through the group's own members in it. Given everybody else, the
curator is an epsilon-DP function of those alone, so their max-information is
all there is to pay: ``n`` drops out. The chapter on choosing epsilon has the
proof, step by step.

From the other side, :func:`membership_distance` is an epsilon-DP release with
a learner that reaches its distance in every group: no theorem about all
epsilon-DP curators can promise less.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

from lib import validate
from lib.coherence.theorems import _coherence

__all__ = [
    "group_information", "within_distance", "within_size", "membership_distance", "insufficient_epsilon",
    "membership_distances",
]  # fmt: skip

_MOST = 1e18


def group_information(*, members: float, epsilon: float, log_eta: float) -> float:
    """Max-information of an epsilon-DP report about *which* members of a group are in the half, given all the rest.

    ``s + sqrt(s^2 + 2 s ln(2/eta))`` with ``s = epsilon^2 M / (16 (1 - 1/(2M)) (1 - 1/M))``, the largest over all
    numbers of members that the half can have.

    Parameters
    ----------
    members : float
        ``M > 1``, people of the group in the data set.
    epsilon : float
        Of an order-invariant epsilon-DP curator.
    log_eta : float
        ``ln eta`` of the probability given away, at most 0.
    """
    s = epsilon**2 * members / (16 * (1 - 1 / (2 * members)) * (1 - 1 / members))
    return s + math.sqrt(s**2 + 2 * s * (math.log(2) - log_eta))


def within_distance(members: float, *, epsilon: float, log_p: float) -> float:
    """``alpha`` with ``Pr[W1 of the group > alpha] <= p`` for every learner behind every epsilon-DP curator.

    Parameters
    ----------
    members : float
        People of the group in the data set, of whatever size.
    epsilon : float
        Order-invariant, under replacement of one record.
    log_p : float
        ``ln p``, below 0.

    Returns
    -------
    float
        ``2/sqrt(q (M-1)) + sqrt(8 (zeta + ln(4/p)) / (q (M-1/2)(1-1/M)))`` with ``q = 1 - 2 ln(8/p)/M`` and ``zeta``
        of :func:`group_information` at ``eta = p/2``; infinity if ``q <= 0``. It tends to ``epsilon`` as M grows.
    """
    validate.epsilon(epsilon)
    if members <= 1:
        return math.inf
    q = 1 - 2 * (math.log(8) - log_p) / members
    if q <= 0:
        return math.inf
    zeta = group_information(members=members, epsilon=epsilon, log_eta=log_p - math.log(2))
    spread = q * (members - 0.5) * (1 - 1 / members)
    return 2 / math.sqrt(q * (members - 1)) + math.sqrt(8 * (zeta + math.log(4) - log_p) / spread)


def within_size(*, alpha: float, beta: float, epsilon: float, collection: int) -> float:
    """Size constraint under an epsilon-DP curator, for data sets of any size; infinity if ``epsilon >= alpha``.

    Each group may fail with probability ``beta / |C|``.
    """
    _coherence(alpha, beta, collection)
    validate.epsilon(epsilon)
    log_p = math.log(beta / collection)
    if epsilon >= alpha:
        return math.inf
    least = 2 * (math.log(8) - log_p) * (1 + 1e-12)
    most = 2 * least
    while within_distance(most, epsilon=epsilon, log_p=log_p) > alpha:
        most *= 2
        if most > _MOST:
            return math.inf
    return brentq(lambda m: min(within_distance(m, epsilon=epsilon, log_p=log_p), 1e9) - alpha, least, most, rtol=1e-12)


def membership_distance(epsilon: float) -> float:
    """``2 tanh(epsilon/4)``: mean W1, in every group, behind randomised response on membership.

    The curator publishes, for everybody who could be in the half, a bit that says whether they are, flipped with
    probability ``1/(1 + e^(epsilon/2))``. Replacing a record changes two bits, so that is epsilon-DP; the learner
    reads the bit.
    """
    return 2 * math.tanh(validate.epsilon(epsilon) / 4)


def insufficient_epsilon(alpha: float) -> float:
    """The epsilon from which some epsilon-DP release exceeds ``alpha`` on average: ``4 artanh(alpha/2)``."""
    if not 0 < validate.positive("alpha", alpha) <= 2:
        raise ValueError(f"alpha={alpha!r} is not allowed: a distance in (0, 2] is")
    return 4 * math.atanh(alpha / 2) if alpha < 2 else math.inf


def membership_distances(members: int, *, epsilon: float, others: int = 0, size: int,
                         rng: np.random.Generator) -> np.ndarray:  # fmt: skip
    """Simulated W1 of a group behind :func:`membership_distance`'s release: shape (size,), 2 where a side is empty.

    Parameters
    ----------
    members, others : int
        People in the group and outside of it; their sum is even.
    """
    validate.integer("members", members, low=1)
    n = members + validate.integer("others", others, low=0)
    validate.integer("size", size, low=1)
    keep = 1 / (1 + math.exp(-validate.epsilon(epsilon) / 2))
    v = rng.hypergeometric(members, others, n // 2, size=size) if others else np.full(size, n // 2)
    told_in, told_out = rng.binomial(v, keep), rng.binomial(members - v, 1 - keep)
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = 2 * np.abs(told_in / v - told_out / (members - v))
    return np.where(np.isfinite(gap), gap, 2.0)
