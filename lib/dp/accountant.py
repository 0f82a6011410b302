"""A budget and every look at the data that it paid for: of which kind, and how sensitive.

A look has a price under each of three relations between neighbouring tables:

``"add or remove"``
    One row more or fewer.
``"replace"``
    Equally many rows, of which one has other values.
``"replace within a group"``
    The same, and that row stays in its group: the sizes of the groups do not change.

The first covers most: two of its steps make one of the second, of which the third is a special
case.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from lib import validate

RELATIONS = ("add or remove", "replace", "replace within a group")
KINDS = ("measurement", "selection", "exact count", "oracle", "parts", "other")
_SLACK = 1e-12
_RANGE = {"low": 1e-300, "high": 1e300}  # sums and multiples of a budget are numbers above 0, too


def prices(cost: float, sensitivity: Mapping[str, float], power: int = 2) -> dict[str, float]:
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
    """
    most = {validate.choice("relation", r, RELATIONS): s for r, s in sensitivity.items()}
    base = validate.positive("sensitivity", next(iter(most.values()), 0.0))
    if not all(s >= 0 for s in most.values()):
        raise ValueError(f"sensitivity must be numbers >= 0 by relation, got {dict(sensitivity)!r}")
    most.setdefault(RELATIONS[0], math.inf)
    most.setdefault(RELATIONS[1], 2 * most[RELATIONS[0]])
    most.setdefault(RELATIONS[2], most[RELATIONS[1]])
    return {relation: cost * (most[relation] / base) ** power for relation in RELATIONS}


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
        By relation, as far as it is known; the one that ``cost`` is for comes first.
    prices : mapping
        By every relation; infinite where the look is not covered.
    parts : mapping, optional
        What each of several disjoint parts of the data paid.

    Examples
    --------
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


