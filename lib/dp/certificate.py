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
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial, reduce

import numpy as np
from scipy.optimize import brentq
from scipy.special import gammaln

from lib import validate

_LEAST = 1e-40  # of the largest probability: smaller ones are left out, and added to the tail
_MOST = 700.0  # epsilon: e^epsilon is still a float
# the epsilons from which a limit is sought: with delta, the p-value may fall before it rises
_STARTS = (0.0, *np.geomspace(0.01, _MOST, 60).tolist())


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
        validate.fields(self, "people", partial(validate.integer, low=0, high=1 << 31))
        validate.fields(self, "named inside", partial(validate.integer, low=0, high=self.people))
        validate.fields(self, "hits", partial(validate.integer, low=self.least, high=self.most))

    @property
    def least(self) -> int:
        """The fewest hits that such a table can have."""
        return max(0, self.named + self.inside - self.people)

    @property
    def most(self) -> int:
        """The most hits that such a table can have."""
        return min(self.named, self.inside)


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
        return float(min(1.0, above.sum() / self.p.sum() + self.lost))


@lru_cache(maxsize=32)
def _log_law(named: int, people: int, inside: int, epsilon: float) -> np.ndarray:
    """Log probabilities of all numbers of hits, by Fisher's law with odds e^epsilon."""
    j = np.arange(max(0, named + inside - people), min(named, inside) + 1.0)
    others, rest = people - named, inside - j
    log = epsilon * j - sum(gammaln(1 + x) for x in (j, named - j, rest, others - rest))
    log -= log.max()
    return log - math.log(np.exp(log).sum())


def hits_law(guesses: Guesses, log_odds: float) -> np.ndarray:
    """The chances of ``least, least + 1, ...`` hits of one half, by Fisher's law.

    Examples
    --------
    >>> hits_law(Guesses(named=1, hits=0, people=2, inside=1), 0.0).tolist()
    [0.5, 0.5]
    """
    odds = validate.as_float(log_odds)
    validate.require(abs(odds) <= _MOST, "log_odds", f"a number at most {_MOST:g} from 0", log_odds)
    return np.exp(_log_law(guesses.named, guesses.people, guesses.inside, odds))


def _law(guesses: Guesses, epsilon: float) -> _Law:
    return _Law(guesses.least, hits_law(guesses, epsilon)).trimmed()


