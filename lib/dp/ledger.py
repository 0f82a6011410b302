"""A budget and what was spent of it, entry by entry."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from lib import validate

__all__ = ["Entry", "Ledger"]

_SLACK = 1e-12


@dataclass(frozen=True)
class Entry:
    """One look at the data: what for, and its price; ``parts`` says what each of several disjoint parts paid."""

    what: str
    cost: float
    parts: Mapping[str, float] | None = None


class Ledger:
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
        For a budget that is no finite number above 0, or an unknown unit.
    """

    def __init__(self, budget: float, *, unit: str = "rho") -> None:
        self.unit = validate.choice("unit", unit, ("rho", "epsilon"))
        self.budget = validate.positive(unit, budget)
        self.entries: list[Entry] = []

    @property
    def rho(self) -> float:
        """The budget of a ledger in ``rho``."""
        if self.unit != "rho":
            raise ValueError(f"unit={self.unit!r} is not allowed: this ledger has no rho")
        return self.budget

    @property
    def spent(self) -> float:
        """The sum of the entries, without rounding on the way."""
        return math.fsum(entry.cost for entry in self.entries)

    @property
    def left(self) -> float:
        """What can still be spent; 0 if rounding makes it less."""
        return max(0.0, math.fsum([self.budget, *(-entry.cost for entry in self.entries)]))

    def spend(self, what: str, cost: float) -> float:
        """Note ``cost`` for ``what`` and return it.

        Raises
        ------
        ValueError
            If more is asked for than is left (up to one part in 10^12 of the budget); nothing is noted then.
        """
        return self._note(Entry(what, validate.positive(self.unit, cost)))

    def spend_parallel(self, what: str, costs: Mapping[str, float]) -> float:
        """Note looks at disjoint parts of the data, by name: the dearest is the price (one record is in one part)."""
        if not costs:
            raise ValueError(f"costs={costs!r} is not allowed: the price of at least one part is")
        parts = {str(name): validate.positive(f"{self.unit} of {name!r}", cost) for name, cost in costs.items()}
        return self._note(Entry(what, max(parts.values()), parts))

    def _note(self, entry: Entry) -> float:
        if math.fsum([self.spent, entry.cost]) > self.budget * (1 + _SLACK):
            raise ValueError(
                f"{self.unit}={entry.cost!r} for {entry.what!r} is not allowed: {self.left!r} of {self.budget!r} is left"
            )
        self.entries.append(entry)
        return entry.cost

    def __repr__(self) -> str:
        return f"Ledger({self.unit}={self.budget!r}, spent={self.spent!r}, entries={len(self.entries)})"
