"""Max-information of a differentially private curator.

How much its report tells about which half it was made from: ``I_eta(A) <= zeta`` (Definitions 6, 7)
means: whatever happens for the true half with some probability happens for a fresh half with at
least ``e^-zeta`` of it, up to ``eta``. In :func:`pure_dp` and the tightened bound ``n`` is the size
of the whole data set and the curator sees ``n / 2`` of it; in :func:`approximate_dp` and
:func:`corollary` ``n`` is what the curator sees, as in the paper.
"""

from __future__ import annotations

import math

from lib import validate

__all__ = [
    "pure_dp",
    "approximate_dp",
    "failure_15",
    "corollary",
    "largest_delta",
    "mcdiarmid",
    "pure_dp_tightened",
]

_MOST_EPSILON, _MOST_PEOPLE = 1e30, 1e60  # beyond every use; their products stay floats


def pure_dp(*, epsilon: float, n: float, eta: float) -> float:
    """``epsilon^2 n / 4 + epsilon sqrt(n ln(2/eta) / 4)`` (Theorems 5 and 14), in nats.

    Parameters
    ----------
    epsilon : float
        Of an order-invariant epsilon-DP curator of ``n / 2`` records.
    n : int
        Size of the data set that is halved.
    eta : float
        In (0, 2): the probability that is given away.

    Examples
    --------
    >>> round(pure_dp(epsilon=0.1, n=1000, eta=0.05), 2)
    5.54
    """
    _epsilon(epsilon)
    _people(n)
    return epsilon**2 * n / 4 + epsilon * math.sqrt(n * _log_two_over(eta) / 4)


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
    validate.budget("t", t, low=0, high=1e100)
    validate.budget("delta", delta, low=0, high=1)
    validate.positive("delta_hat", delta_hat)
    _epsilon(epsilon)
    _people(n)
    three, one = -math.expm1(-3 * epsilon), -math.expm1(-epsilon)
    last = 2 * delta_hat / three + 2 * delta / (three if reading == "statement" else one)
    return math.exp(-(t**2) / 2) + n * (2 * delta / delta_hat + last)


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
    _half(epsilon)
    validate.positive("t", t)
    if not 0 < validate.positive("delta", delta) < epsilon:
        raise ValueError(f"delta must be in (0, epsilon={epsilon!r}) for Theorem 15, got {delta!r}")
    if not 0 < validate.positive("delta_hat", delta_hat) <= epsilon / 15:
        raise ValueError(
            f"delta_hat must be in (0, epsilon/15={epsilon / 15!r}] for Theorem 15, got"
            f" {delta_hat!r}"
        )
    per_record = (
        347 * delta_hat
        + 75 * (delta_hat / epsilon) ** 2
        + 24 * delta_hat**2 / epsilon
        + 240 * epsilon**2
    )
    beta = failure_15(t=t, delta_hat=delta_hat, epsilon=epsilon, delta=delta, n=n, reading=reading)
    return beta, n * per_record + 6 * t * epsilon * math.sqrt(n)


def largest_delta(*, epsilon: float, n: float, eta: float) -> float:
    """The largest ``delta`` that Corollaries 1 and 2 allow: ``(epsilon eta / (120 n))^2``.

    Examples
    --------
    >>> f"{largest_delta(epsilon=0.1, n=1000, eta=0.05):.1e}"
    '1.7e-15'
    """
    _log_two_over(eta)
    return (_epsilon(epsilon) * eta / (120 * _people(n))) ** 2


def corollary(*, epsilon: float, delta: float, n: float, eta: float) -> float:
    """Max-information of an (epsilon, delta)-DP curator of ``n`` records (Corollaries 1 and 2).

    ``265 epsilon^2 n + 12 epsilon sqrt(n ln(2/eta))``.

    Raises
    ------
    ValueError
        If ``epsilon > 1/2`` or ``delta`` exceeds :func:`largest_delta`.
    """
    _half(epsilon)
    validate.budget("delta", delta, low=0, high=1)
    allowed = largest_delta(epsilon=epsilon, n=n, eta=eta)
    if not 0 <= delta <= allowed * (1 + 1e-12):
        raise ValueError(
            f"delta must be at most (eps eta/(120 n))^2 = {allowed!r} for Corollary 2, got"
            f" {delta!r}"
        )
    return 265 * epsilon**2 * n + 12 * epsilon * math.sqrt(n * _log_two_over(eta))


