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
from lib.coherence.bounds.ranges import Range, in_range


@in_range()
def pure_dp(*, epsilon: float, n: float, eta: float) -> float:
    """``epsilon^2 n / 4 + epsilon sqrt(n ln(2/eta) / 4)`` (Theorems 5 and 14), in nats.

    Parameters
    ----------
    epsilon : float
        Of an order-invariant epsilon-DP curator of ``n / 2`` records.
    n : int
        Size of the data set that is halved.
    eta : float
        In (0, 1]: the probability that is given away.

    Examples
    --------
    >>> round(pure_dp(epsilon=0.1, n=1000, eta=0.05), 2)
    5.54
    """
    return epsilon**2 * n / 4 + epsilon * math.sqrt(n * math.log(2 / eta) / 4)


@in_range()
def largest_delta(*, epsilon: float, n: float, eta: float) -> float:
    """The largest ``delta`` that Corollaries 1 and 2 allow: ``(epsilon eta / (120 n))^2``.

    Examples
    --------
    >>> f"{largest_delta(epsilon=0.1, n=1000, eta=0.05):.1e}"
    '1.7e-15'
    """
    return (epsilon * eta / (120 * n)) ** 2


@in_range(epsilon=Range(float, 1e-100, 0.5))
def corollary(*, epsilon: float, delta: float, n: float, eta: float) -> float:
    """Max-information of an (epsilon, delta)-DP curator of ``n`` records (Corollaries 1 and 2).

    ``265 epsilon^2 n + 12 epsilon sqrt(n ln(2/eta))``.

    Raises
    ------
    ValueError
        If ``epsilon > 1/2`` or ``delta`` exceeds :func:`largest_delta`.
    """
    allowed = largest_delta(epsilon=epsilon, n=n, eta=eta)
    what = f"at most (eps eta/(120 n))^2 = {allowed!r} for Corollary 2"
    validate.require(delta <= allowed * (1 + 1e-12), "delta", what, delta)
    return 265 * epsilon**2 * n + 12 * epsilon * math.sqrt(n * math.log(2 / eta))


@in_range(m=Range(float, 1e-100, 1e60))
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
    validate.require(m < n, "m", f"less than n={n!r}", m)
    if reading == "paper":
        validate.require(
            m == n / 2 and n >= 3, "m and n", "the printed case m = n/2, n >= 3", (m, n)
        )
        return 4 / n
    return 2 / m * (n - 0.5) / (n - m) * (1 - 1 / (2 * max(m, n - m)))


@in_range(n=Range(float, 4.0, 1e60))
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
    s = epsilon**2 / (2 * mcdiarmid(n=n, m=n / 2))
    return s + math.sqrt(s**2 + 2 * s * math.log(2 / eta))