class PrivacyAccountant:
    """Spends a budget by sequential composition and refuses to overspend.

    Works for every notion whose budgets add up: ``rho`` of zCDP (the default)
    or ``epsilon`` of pure DP.

    Parameters
    ----------
    budget : float
        Above 0.
    unit : {"rho", "epsilon"}

    Raises
    ------
    ValueError
        For a budget outside of [1e-300, 1e300], or an unknown unit.

    Examples
    --------
    >>> accountant = PrivacyAccountant(1.0)
    >>> accountant.spend("a count of rows", 0.25)
    0.25
    >>> accountant.left
    0.75
    """

    def __init__(self, budget: float, *, unit: str = "rho") -> None:
        self.unit = validate.choice("unit", unit, ("rho", "epsilon"))
        self.budget = validate.budget(unit, budget, **_RANGE)
        self.entries: list[Entry] = []

    @property
    def rho(self) -> float:
        """The budget of an accountant in ``rho``."""
        if self.unit != "rho":
            raise validate.refusal("unit of an accountant with a rho", "'rho'", self.unit)
        return self.budget

    @property
    def spent(self) -> float:
        """The sum of the entries, without rounding on the way."""
        return math.fsum(entry.cost for entry in self.entries)

    @property
    def left(self) -> float:
        """What can still be spent; 0 if rounding makes it less."""
        return max(0.0, math.fsum([self.budget, *(-entry.cost for entry in self.entries)]))

    @property
    def promise(self) -> tuple[str, float] | None:
        """The widest relation under which all looks are covered, and their price; or ``None``.

        An oracle is not part of it: the promise holds if its answer was public.
        """
        return next(((r, p) for r in RELATIONS if math.isfinite(p := self.price(r))), None)

    @validate.check_types
    def price(self, relation: str) -> float:
        """What all entries cost under ``relation``; infinite if one of them is not covered."""
        validate.choice("relation", relation, RELATIONS)
        return math.fsum(entry.prices[relation] for entry in self.entries)

    @validate.check_types
    def spend(
        self,
        what: str,
        cost: float,
        *,
        kind: str = "other",
        sensitivity: Mapping[str, float] | None = None,
    ) -> float:
        """Note ``cost`` for ``what`` and return it.

        Parameters
        ----------
        what : str
            A label.
        cost : float
            Above 0.
        kind : str
            One of :data:`KINDS`.
        sensitivity : mapping, optional
            As :func:`prices` has it; 1 for ``"add or remove"`` if not given.

        Raises
        ------
        ValueError
            If more is asked for than is left (up to one part in 10^12 of the budget); nothing is
            noted then.
        """
        cost = validate.budget(self.unit, cost, **_RANGE)
        sensitivity = {RELATIONS[0]: 1.0} if sensitivity is None else dict(sensitivity)
        return self._note(
            Entry(
                what,
                cost,
                validate.choice("kind", kind, KINDS),
                sensitivity,
                self._prices(cost, sensitivity),
            )
        )

    @validate.check_types
    def spend_parallel(self, what: str, costs: Mapping[str, float | PrivacyAccountant]) -> float:
        """Note looks at disjoint parts of the data, by name: the price is that of the dearest part.

        A part is a price, or the accountant of what was done to it. A replaced record
        may leave one part and enter another, which then pay both.
        """
        validate.require(len(costs) > 0, "costs", "the prices of one part or more", costs)
        if units := {c.unit for c in costs.values() if isinstance(c, PrivacyAccountant)} - {
            self.unit
        }:
            raise ValueError(
                f"the accountant of each part must be in {self.unit}, got one in {units.pop()}"
            )
        spent = {
            str(n): c.spent if isinstance(c, PrivacyAccountant) else c for n, c in costs.items()
        }
        parts = {
            name: validate.budget(f"{self.unit} of {name!r}", cost, **_RANGE)
            for name, cost in spent.items()
        }
        each = [
            (
                {r: c.price(r) for r in RELATIONS}
                if isinstance(c, PrivacyAccountant)
                else self._prices(float(c), {RELATIONS[0]: 1.0})
            )
            for c in costs.values()
        ]
        most = {r: max(p[r] for p in each) for r in RELATIONS}
        two = math.fsum(sorted(p[RELATIONS[0]] for p in each)[-2:])
        most[RELATIONS[1]] = max(most[RELATIONS[1]], two)
        return self._note(Entry(what, max(parts.values()), "parts", {}, most, parts))

    @validate.check_types
    def note_exact(self, what: str) -> None:
        """Note what is released without noise: covered only if it is the same for both neighbours.

        Here: counts of groups, which are the same if one row changes and stays in its group.
        """
        self._note(
            Entry(
                what,
                0.0,
                "exact count",
                {RELATIONS[2]: 0.0},
                {RELATIONS[0]: math.inf, RELATIONS[1]: math.inf, RELATIONS[2]: 0.0},
            )
        )

    @validate.check_types
    def note_oracle(self, what: str) -> None:
        """Note what was taken for public and may not be: not charged, and no part of any price."""
        self._note(Entry(what, 0.0, "oracle", {}, dict.fromkeys(RELATIONS, 0.0)))

    def _prices(self, cost: float, sensitivity: Mapping[str, float]) -> dict[str, float]:
        return prices(cost, sensitivity, 2 if self.unit == "rho" else 1)

    @validate.check_types
    def require(self, what: str, cost: float) -> None:
        """Raise a ``ValueError`` if ``cost`` is more than is left (to 10^-12 of the budget)."""
        if math.fsum([self.spent, cost]) > self.budget * (1 + _SLACK):
            raise ValueError(
                f"{self.unit} for {what!r} must be at most the {self.left:.10g} that is left of"
                f" {self.budget:.10g}, got {cost:.10g}"
            )

    def _note(self, entry: Entry) -> float:
        self.require(entry.what, entry.cost)
        self.entries.append(entry)
        return entry.cost

    def __repr__(self) -> str:
        return (
            f"PrivacyAccountant({self.unit}={self.budget:.10g}, spent={self.spent:.10g},"
            f" entries={len(self.entries)})"
        )
