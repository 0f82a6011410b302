"""The paper's guarantees: Theorems 3, 7 and 8.

A size constraint ``gamma`` is the least number of members that a group needs
for the guarantee. The ``*_terms`` functions return the named terms whose
maximum it is, so that one can see which of them binds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from lib import validate
from lib.coherence.bounds.max_information import corollary, largest_delta, pure_dp
from lib.coherence.bounds.ranges import Range, in_range


@in_range(inside=Range(float, 1.0, 1e300))
def theorem3_terms(
    *, alpha: float, beta: float, zeta: float, collection: int, inside: float = 16
) -> dict[str, float]:
    """The five terms of Equation 2, for a curator with ``I_{beta/2|C|} < zeta``.

    Parameters
    ----------
    alpha, beta : float
        W1 distance, in (0, 2]; probability of exceeding it, in (0, 1].
    collection : int
        ``|C|``, the number of groups.
    inside : float
        The constant in the logarithm: 16 as proved; Theorem 8 prints 32.

    Examples
    --------
    >>> terms = theorem3_terms(alpha=0.5, beta=0.05, zeta=1.0, collection=10)
    >>> {name: round(members) for name, members in terms.items()}["information / alpha^2"]
    1205
    """
    information = zeta + math.log(inside * collection / beta)
    return {
        "information / alpha^2": 33.2 * information / alpha**2,
        "union over thresholds": 144 * math.log(6 / alpha) / alpha**2,
        "information": 16.6 * information,
        "1 / alpha": 10.6 / alpha,
        "constant": 80.0,
    }


@in_range(epsilon=Range(float, 1e-100, 1.0))
def theorem7_terms(
    *, alpha: float, beta: float, epsilon: float, n: float, collection: int
) -> dict[str, float]:
    """The terms of Theorem 7: group sizes for which an epsilon-DP curator is coherent (Eq. 12).

    The curator is order-invariant and sees half of ``n``.

    Raises
    ------
    ValueError
        Unless ``epsilon`` and ``beta`` are in (0, 1] and ``alpha`` in (0, 2].

    Examples
    --------
    >>> terms = theorem7_terms(alpha=0.2, beta=0.05, epsilon=0.01, n=5e6, collection=100)
    >>> round(size(terms))
    140179
    """
    zeta = pure_dp(epsilon=epsilon, n=n, eta=beta / (2 * collection))
    return theorem3_terms(alpha=alpha, beta=beta, zeta=zeta, collection=collection)


@in_range(collection=Range(float, 1.0, validate.INTEGER_MAX))
def theorem8_delta(*, epsilon: float, beta: float, n: float, collection: float) -> float:
    """The largest delta that Theorem 8 allows: ``(epsilon beta / (120 n |C|))^2``.

    It grows with epsilon and shrinks with ``n``, unlike what the size constraint wants: at a given
    delta the valid epsilons have a lower end, too (:mod:`lib.coherence.solver`).
    """
    return (epsilon * beta / (120 * n * collection)) ** 2


@in_range(epsilon=Range(float, 1e-100, 0.5))
def theorem8_terms(
    *,
    alpha: float,
    beta: float,
    epsilon: float,
    n: float,
    collection: int,
    delta: float = 0.0,
    reading: str = "statement",
) -> dict[str, float]:
    """The terms of Theorem 8: as Theorem 7, for an (epsilon, delta)-DP curator (Eq. 13).

    ``"statement"`` prints ``133 eps^2 n + 12 eps sqrt(n ln(4|C|/beta))`` and 32
    in the logarithm; ``"proof"`` puts Corollary 2 for ``n / 2`` records into
    Theorem 3, which gives ``n / 2`` under the root and 16.
    """
    validate.choice("reading", reading, ("statement", "proof"))
    allowed = theorem8_delta(epsilon=epsilon, beta=beta, n=n, collection=collection)
    what = f"from 0 to {allowed!r} for Theorem 8 at this epsilon and n"
    validate.require(delta <= allowed * (1 + 1e-12), "delta", what, delta)
    if reading == "statement":
        inside = 32
        zeta = 133 * epsilon**2 * n + 12 * epsilon * math.sqrt(n * math.log(4 * collection / beta))
    else:
        inside, eta = 16, beta / (2 * collection)
        room = largest_delta(epsilon=epsilon, n=n / 2, eta=eta)
        zeta = corollary(epsilon=epsilon, delta=min(delta, room), n=n / 2, eta=eta)
    return theorem3_terms(alpha=alpha, beta=beta, zeta=zeta, collection=collection, inside=inside)


def size(terms: Mapping[str, float]) -> float:
    """The size constraint gamma: the largest term."""
    validate.instance("terms", terms, Mapping)
    validate.require(len(terms) > 0, "terms", "one or more", terms)
    return max(terms.values())
