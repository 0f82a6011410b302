"""Looks at the data: of which kind, how sensitive, and what each costs between two tables.

A look has a price under each of three relations between neighbouring tables:

``"add or remove"``
    One row more or fewer.
``"replace"``
    Equally many rows, of which one has other values.
``"replace within a group"``
    The same, and that row keeps its values in the columns ``by``: the sizes of the groups that
    these columns make do not change. The more columns, the less is covered.

The first covers most: two of its steps make one of the second, of which the third is a special
case. Who stays in a group by sex may change race, so a look that is covered within groups by race
is not covered within groups by sex.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from lib import validate

RELATIONS = ("add or remove", "replace", "replace within a group")
ADD_OR_REMOVE, REPLACE, WITHIN = RELATIONS
KINDS = ("measurement", "selection", "exact count", "oracle", "parts", "other")


class Promise(NamedTuple):
    """What is covered, at what price; ``by``: the columns that a changed row keeps, if any."""

    relation: str
    price: float
    by: tuple[str, ...] = ()


def columns(by: Sequence[str]) -> tuple[str, ...]:
    """The names of the columns of a group, each once, in their order.

    >>> columns(["sex", "race", "sex"])
    ('sex', 'race')
    """
    return tuple(dict.fromkeys(validate.names("by", by)))


def prices(
    cost: float,
    sensitivity: Mapping[str, float],
    power: int = 2,
    curve: Callable[[float], float] | None = None,
) -> dict[str, float]:
    """Price of a look under each relation.

    Parameters
    ----------
    cost : float
        Price under the first relation of ``sensitivity``.
    sensitivity : mapping of relations to numbers
        How far the look moves between neighbours. Not named: no bound for
        ``"add or remove"``; twice the one for ``"add or remove"`` (a row removed
        and another added) for ``"replace"``; the one for ``"replace"`` within a group.
    power : int
        2 for zCDP (a look twice as sensitive costs four times the rho), 1 for pure DP.
    curve : callable, optional
        Price of the look if the values move by a multiple of the first sensitivity, where it is no
        power: the rho of Laplace noise falls more slowly than the square.

    Examples
    --------
    >>> prices(0.5, {"add or remove": 1.0, "replace": 2.0})["replace"]
    2.0
    """
    most = {validate.choice("relation", r, RELATIONS): s for r, s in sensitivity.items()}
    base = validate.positive("sensitivity", next(iter(most.values()), 0.0))
    if not all(s >= 0 for s in most.values()):
        raise ValueError(f"sensitivity must be numbers >= 0 by relation, got {dict(sensitivity)!r}")
    most.setdefault(ADD_OR_REMOVE, math.inf)
    most.setdefault(REPLACE, 2 * most[ADD_OR_REMOVE])
    most.setdefault(WITHIN, most[REPLACE])

    def price(times: float) -> float:
        if curve is None or times in (0.0, 1.0, math.inf):
            return cost * times**power
        return curve(times)

    return {relation: price(most[relation] / base) for relation in RELATIONS}


@dataclass(frozen=True)
class Entry:
    """One look at the data.

    Attributes
    ----------
    what : str
        A label for people. Nothing is computed from it.
    cost : float
        What the accountant was charged; 0 for an exact count and for an oracle.
    kind : str
        One of :data:`KINDS`. ``"exact count"``: released without noise. ``"oracle"``: taken from
        the data, or from somebody who may have looked at them, and not charged.
    sensitivity : mapping
        By relation, as far as it is known; the one that the price was stated for comes first.
    prices : mapping
        By every relation; infinite where the look is not covered. The last is for a row that keeps
        its values in all columns that the look names (``by``, and those of its parts).
    parts : mapping, optional
        What each of several disjoint parts of the data paid.
    by : tuple of str
        The columns of the groups that a look within groups is for; or the columns whose values
        decide in which part a row is, if they are known.
    inside : tuple
        The entries of each part.

    Examples
    --------
    >>> from lib.dp import PrivacyAccountant
    >>> accountant = PrivacyAccountant(1.0)
    >>> accountant.spend("a count of rows", 0.25)
    0.25
    >>> entry = accountant.entries[0]
    >>> entry.cost, entry.kind, entry.prices["replace"]
    (0.25, 'other', 1.0)
    """

    what: str
    cost: float
    kind: str
    sensitivity: Mapping[str, float]
    prices: Mapping[str, float]
    parts: Mapping[str, float] | None = field(default=None)
    by: tuple[str, ...] = ()
    inside: tuple[tuple[Entry, ...], ...] = ()

    def __post_init__(self) -> None:
        validate.instance("what", self.what, str)

    def price(self, relation: str, by: Collection[str] = (), *, exact: bool = True) -> float:
        """What the look costs if one row changes by ``relation``, and keeps the columns ``by``.

        Infinite where it is not covered. ``exact=False`` counts nothing for exact counts.
        """
        kept = relation == WITHIN and bool(self.by) and set(self.by) <= set(by)
        if self.kind == "exact count" and not exact:
            return 0.0
        if not self.inside:
            return self.prices[REPLACE if relation == WITHIN and not kept else relation]

        def of_each(relation: str) -> list[float]:
            """In one part, the looks add up."""
            return [math.fsum(e.price(relation, by, exact=exact) for e in p) for p in self.inside]

        stays = max(of_each(relation))
        if relation == ADD_OR_REMOVE or kept:
            return stays
        # the row may leave one part and enter another: each of the two sees one row fewer or more
        return max(stays, math.fsum(sorted(of_each(ADD_OR_REMOVE))[-2:]))

    def groupings(self) -> dict[tuple[str, ...], None]:
        """The groups that the look, or one inside of it, names: tuples of columns, each once."""
        own = {self.by: None} if self.by else {}
        return own | {by: None for part in self.inside for e in part for by in e.groupings()}

    def needed(self) -> tuple[str, ...] | None:
        """Columns that a changed row must keep for a finite price; None if none suffice."""
        if math.isfinite(self.prices[REPLACE]):
            return ()
        if not self.by or math.isinf(self.prices[WITHIN]):
            return None
        within = [entry.needed() for part in self.inside for entry in part]
        if any(names is None for names in within):
            return None
        return columns([*self.by, *(name for names in within for name in names or ())])
