"""Steps of the paper's proofs: hypergeometric tail, Claims 1 and 2, Lemma 1, Theorems 6 and 15.

What they lead to, the guarantees themselves, is in :mod:`lib.coherence.bounds.paper`.
"""

from __future__ import annotations

import math

from lib import validate
from lib.coherence.bounds.ranges import Range, in_range

_CLAIM2 = in_range("alpha", "mu", alpha=Range(float, 1e-100, 1 - 1e-16))


@in_range("distance", distance=Range(float, 2.0, 1e100), b=Range(int, 0, validate.INTEGER_MAX))
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


@in_range(
    "fresh",
    fresh=Range(float, 0.0, 600.0),
    zeta=Range(float, 0.0, 600.0),
    eta=Range(float, 0.0, 600.0),
)
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


@in_range("members", "mu")
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


@in_range(
    "members", "distance", members=Range(float, 0.0, 1e60), distance=Range(float, 1e-100, 1e100)
)
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


@in_range()
def failure_15(
    *,
    t: float,
    delta_hat: float,
    epsilon: float,
    delta: float,
    n: float,
    reading: str = "statement",
) -> float:
    """The failure probability ``beta(t, delta_hat)`` of Theorem 15, as stated or as proved.

    ``"statement"`` divides both terms by ``1 - e^(-3 eps)``; in the proof the
    ``delta`` term has ``1 - e^(-eps)``, which is the larger probability.
    """
    validate.choice("reading", reading, ("statement", "proof"))
    three, one = -math.expm1(-3 * epsilon), -math.expm1(-epsilon)
    last = 2 * delta_hat / three + 2 * delta / (three if reading == "statement" else one)
    return math.exp(-(t**2) / 2) + n * (2 * delta / delta_hat + last)


@in_range(epsilon=Range(float, 1e-100, 0.5))
def approximate_dp(
    *,
    epsilon: float,
    delta: float,
    n: float,
    t: float,
    delta_hat: float,
    reading: str = "statement",
) -> tuple[float, float]:
    """``(beta, bound)`` with ``I_beta(A, n) <= bound`` for an (epsilon, delta)-DP curator.

    Theorems 6 and 15.

    Raises
    ------
    ValueError
        Unless ``epsilon <= 1/2``, ``delta < epsilon`` and ``delta_hat <= epsilon / 15``.
    """
    for name, value, most in (("delta", delta, epsilon), ("delta_hat", delta_hat, epsilon / 15)):
        what = f"above 0 and at most {most!r} for Theorem 15"
        validate.require(0 < value <= most and value < epsilon, name, what, value)
    per_record = (
        347 * delta_hat
        + 75 * (delta_hat / epsilon) ** 2
        + 24 * delta_hat**2 / epsilon
        + 240 * epsilon**2
    )
    beta = failure_15(t=t, delta_hat=delta_hat, epsilon=epsilon, delta=delta, n=n, reading=reading)
    return beta, n * per_record + 6 * t * epsilon * math.sqrt(n)
