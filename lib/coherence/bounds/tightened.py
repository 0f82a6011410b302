"""Our bound on coherence: the paper's guarantee from three sharper steps.

Never mixed with the paper's own functions.

1. McDiarmid's inequality for a half keeps its factor of 2
   (:func:`~lib.coherence.bounds.max_information.pure_dp_tightened`).
2. Max-information is paid once, for the event that *some* group fails.
3. W1 of two halves is bounded as one function of the sample, not threshold by threshold.

The chapter on choosing epsilon has the proofs. The description-length bound
needs no differential privacy at all, only a release with few possible values.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.optimize import brentq

from lib.coherence.bounds.max_information import pure_dp_tightened
from lib.coherence.bounds.ranges import Range, in_range

_MOST = 1e260  # members beyond every use


@in_range(
    "members",
    "log_p",
    "spread",
    members=Range(float, 1e-100, 1e200),
    spread=Range(float, 0.0, 1e250),
)
def half_sample_distance(members: float, log_p: float, spread: float = 0.0) -> float:
    """The distance that a fresh half exceeds with probability at most p, for any fixed predictor.

    ``alpha`` with ``Pr[W1(g(S|C), g(X \\ S|C)) > alpha] <= p``.

    Parameters
    ----------
    members : float
        ``M``, people of the group in the data set.
    log_p : float
        ``ln p``, below 0 (p itself may be too small for a float).
    spread : float
        ``s``, what the predictor knows of the half: 0 if it is fixed, else as
        :func:`~lib.coherence.bounds.within_group.group_spread`.

    Returns
    -------
    float
        ``2/sqrt(q (M-1)) + sqrt(8 / (q (M-1/2)(1-1/M))) (sqrt(s/2) + sqrt(ln(2/p)))`` with
        ``q = 1 - 2 ln(4/p) / M``; infinity if ``q <= 0``: the group may then be
        split too unevenly to say anything.

    Examples
    --------
    >>> round(half_sample_distance(1000, math.log(0.05)), 3)
    0.236
    """
    return _distance(members, log_p, spread)


def _distance(members: float, log_p: float, spread: float) -> float:
    """:func:`half_sample_distance`, unchecked: a solver asks it thousands of times."""
    q = 1 - 2 * (math.log(4) - log_p) / members
    if q <= 0 or members <= 1:
        return math.inf
    root = math.sqrt(spread / 2) + math.sqrt(math.log(2) - log_p)
    scale = math.sqrt(8 / (q * (members - 0.5) * (1 - 1 / members)))
    return 2 / math.sqrt(q * (members - 1)) + root * scale


@in_range("alpha", "log_p")
def half_sample_size(
    alpha: float, log_p: float, spread: Callable[[float], float] = lambda members: 0.0
) -> float:
    """The least number of members whose :func:`half_sample_distance` is at most ``alpha``.

    ``alpha`` is at least 1e-100, ``log_p`` at most 0; ``spread`` gives that of so many members.
    Infinity if there is none.

    Examples
    --------
    >>> round(half_sample_size(0.2, math.log(0.05)))
    1391
    """

    def excess(members: float) -> float:
        return _distance(members, log_p, spread(members)) - alpha

    least = most = max(2.0, 2 * (math.log(4) - log_p)) * (1 + 1e-12)
    while excess(most) > 0:
        most *= 2
        if most > _MOST:
            return math.inf
    return brentq(excess, most / 2, most, rtol=1e-12) if most > least else least


@in_range(zeta=Range(float, 0.0, 1e249))
def size_of_information(*, alpha: float, beta: float, zeta: float, collection: int) -> float:
    """Group size needed behind a curator with ``I_{beta/2} <= zeta``.

    Every group fails with probability at most ``beta e^-zeta / 2|C|``.

    Examples
    --------
    >>> round(size_of_information(alpha=0.2, beta=0.05, zeta=1.0, collection=1))
    1846
    """
    return half_sample_size(alpha, math.log(beta / (2 * collection)) - zeta)


@in_range()
def tightened_size(
    *, alpha: float, beta: float, epsilon: float, n: float, collection: int
) -> float:
    """Group size needed behind an epsilon-DP curator; any epsilon > 0.

    Examples
    --------
    >>> round(tightened_size(alpha=0.2, beta=0.05, epsilon=0.01, n=5e6, collection=100))
    17833
    """
    zeta = pure_dp_tightened(epsilon=epsilon, n=n, eta=beta / 2)
    return size_of_information(alpha=alpha, beta=beta, zeta=zeta, collection=collection)


@in_range(n=Range(float, 2.0, 1e60))
def description_length_size(
    *, alpha: float, beta: float, n: float, collection: int, counts: int
) -> float:
    """Group size needed behind a release of ``counts`` exact counts over half of ``n`` records.

    Each of the ``(n/2 + 1)^counts`` possible releases fixes a predictor (given
    the learner's coins), so a union bound over all of them takes the place of
    ``e^zeta``, and nothing is given away as eta.

    Examples
    --------
    >>> round(description_length_size(alpha=0.2, beta=0.05, n=10_000, collection=1, counts=1))
    3557
    """
    return half_sample_size(alpha, math.log(beta / collection) - counts * math.log(n / 2 + 1))
