"""Our bound group by group: the size of the data set plays no part. And what cannot be promised.

The paper pays for the max-information of the whole half, ``n / 2`` records,
to protect a group of ``M``. But a predictor's distance on the group depends on
the half only through the group's own members in it. Given everybody else, the
curator is an epsilon-DP function of those alone, so that is all there is to
pay: ``n`` drops out. All moments of the likelihood ratio are bounded instead
of its tail. The chapter on choosing epsilon has the proof, step by step.

From the other side, :func:`membership_distance` is an epsilon-DP release with
a learner that reaches its distance in every group: no theorem about all
epsilon-DP curators can promise less.
"""

from __future__ import annotations

import math

import numpy as np

from lib import validate
from lib.coherence.bounds.ranges import in_range
from lib.coherence.bounds.tightened import half_sample_distance, half_sample_size

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)

PEOPLE = 999_999_999  # NumPy draws no halves of more


@in_range("epsilon")
def limit_distance(epsilon: float) -> float:
    """The distance that the bound tends to as the group grows; ``epsilon / 2`` for small epsilon.

    ``sqrt(1/2 int_{1/2}^1 (ln(1 + (e^eps - 1) w) / w)^2 dw)``.

    Examples
    --------
    >>> round(limit_distance(0.01), 5)
    0.00501
    """
    w = 0.75 + 0.25 * _NODES
    # beyond 600 e^eps is too large for a float, and all that counts
    grown = epsilon + np.log(w) if epsilon > 600 else np.log1p(math.expm1(epsilon) * w)
    return math.sqrt(0.5 * 0.25 * float(_WEIGHTS @ (grown / w) ** 2))


@in_range()
def group_spread(*, members: float, epsilon: float) -> float:
    """``s`` with ``E e^(lambda f) <= exp(lambda (lambda - 1) s / 2)`` for all ``lambda >= 1``.

    ``f`` is the log-likelihood ratio of an epsilon-DP report about *which* of
    a group's members are in the half, given all the rest, under a fresh half;
    ``(M limit_distance(epsilon)^2 + epsilon^2) / 4`` serves for every number
    of members that the half can have.

    Parameters
    ----------
    members : float
        ``M``, people of the group in the data set.
    epsilon : float
        Of an order-invariant epsilon-DP curator.
    """
    return (members * limit_distance(epsilon) ** 2 + epsilon**2) / 4


@in_range("members")
def within_distance(members: float, *, epsilon: float, log_p: float) -> float:
    """The distance that a group exceeds with probability at most p, behind any epsilon-DP curator.

    ``alpha`` with ``Pr[W1 of the group > alpha] <= p`` for every learner.

    Parameters
    ----------
    members : float
        People of the group in the data set, of whatever size.
    epsilon : float
        Order-invariant, under replacement of one record.
    log_p : float
        ``ln p``, at most 0.

    Returns
    -------
    float
        ``2/sqrt(q (M-1)) + sqrt(8 / (q (M-1/2)(1-1/M))) (sqrt(s/2) + sqrt(ln(2/p)))`` with ``q = 1
        - 2 ln(4/p)/M`` and ``s`` of :func:`group_spread`; infinity if ``q <= 0``.

    Examples
    --------
    >>> round(within_distance(1000, epsilon=0.1, log_p=math.log(0.05)), 3)
    0.287
    """
    return half_sample_distance(members, log_p, group_spread(members=members, epsilon=epsilon))


@in_range()
def within_size(*, alpha: float, beta: float, epsilon: float, collection: int) -> float:
    """Group size needed behind an epsilon-DP curator, for data sets of any size.

    Infinity if :func:`limit_distance` is alpha or more. Each group may fail with probability ``beta
    / |C|``.

    Examples
    --------
    >>> round(within_size(alpha=0.2, beta=0.05, epsilon=0.1, collection=100))
    4640
    """
    log_p = math.log(beta / collection)
    if limit_distance(epsilon) >= alpha:
        return math.inf
    return half_sample_size(alpha, log_p, lambda m: group_spread(members=m, epsilon=epsilon))


@in_range("epsilon")
def membership_distance(epsilon: float) -> float:
    """``2 tanh(epsilon/4)``: mean W1, in every group, behind randomised response on membership.

    The curator publishes, for everybody who could be in the half, a bit that says whether they are,
    flipped with probability ``1/(1 + e^(epsilon/2))``. Replacing a record changes two bits, so that
    is epsilon-DP; the learner reads the bit.

    Examples
    --------
    >>> round(membership_distance(1.0), 3)
    0.49
    """
    return 2 * math.tanh(epsilon / 4)


@in_range("alpha")
def insufficient_epsilon(alpha: float) -> float:
    """The epsilon from which some epsilon-DP release exceeds ``alpha`` on average.

    ``4 artanh(alpha/2)``.

    Examples
    --------
    >>> round(insufficient_epsilon(0.2), 3)
    0.401
    """
    return 4 * math.atanh(alpha / 2) if alpha < 2 else math.inf


def membership_distances(
    members: int, *, epsilon: float, others: int = 0, size: int, rng: np.random.Generator
) -> np.ndarray:
    """Simulated W1 distances of a group for :func:`membership_distance`'s release, shape (size,).

    2 where a side is empty.

    Parameters
    ----------
    members, others : int
        People in the group and outside of it; their sum is even.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> membership_distances(100, epsilon=1.0, size=3, rng=rng).round(2).tolist()
    [0.72, 0.44, 0.52]
    """
    members = validate.integer("members", members, low=1, high=PEOPLE // 2)
    others = validate.integer("others", others, low=0, high=PEOPLE // 2)
    keep = 1 / (1 + math.exp(-validate.positive("epsilon", epsilon) / 2))
    v = halved_members(members, others, size, rng)
    bits_in, bits_out = rng.binomial(v, keep), rng.binomial(members - v, 1 - keep)
    return rate_distances(bits_in, v, bits_out, members - v)


def halved_members(members: int, others: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """Members of a group in each of ``size`` random halves of everybody."""
    validate.integer("size", size, low=1)
    half = (members + others) // 2
    return rng.hypergeometric(members, others, half, size=size) if others else np.full(size, half)


def rate_distances(a: np.ndarray, n_a: np.ndarray, b: np.ndarray, n_b: np.ndarray) -> np.ndarray:
    """``2 |a/n_a - b/n_b|``, W1 of two predictions of -1 and +1; 2 where a side is empty."""
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = 2 * np.abs(a / n_a - b / n_b)
    return np.where(np.isfinite(gap), gap, 2.0)
