"""From guesses about who was in a release to a lower limit of its epsilon, exactly.

``inside`` of ``n`` people are drawn at random, and a curator makes a release of them. From the
release somebody names people who should be inside, and people who should be outside. If the curator
is epsilon-DP for replacing one person, and its rows come in random order, then the number of right
names is at most as large as under Fisher's noncentral hypergeometric law with odds ``e^epsilon``
(stochastically, given how many of all named people were inside). So the exact lower confidence
limit of a log odds ratio is a lower limit of epsilon. The same holds within a group, given
everybody else.

>>> rare = Guesses(named=40, hits=35, people=80, inside=40)  # 40 named inside, 35 of them rightly
>>> round(epsilon_limit([rare]), 2)
2.6
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaln

from lib import validate

_LEAST = 1e-40  # of the largest probability: smaller ones are left out, and added to the tail
_MOST = 700.0  # epsilon: e^epsilon is still a float


@validate.check_types
@dataclass(frozen=True, kw_only=True)
class Guesses:
    """What one random half, and the names taken from its release, came to.

    Parameters
    ----------
    named : int
        People who were named as inside.
    hits : int
        Those of them who were inside.
    people : int
        All named people, inside or outside; who is not named is left out of all four numbers.
    inside : int
        Those of ``people`` who were inside.

    Raises
    ------
    ValueError
        For numbers that no two-by-two table has.
    """

    named: int
    hits: int
    people: int
    inside: int

    def __post_init__(self) -> None:
        validate.integer("people", self.people, low=0, high=1 << 31)
        validate.integer("named", self.named, low=0, high=self.people)
        validate.integer("inside", self.inside, low=0, high=self.people)
        validate.integer("hits", self.hits, low=self.least, high=min(self.named, self.inside))

    @property
    def least(self) -> int:
        """The fewest hits that such a table can have."""
        return max(0, self.named + self.inside - self.people)


@dataclass(frozen=True)
class _Law:
    """Probabilities of ``first, first + 1, ...`` hits; ``lost`` is what was left out."""

    first: int
    p: np.ndarray
    lost: float = 0.0

    def __add__(self, other: _Law) -> _Law:
        """The law of the sum of two independent numbers."""
        total = _Law(self.first + other.first, np.convolve(self.p, other.p))
        return total.trimmed(self.lost + other.lost)

    def trimmed(self, lost: float = 0.0) -> _Law:
        kept = np.flatnonzero(self.p > _LEAST * self.p.max())
        p = self.p[kept[0] : kept[-1] + 1]
        return _Law(self.first + int(kept[0]), p, lost + _LEAST * self.p.max() * self.p.size)

    def tail(self, hits: int) -> float:
        """The chance of at least so many, rounded up."""
        above = self.p[max(0, hits - self.first) :]
        return min(1.0, float(above.sum()) / float(self.p.sum()) + self.lost)


def _log_law(guesses: Guesses, epsilon: float) -> np.ndarray:
    """Log probabilities of ``least, least + 1, ...`` hits, by Fisher's law with odds e^epsilon."""
    j = np.arange(guesses.least, min(guesses.named, guesses.inside) + 1.0)
    others, rest = guesses.people - guesses.named, guesses.inside - j
    log = epsilon * j - sum(gammaln(1 + x) for x in (j, guesses.named - j, rest, others - rest))
    log -= log.max()
    return log - math.log(np.exp(log).sum())


def _law(guesses: Guesses, epsilon: float) -> _Law:
    return _Law(guesses.least, np.exp(_log_law(guesses, epsilon))).trimmed()


@validate.check_types
def hits_p(guesses: Sequence[Guesses], epsilon: float, *, delta: float = 0.0) -> float:
    """The chance that curators of ``epsilon`` (and ``delta``) have for so many hits, at most.

    Parameters
    ----------
    guesses : sequence of Guesses
        One for each independent half. How names are found is fixed before (or by a pilot half that
        is not among these): a rule that names fewer people once it was lucky refutes a true claim
        too often.
    epsilon : float
        For replacing one person, in [0, 700].
    delta : float
        In [0, 1). Above 0, the numbers ``named`` must be fixed before, and all people be named.

    Returns
    -------
    float
        A p-value of the claim: at most 1, never above the truth by more than rounding.

    Examples
    --------
    >>> round(hits_p([Guesses(named=3, hits=3, people=6, inside=3)], 0.0), 3)  # 1 of 20
    0.05
    """
    validate.require(len(guesses) > 0, "guesses", "those of one half or more", guesses)
    validate.require(0 <= epsilon <= _MOST, "epsilon", f"in [0, {_MOST:g}]", epsilon)
    validate.require(0 <= delta < 1, "delta", "in [0, 1)", delta)
    hits = sum(one.hits for one in guesses)
    p = reduce(_Law.__add__, (_law(one, epsilon) for one in guesses)).tail(hits)
    if delta:  # how many hits of one half are asked for is known only if there is no other half
        asked = hits if len(guesses) == 1 else None
        p += delta * sum(_delta_factor(one, epsilon, asked) for one in guesses)
    return float(min(1.0, p))


