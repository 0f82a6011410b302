"""A budget under one relation between neighbours, and every look at the data that it paid for.

:mod:`lib.dp.entries` has the relations and the prices of one look.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from lib import validate
from lib.dp.entries import (
    ADD_OR_REMOVE,
    KINDS,
    RELATIONS,
    REPLACE,
    WITHIN,
    Entry,
    Promise,
    columns,
    prices,
)
from lib.dp.mechanisms import ROUNDING

_ONE_AT_A_TIME = threading.RLock()  # two threads may not both take what is left
_RANGE = {"low": 1e-300, "high": 1e300}  # sums and multiples of a budget are numbers above 0, too


class PrivacyAccountant:
    """Spends a budget by sequential composition and refuses to overspend.

    Works for every notion whose budgets add up: ``rho`` of zCDP (the default)
    or ``epsilon`` of pure DP.

    The budget is counted under one relation between neighbours; within groups, for a row that keeps
    its values in the columns ``by``. A look whose price is stated for another relation is charged
    what it costs under this one, and refused if nothing bounds that: a mean within groups by race
    under a budget for rows that keep their sex, say. Exact counts and oracles are noted and not
    charged; :attr:`promise` is what they leave of it.

    Parameters
    ----------
    budget : float
        Above 0.
    unit : {"rho", "epsilon"}
    relation : str, optional
        One of ``lib.dp.entries.RELATIONS``; that of the first look that is paid if not given.
    by : sequence of str
        For ``"replace within a group"``: the columns that a changed row keeps.

    Raises
    ------
    ValueError
        For a budget outside of [1e-300, 1e300], an unknown unit or relation, or ``by`` without
        groups, or groups without it.

    Examples
    --------
    >>> accountant = PrivacyAccountant(1.0)
    >>> accountant.spend("a count of rows", 0.25)
    0.25
    >>> accountant.left, accountant.relation
    (0.75, 'add or remove')
    """

    def __init__(
        self,
        budget: float,
        *,
        unit: str = "rho",
        relation: str | None = None,
        by: Sequence[str] = (),
    ) -> None:
        self.unit = validate.choice("unit", unit, ("rho", "epsilon"))
        self.budget = validate.budget(unit, budget, **_RANGE)
        self.relation = relation
        self.by = columns(by)
        if relation is not None:
            validate.choice("relation", relation, RELATIONS)
        if relation != WITHIN and self.by:
            raise validate.refusal("relation", f"{WITHIN!r} with columns by", relation)
        _require_names(self.by, (relation,))
        self.entries: list[Entry] = []
        self.is_part = False

    @property
    def rho(self) -> float:
        """The budget of an accountant in ``rho``."""
        if self.unit != "rho":
            raise validate.refusal("unit of an accountant with a rho", "'rho'", self.unit)
        return self.budget

    @property
    def spent(self) -> float:
        """The sum of the charges, without rounding on the way: the price under ``relation``."""
        return math.fsum(entry.cost for entry in self.entries)

    @property
    def left(self) -> float:
        """What can still be charged, under ``relation``; 0 if rounding makes it less."""
        return max(0.0, math.fsum([self.budget, *(-entry.cost for entry in self.entries)]))

    @property
    def promise(self) -> Promise | None:
        """The widest relation under which all looks are covered, and their price; or ``None``.

        It is ``relation`` at the price ``spent``, or a wider one, unless something was counted
        exactly. That is not covered by ``relation``, so the promise is a weaker one then, often at
        a higher price. An oracle is not part of it: the promise holds if its answer was public.
        """
        for relation in (ADD_OR_REMOVE, REPLACE):
            if math.isfinite(price := self.price(relation)):
                return Promise(relation, price)
        needed = [entry.needed() for entry in self.entries]
        if any(names is None for names in needed):
            return None
        by = columns([name for names in needed for name in names or ()])
        return Promise(WITHIN, self.price(WITHIN, by), by)

    def price(self, relation: str, by: Sequence[str] | None = None) -> float:
        """What all entries cost under ``relation``; infinite if one of them is not covered.

        ``by`` are the columns that a changed row keeps, for ``"replace within a group"``. They can
        be left out if the accountant counts within groups, or all looks name the same ones.
        """
        validate.choice("relation", relation, RELATIONS)
        kept = self.by if by is None else columns(by)
        if relation == WITHIN and by is None and not kept:
            named = list({g: None for entry in self.entries for g in entry.groupings()})
            if len({frozenset(g) for g in named}) > 1:
                what = f"the columns that a changed row keeps, as looks name {named}"
                raise validate.refusal("by", what, None)
            kept = named[0] if named else ()
        return math.fsum(entry.price(relation, kept) for entry in self.entries)

    def spend(
        self,
        what: str,
        cost: float,
        *,
        kind: str = "other",
        sensitivity: Mapping[str, float] | None = None,
        by: Sequence[str] = (),
        curve: Callable | None = None,
    ) -> float:
        """Note a look of price ``cost`` as ``what``, and return what it is charged.

        Parameters
        ----------
        what : str
            A label.
        cost : float
            Above 0; under the first relation of ``sensitivity``.
        kind : str
            One of ``lib.dp.entries.KINDS``.
        sensitivity : mapping, optional
            As :func:`~lib.dp.entries.prices` has it; 1 for ``"add or remove"`` if not given.
        by : sequence of str
            The columns of the groups, if ``sensitivity`` has one within groups.
        curve : callable, optional
            As :func:`~lib.dp.entries.prices` has it.

        Raises
        ------
        ValueError
            If nothing bounds the look under the relation of this accountant, or more is asked for
            than is left (up to one part in 10^12 of the budget); nothing is noted then.
        """
        cost = validate.budget(self.unit, cost, **_RANGE)
        sensitivity = {ADD_OR_REMOVE: 1.0} if sensitivity is None else dict(sensitivity)
        power = 2 if self.unit == "rho" else 1
        found = prices(cost, sensitivity, power, curve)
        names = columns(by) if WITHIN in sensitivity else ()
        _require_names(names, sensitivity)
        kind = validate.choice("kind", kind, KINDS)
        entry = Entry(what, cost, kind, sensitivity, found, by=names)
        first = next(iter(sensitivity))
        return self._charge(entry, first, names if first == WITHIN else ())

    def spend_parallel(
        self, what: str, costs: Mapping[str, float | PrivacyAccountant], *, by: Sequence[str] = ()
    ) -> float:
        """Note looks at disjoint parts of the data, by name; returns what they are charged.

        A row is in one part, so a row more or fewer costs what the dearest part costs. A row that
        changes in one part costs that part's price for it. It may also leave one part and enter
        another: then both pay for a row more or fewer.

        Parameters
        ----------
        what : str
        costs : mapping of names to prices or accountants
            Of each part: its price for a row more or fewer, or the accountant of its looks, which
            takes no more of them.
        by : sequence of str
            The columns whose values decide in which part a row is. A row that keeps them stays in
            its part. If they are not named, every row may move.

        Examples
        --------
        >>> accountant = PrivacyAccountant(1.0, unit="epsilon")
        >>> accountant.spend_parallel("a count by sex", {"men": 1.0, "women": 0.5}, by=["sex"])
        1.0
        >>> accountant.price("replace"), accountant.price("replace within a group", ["sex"])
        (2.0, 2.0)
        """
        validate.instance("costs", costs, Mapping)
        validate.require(len(costs) > 0, "costs", "the prices of one part or more", costs)
        paid = {str(name): self._account(str(name), c) for name, c in costs.items()}
        parts = {
            n: validate.budget(f"{self.unit} of {n!r}", a.spent, **_RANGE) for n, a in paid.items()
        }
        inside = tuple(tuple(account.entries) for account in paid.values())
        entry = Entry(what, 0.0, "parts", {}, {}, parts, columns(by), inside)
        every = {name for grouping in entry.groupings() for name in grouping}
        entry = replace(entry, prices={r: entry.price(r, every) for r in RELATIONS})
        first = next(iter(paid.values()))
        cost = self._charge(entry, first.relation or ADD_OR_REMOVE, first.by)
        for account in paid.values():
            account.is_part = True
        return cost

    def _account(self, name: str, cost: float | PrivacyAccountant) -> PrivacyAccountant:
        """The account of one part, or one of a single look at ``cost``."""
        if not isinstance(cost, PrivacyAccountant):
            cost = validate.budget(f"{self.unit} of {name!r}", cost, **_RANGE)
            account = PrivacyAccountant(cost, unit=self.unit)
            account.spend(name, cost)
            return account
        if cost.unit != self.unit:
            raise ValueError(
                f"the accountant of each part must be in {self.unit}, got one in {cost.unit}"
            )
        return cost

    def note_exact(self, what: str, by: Sequence[str]) -> None:
        """Note that the rows of the groups by the columns ``by`` were counted without noise.

        They are the same for both neighbours if one row changes and keeps these columns; the number
        of all rows (no columns) if one row changes.
        """
        names = columns(by)
        self._require_whole()
        widest = math.inf if names else 0.0
        found = {ADD_OR_REMOVE: math.inf, REPLACE: widest, WITHIN: 0.0}
        self.entries.append(
            Entry(what, 0.0, "exact count", {WITHIN if names else REPLACE: 0.0}, found, by=names)
        )

    def note_oracle(self, what: str) -> None:
        """Note what was taken for public and may not be: not charged, and no part of any price."""
        self.entries.append(Entry(what, 0.0, "oracle", {}, dict.fromkeys(RELATIONS, 0.0)))

    def require(self, what: str, cost: float) -> None:
        """Raise a ``ValueError`` if ``cost`` is more than is left (to 10^-9 of the budget)."""
        cost = validate.budget(self.unit, cost, low=0, high=math.inf)
        if math.fsum([self.spent, cost]) > self.budget * (1 + ROUNDING):
            raise ValueError(
                f"{self.unit} for {what!r} must be at most the {self.left:.10g} that is left of"
                f" {self.budget:.10g}, got {cost:.10g}"
            )

    def _charge(self, entry: Entry, relation: str, by: tuple[str, ...]) -> float:
        """Note ``entry`` at its price under the relation of this account, or this first one."""
        relation, by = (relation, by) if self.relation is None else (self.relation, self.by)
        cost = entry.price(relation, by, exact=False)
        if math.isinf(cost):
            among = f" (keeping {', '.join(by)})" if by else ""
            what = f"bounded for {relation!r}{among}, which the budget counts"
            raise validate.refusal(f"sensitivity of {entry.what!r}", what, _stated(entry))
        with _ONE_AT_A_TIME:
            self._require_whole()
            self.require(entry.what, cost)
            self.relation, self.by = relation, by
            self.entries.append(replace(entry, cost=cost))
        return cost

    def _require_whole(self) -> None:
        """Raise a ``ValueError`` where another accountant has the sum of this one already."""
        if self.is_part:
            what = "one that is no part of another's entry, for another look at the data"
            raise validate.refusal("accountant", what, self)

    def __repr__(self) -> str:
        relation = "" if self.relation is None else f" relation={self.relation!r},"
        return (
            f"PrivacyAccountant({self.unit}={self.budget:.10g}, spent={self.spent:.10g},"
            f"{relation} entries={len(self.entries)})"
        )


def _require_names(by: tuple[str, ...], relations: Sequence[str | None] | Mapping) -> None:
    """Raise a ``ValueError`` unless there are columns where a relation is within groups."""
    if WITHIN in relations:
        validate.require(len(by) > 0, "by", "the names of the columns of the groups", by)


def _stated(entry: Entry) -> object:
    return dict(entry.sensitivity) if entry.sensitivity else dict(entry.prices)