def hits_p(guesses: Sequence[Guesses], epsilon: float, *, delta: float = 0.0) -> float:
    """The chance that curators of ``epsilon`` (and ``delta``) have for so many hits, at most.

    Parameters
    ----------
    guesses : sequence of Guesses
        One for each independent half. How names are found is fixed before: a rule that names fewer
        people once it was lucky refutes a true claim too often.
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
    _check(guesses, delta)
    epsilon = validate.budget("epsilon", epsilon, low=0, high=_MOST)
    hits = sum(one.hits for one in guesses)
    p = _sum_law(guesses, epsilon).tail(hits)
    if delta:
        p += delta * _delta_factor(guesses, epsilon, hits)
    return float(min(1.0, p))


def _check(guesses: Sequence[Guesses], delta: float) -> None:
    validate.require(len(guesses) > 0, "guesses", "those of one half or more", guesses)
    validate.require(0 <= validate.as_float(delta) < 1, "delta", "a number in [0, 1)", delta)


def _sum_law(guesses: Sequence[Guesses], epsilon: float) -> _Law:
    """The law of all hits together; halves of equal tables have one law."""
    laws = {one: _law(one, epsilon) for one in set(guesses)}
    return reduce(_Law.__add__, (laws[one] for one in guesses))


def _delta_factor(guesses: Sequence[Guesses], epsilon: float, hits: int) -> float:
    """What one unit of delta adds to the chance of so many hits together, at most.

    A half is asked for no fewer hits than remain if all others have as many as they can, and for no
    more than remain if the others have as few as they can.
    """
    most, least = sum(one.most for one in guesses), sum(one.least for one in guesses)
    return sum(
        count * _half_factor(one, epsilon, hits - most + one.most, hits - least + one.least)
        for one, count in Counter(guesses).items()
    )


def _half_factor(guesses: Guesses, epsilon: float, low: int, high: int) -> float:
    """``h (n - h) max_l A(max(l, low)) B(min(l, high)) / (c_l f(l))`` with ``f`` the law, ``A(l)``
    and ``B(l)`` the chances of at least and of fewer than ``l``, and ``c_l = l (n - r - h + l)``.
    """
    n, r, h = guesses.people, guesses.named, guesses.inside
    log = _log_law(r, n, h, epsilon)
    if log.size < 2 or high <= guesses.least:
        return 0.0
    place, first = np.arange(log.size - 1), guesses.least + 1
    above = np.logaddexp.accumulate(log[::-1])[::-1][1:][np.maximum(place, low - first)]
    below = np.logaddexp.accumulate(log)[:-1][np.minimum(place, high - first)]
    j = first + place.astype(float)
    worst = (above + below - log[1:] - np.log(j * (n - r - h + j))).max()
    return h * (n - h) * math.exp(worst)


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
    _check(guesses, delta)
    alpha = _alpha(level)

    def root(low: float, high: float, delta: float) -> float:
        return float(
            brentq(lambda e: hits_p(guesses, e, delta=delta) - alpha, low, high, xtol=1e-10)
        )

    if hits_p(guesses, 0.0) > alpha:
        return 0.0
    top = _MOST  # no table of people refutes it
    if hits_p(guesses, top) > alpha:
        top = root(0.0, top, 0.0)
    if delta == 0:
        return top
    high = top
    for low in reversed([start for start in _STARTS if start < top]):
        if hits_p(guesses, low, delta=delta) <= alpha:
            return root(low, high, delta) if hits_p(guesses, high, delta=delta) > alpha else high
        high = low
    return 0.0


def ceiling(
    people: int,
    *,
    splits: int = 1,
    level: float = 0.95,
    delta: float = 0.0,
    named: int | None = None,
    inside: int | None = None,
) -> float:
    """The highest limit that so many people can give, reached if as many names are right as can be.

    Parameters
    ----------
    people : int
        Of a group.
    splits : int
        Independent halves.
    level : float
        In (0, 1); with several groups or several ways to name, 1 minus a share of the false alarms.
    delta : float
        As in :func:`hits_p`.
    named, inside : int, optional
        Of the people in each half; half of them each (rounded down) if not given.

    Examples
    --------
    >>> round(ceiling(25_900), 1), ceiling(4)
    (17.2, 0.0)
    >>> round(ceiling(25_900, named=6_475), 1)  # half of those inside are not named
    8.4
    """
    return epsilon_limit(_all_right(people, splits, named, inside), level=level, delta=delta)


def _alpha(level: float) -> float:
    """The share of false alarms. A chance that equals it refutes nothing, whatever its last bit."""
    return (1 - validate.fraction("level", level)) * (1 - 1e-9)


def _all_right(people: int, splits: int, named: int | None, inside: int | None) -> list[Guesses]:
    """The table of each split if as many of the names are right as can be."""
    half = validate.integer("people", people, low=1) // 2
    named, inside = (
        half if part is None else validate.integer(name, part, low=0, high=people)
        for name, part in (("named", named), ("inside", inside))
    )
    one = Guesses(named=named, hits=min(named, inside), people=people, inside=inside)
    return [one] * validate.integer("splits", splits, low=1)


def least_hits(
    guesses: Sequence[Guesses], *, level: float = 0.95, delta: float = 0.0
) -> int | None:
    """The fewest hits of all halves together that give a limit above 0; None if no number does.

    The hits of ``guesses`` do not count; ``level`` and ``delta`` are as in :func:`epsilon_limit`.

    Examples
    --------
    >>> least_hits([Guesses(named=4, hits=0, people=8, inside=4)])
    4
    """
    _check(guesses, delta)
    alpha, best = _alpha(level), None
    least, most = (sum(part) for part in zip(*((g.least, g.most) for g in guesses), strict=True))
    for epsilon in _STARTS if delta else (0.0,):
        law = _sum_law(guesses, epsilon)
        if law.tail(most) > alpha:  # and for all larger epsilons
            break

        def p(hits: int, epsilon: float = epsilon, law: _Law = law) -> float:
            more = delta * _delta_factor(guesses, epsilon, hits) if delta else 0.0
            return law.tail(hits) + more

        fewer = most if best is None else best - 1
        if fewer >= least and p(fewer) <= alpha:
            best = bisect_left(range(least, fewer), True, key=lambda x: p(x) <= alpha) + least
    return best


def smallest_leak(
    people: int,
    *,
    splits: int = 1,
    level: float = 0.95,
    power: float = 0.8,
    delta: float = 0.0,
    named: int | None = None,
    inside: int | None = None,
) -> float:
    """The log odds ratio of the names that gives a limit above 0 with probability ``power``.

    Parameters
    ----------
    people, splits, level, delta, named, inside
        As in :func:`ceiling`.
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
    power = validate.fraction("power", power)
    tables = _all_right(people, splits, named, inside)
    least = least_hits(tables, level=level, delta=delta)
    if least is None:
        return math.inf
    if hits_chance(tables, 0.0, least) >= power:
        return 0.0
    return float(brentq(lambda x: hits_chance(tables, x, least) - power, 0.0, _MOST, xtol=1e-9))


def hits_chance(guesses: Sequence[Guesses], log_odds: float, hits: int) -> float:
    """The chance of at least so many hits of all halves together, if names are right with this log
    odds ratio.

    Examples
    --------
    >>> hits_chance([Guesses(named=1, hits=0, people=2, inside=1)], 0.0, 1)
    0.5
    """
    _check(guesses, 0.0)
    return _sum_law(guesses, log_odds).tail(hits)