def _delta_factor(guesses: Guesses, epsilon: float, hits: int | None) -> float:
    """What one unit of delta adds to the chance of ``hits`` at most, or of any number if None.

    ``h (n - h) max_l A(max(l, hits)) B(min(l, hits)) / (c_l f(l))`` with ``f`` the law, ``A(l)``
    and ``B(l)`` the chances of at least and of fewer than ``l``, and ``c_l = l (n - r - h + l)``.
    """
    n, r, h = guesses.people, guesses.named, guesses.inside
    log = _log_law(guesses, epsilon)
    if log.size < 2 or hits == guesses.least:
        return 0.0
    place = np.arange(log.size - 1)
    asked = place if hits is None else hits - guesses.least - 1
    above = np.logaddexp.accumulate(log[::-1])[::-1][1:][np.maximum(place, asked)]
    below = np.logaddexp.accumulate(log)[:-1][np.minimum(place, asked)]
    j = guesses.least + 1.0 + place
    return h * (n - h) * math.exp((above + below - log[1:] - np.log(j * (n - r - h + j))).max())


@validate.check_types
def epsilon_limit(guesses: Sequence[Guesses], *, level: float = 0.95, delta: float = 0.0) -> float:
    """The largest epsilon that the guesses refute: a lower confidence limit.

    Parameters
    ----------
    guesses : sequence of Guesses
    level : float
        In (0, 1). A curator that keeps epsilon below x gets a limit above x with probability at
        most ``1 - level``.
    delta : float
        As in :func:`hits_p`.

    Returns
    -------
    float
        0 if nothing is refuted, which never means that a release is private.

    Examples
    --------
    >>> epsilon_limit([Guesses(named=4, hits=3, people=8, inside=4)])
    0.0
    """
    alpha = _alpha(level)
    if hits_p(guesses, 0.0, delta=delta) > alpha:
        return 0.0
    if hits_p(guesses, _MOST, delta=delta) <= alpha:  # no table of people does this
        return _MOST
    return float(brentq(lambda e: hits_p(guesses, e, delta=delta) - alpha, 0, _MOST, xtol=1e-10))


@validate.check_types
def ceiling(people: int, *, splits: int = 1, level: float = 0.95) -> float:
    """The highest limit that so many people can give, reached if everybody is named rightly.

    Parameters
    ----------
    people : int
        Of a group, half of them inside (rounded down).
    splits : int
        Independent halves.
    level : float
        In (0, 1); with several groups, 1 minus a group's share of the false alarms.

    Examples
    --------
    >>> round(ceiling(25_900), 1), ceiling(4)
    (17.2, 0.0)
    """
    return epsilon_limit(_all_right(people, splits), level=level)


def _alpha(level: float) -> float:
    """The share of false alarms. A chance that equals it refutes nothing, whatever its last bit."""
    return (1 - validate.fraction("level", level)) * (1 - 1e-9)


def _all_right(people: int, splits: int) -> list[Guesses]:
    """Half of the people of each split named as inside, the others as outside, all rightly."""
    half = validate.integer("people", people, low=1) // 2
    one = Guesses(named=half, hits=half, people=people, inside=half)
    return [one] * validate.integer("splits", splits, low=1)


@validate.check_types
def smallest_leak(
    people: int, *, splits: int = 1, level: float = 0.95, power: float = 0.8
) -> float:
    """The log odds ratio of the names that gives a limit above 0 with probability ``power``.

    Parameters
    ----------
    people, splits, level
        As in :func:`ceiling`; half of the people are named.
    power : float
        In (0, 1).

    Returns
    -------
    float
        Infinite where no names are right often enough.

    Examples
    --------
    >>> [round(smallest_leak(people), 2) for people in (20, 100, 1000)]
    [2.84, 1.06, 0.32]
    """
    alpha, power = _alpha(level), validate.fraction("power", power)
    tables = _all_right(people, splits)

    def law(log_odds: float) -> _Law:
        return reduce(_Law.__add__, (_law(one, log_odds) for one in tables))

    null = law(0.0)
    least = next(
        (x for x in range(null.first, null.first + null.p.size) if null.tail(x) <= alpha), None
    )
    if least is None:
        return math.inf
    if null.tail(least) >= power:
        return 0.0
    return float(brentq(lambda x: law(x).tail(least) - power, 0.0, _MOST, xtol=1e-9))