def mcdiarmid(*, n: float, m: float, reading: str = "tight") -> float:
    """The exponent ``c`` of McDiarmid's inequality for a sample of ``m`` out of ``n`` (Theorem 12).

    ``Pr[f(S) - E f(S) >= t] <= exp(-c t^2 / Delta^2)``.
    ``f`` ignores the order and moves by at most ``Delta`` when one element is
    replaced. ``"paper"`` is the special case that is printed for ``m = n / 2``,
    ``4 / n``: there the general formula gives nearly ``8 / n``, and a factor of
    2 was given away.

    Examples
    --------
    >>> mcdiarmid(n=100, m=50, reading="paper"), round(mcdiarmid(n=100, m=50), 4)
    (0.04, 0.0788)
    """
    validate.choice("reading", reading, ("tight", "paper"))
    _people(n)
    if not 0 < validate.positive("m", m) < n:
        raise ValueError(f"m must be more than 0 and less than n={n!r}, got {m!r}")
    if reading == "paper":
        if m != n / 2 or n < 3:
            raise ValueError(f"m and n must be the printed case m = n/2, n >= 3, got {m!r}, {n!r}")
        return 4 / n
    return 2 / m * (n - 0.5) / (n - m) * (1 - 1 / (2 * max(m, n - m)))


def pure_dp_tightened(*, epsilon: float, n: float, eta: float) -> float:
    """Max-information of an epsilon-DP curator, by our bound: never above :func:`pure_dp`.

    ``s + sqrt(s^2 + 2 s ln(2/eta))`` with ``s = epsilon^2 / (2 c)`` and ``c`` of
    :func:`mcdiarmid` (about 8/n).
    The log-likelihood ratio ``f`` of a report has mean at most 0 and a
    Gaussian tail of variance ``s`` under a fresh half. Its tail under the true
    half is ``E[e^f 1(f >= t)] <= 2 exp(t - t^2 / (2 s))`` for ``t >= 2 s``, and
    the stated ``t`` makes that ``eta``.

    Examples
    --------
    >>> round(pure_dp_tightened(epsilon=0.1, n=1000, eta=0.05), 2)
    2.86
    """
    _epsilon(epsilon)
    validate.budget("n", n, low=4, high=_MOST_PEOPLE)
    s = epsilon**2 / (2 * mcdiarmid(n=n, m=n / 2))
    return s + math.sqrt(s**2 + 2 * s * _log_two_over(eta))


def _log_ratio(a: float, b: float) -> float:
    """``ln(a / b)`` of two positive numbers, also where ``a / b`` is too large for a float."""
    return math.log(a / b) if a / b < math.inf else math.log(a) - math.log(b)


def _people(n: float) -> float:
    """A number of people; half of one may be what a curator sees."""
    return validate.budget("n", n, low=0.5, high=_MOST_PEOPLE)


def _epsilon(epsilon: float) -> float:
    if validate.epsilon(epsilon) > _MOST_EPSILON:
        raise ValueError(f"epsilon must be at most {_MOST_EPSILON:g}, got {epsilon!r}")
    return epsilon


def _log_two_over(eta: float) -> float:
    """``ln(2 / eta)``."""
    if not 0 < validate.positive("eta", eta) < 2:
        raise ValueError(f"eta must be a number in (0, 2), got {eta!r}")
    return _log_ratio(2, eta)


def _half(epsilon: float) -> None:
    if not 0 < validate.epsilon(epsilon) <= 0.5:
        raise ValueError(
            f"epsilon must be in (0, 1/2] for the approximate-DP theorems, got {epsilon!r}"
        )
