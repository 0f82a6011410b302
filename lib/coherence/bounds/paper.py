"""The paper's chain of bounds: hypergeometric tail, Claims 1 and 2, Lemma 1, Theorems 3, 7 and 8.

A size constraint ``gamma`` is the least number of members that a group needs
for the guarantee. The ``*_terms`` functions return the named terms whose
maximum it is, so that one can see which of them binds.
"""

from __future__ import annotations

import math

from lib import validate
from lib.coherence.bounds.max_information import corollary, largest_delta, pure_dp
from lib.coherence.bounds.ranges import in_range

_CLAIM2 = in_range(alpha=(1e-100, 1 - 1e-16))


@in_range(distance=(2.0, 1e100), b=(0, validate.INTEGER_MAX))
def hush_scovel(distance: float, *, b: int, a: int, s: int) -> float:
    """One tail of the hypergeometric ``H(b, a, s)``: ``exp(-2 c (distance^2 - 1))`` (Theorem 4).

    Raises
    ------
    ValueError
        If ``distance < 2``, where the theorem says nothing.

    Examples
    --------
    >>> round(hush_scovel(10, b=100, a=40, s=50), 4)
    0.0003
    """
    for name, value in (("a", a), ("s", s)):
        validate.integer(name, value, low=0, high=b)
    c = max(1 / (s + 1) + 1 / (b - s + 1), 1 / (a + 1) + 1 / (b - a + 1))
    return math.exp(-2 * c * (distance * distance - 1))


@in_range(fresh=(0.0, 600.0), zeta=(0.0, 600.0), eta=(0.0, 600.0))
def claim1(fresh: float, *, zeta: float, eta: float) -> float:
    """From a fresh half to the true one: ``fresh e^zeta + eta`` (Claim 1).

    Examples
    --------
    >>> round(claim1(0.001, zeta=1.0, eta=0.01), 4)
    0.0127
    """
    return fresh * math.exp(zeta) + eta


@_CLAIM2
def claim2_size(alpha: float, mu: float) -> float:
    """Members that Claim 2 asks for.

    ``max(4.15 ln(4/mu)/alpha^2, 5.3/alpha, 8.3 ln(4/mu), 40)``.

    Examples
    --------
    >>> round(claim2_size(0.5, 1e-9))
    367
    """
    return _least_size(alpha, mu, 5.3)


def _least_size(alpha: float, mu: float, constant: float) -> float:
    log = math.log(4 / mu)
    return max(4.15 * log / alpha**2, constant / alpha, 8.3 * log, 40)


@in_range()
def claim2_probability(members: float, mu: float, *, reading: str = "proof") -> tuple[float, float]:
    """``(distance, probability)``: how often W1 of two halves exceeds ``distance x alpha``.

    The halves are independent; the probability is an upper bound.
    ``"statement"`` says distance 1. The proof bounds the supremum of the
    difference of two CDFs by alpha; the integral over [-1, 1] is twice that,
    so what is proved has distance 2, which is how Lemma 1 uses it.
    """
    factors = {"statement": 1.0, "proof": 2.0}
    factor = factors[validate.choice("reading", reading, factors)]
    return factor, min(1.0, 2 * (1 + members) * mu)


@in_range(members=(0.0, 1e60), distance=(1e-100, 1e100))
def claim2_tail(members: float, distance: float) -> float:
    """Claim 2's least bound on ``Pr[W1 > distance]`` in a group, with the factor of its proof.

    1 where its conditions fail (fewer than 40 members, or ``distance < 10.6 / members``).
    """
    alpha = distance / 2
    if members < 40 or members * alpha < 5.3 or alpha >= 1:
        return 1.0
    return min(1.0, 8 * (1 + members) * math.exp(-members * min(alpha**2 / 4.15, 1 / 8.3)))


@_CLAIM2
def lemma1_size(alpha: float, mu: float) -> float:
    """Members that Lemma 1 asks for: as Claim 2, with ``16/3`` for ``5.3``."""
    return _least_size(alpha, mu, 16 / 3)


def lemma1_probability(members: float, mu: float, *, zeta: float, eta: float) -> float:
    """``Pr[W1 > 2 alpha] <= 2 mu (members + 1) e^zeta + eta`` (Lemma 1)."""
    return min(1.0, claim1(claim2_probability(members, mu)[1], zeta=zeta, eta=eta))


@in_range(inside=(1.0, 1e300))
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


@in_range(epsilon=(1e-100, 1.0))
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


@in_range(collection=(1.0, validate.INTEGER_MAX))
def theorem8_delta(*, epsilon: float, beta: float, n: float, collection: float) -> float:
    """The largest delta that Theorem 8 allows: ``(epsilon beta / (120 n |C|))^2``.

    It grows with epsilon and shrinks with ``n``, unlike what the size constraint wants: at a given
    delta the valid epsilons have a lower end, too (:mod:`lib.coherence.solver`).
    """
    return (epsilon * beta / (120 * n * collection)) ** 2


@in_range(epsilon=(1e-100, 0.5))
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


@validate.check_types
def size(terms: dict[str, float]) -> float:
    """The size constraint gamma: the largest term."""
    validate.require(len(terms) > 0, "terms", "one or more", terms)
    return max(terms.values())
