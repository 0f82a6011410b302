"""The stratified wrapper: one synthesizer fitted in each group, combined by the groups' weights.

Groups are the crossings of declared columns. A row is in one group, so by
parallel composition the fits cost as much as the most expensive of them: each gets the
whole of what is left of the budget. What is promised depends on where the
weights come from by which groups are drawn, and which groups are fitted at all:

``weights="public"`` with ``sizes``
    Sizes that the caller knows from elsewhere. Every group of a positive size is
    fitted, also one of which the table has nobody; rows of a group of size 0 are
    never looked at. ``rho``-zCDP, one row added or removed.
``weights="public"`` without ``sizes``, the default and the paper's setting
    Sizes are counted in the table and released exactly: how many rows each group
    has and which groups exist is **not covered by rho**, and one row more or less
    can be seen for certain (a group of one appears or vanishes). What remains is
    for neighbours of equal sizes, in which one person has other values and stays
    in the group, and at a higher price: a Gaussian measurement costs twice its
    entry, a selection up to four times (:attr:`StratifiedModel.cost_within`).
``weights="noisy"`` and ``"projected"``
    Counted with noise, which is paid for first. ``rho``-zCDP, one row added or
    removed. They differ in what becomes of noise below 0: see :mod:`lib.synth.group_sizes`.

The exact count is an entry of the accountant, of infinite price where a row is added
or removed. So a model promises no more than its strata do: if the inner
synthesizer counts something exactly, ``accountant.promise`` of the whole says so,
whatever ``weights`` is.

Small groups, by a stated rule. ``"keep"`` fits every group. ``"drop"`` is what
the published code does with groups of at most 0.1% of the rows: nobody of such
a group is ever generated. ``"merge"`` fits one model, the pool, to all small groups
together, group columns included, so that they share strength instead of
vanishing. People of a group whose noisy size is 0 are in the pool, too.

``threshold="break-even"`` pools the groups that are too small for a model of their own by
:func:`~lib.synth.break_even.break_even`, and fills the pool by the next smallest groups up to that
size. Nobody pays twice: the pool is one part of the table, and each large group another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from lib import validate
from lib.domain import Domain
from lib.dp import PrivacyAccountant, noisy
from lib.synth.base import (
    BUDGET_MAX,
    BUDGET_MIN,
    MARGINAL,
    Fitted,
    Synthesizer,
    gaussian,
    open_accountant,
    share,
)
from lib.synth.break_even import break_even
from lib.synth.group_sizes import (
    Sizes,
    cut_at_zero,
    declared_sizes,
    group_sizes,
    project_sizes,
    size_items,
)
from lib.synth.workload import cell_codes

BREAK_EVEN = "break-even"
# How far the groups' sizes move between neighbours, in L2; they do not if a row stays in its group.
GROUP_COUNTS = MARGINAL | {"replace within a group": 0.0}


@dataclass(frozen=True)
class Stratum:
    """One group, or the merged small ones: its codes, its share of the rows, its model.

    The codes are ``None`` if groups were merged.
    """

    codes: tuple[int, ...] | None
    weight: float
    fitted: Fitted


@dataclass(frozen=True)
class StratifiedModel(Fitted):
    """The mixture of the strata's models.

    ``dropped`` lists the small groups for which nothing is ever generated, by
    ``small="drop"``; groups whose size is 0 have no model either, and are not listed. ``pooled``
    lists those that share a model, ``sizes`` the rows that every group was taken to have, and
    ``least`` is the size up to which a group was small.
    """

    domain: Domain
    accountant: PrivacyAccountant
    total: float
    by: tuple[str, ...]
    strata: tuple[Stratum, ...]
    dropped: tuple[tuple[int, ...], ...]
    pooled: tuple[tuple[int, ...], ...]
    sizes: dict[tuple[int, ...], float]
    least: float

    @property
    def cost_within(self) -> float:
        """``rho`` at which one person's other values are covered, who keeps those of ``by``.

        It is what exact sizes leave to promise. Up to four times what the accountant says, which
        counts one row added or removed. Infinite if a stratum's own fit counted other groups
        exactly: the accountant's promise then names the columns that a person must keep, too.
        """
        return self.accountant.price("replace within a group", self.by)

    def marginal(self, columns: Sequence[str]) -> np.ndarray:
        """Shares of the cells of ``columns``: the strata's, weighted by size."""
        table = np.zeros(self.domain.project(columns).sizes)
        for stratum in self.strata:
            if stratum.codes is None:
                table += stratum.weight * stratum.fitted.marginal(columns)
                continue
            fixed = dict(zip(self.by, stratum.codes, strict=True))
            inner = [c for c in columns if c not in fixed]
            place = tuple(fixed.get(c, slice(None)) for c in columns)
            table[place] += stratum.weight * (stratum.fitted.marginal(inner) if inner else 1.0)
        return table

    def sample(self, n: int, rng: np.random.Generator) -> pd.DataFrame:
        """``n`` rows in random order, each stratum's number its share of ``n`` up to rounding."""
        validate.generator("rng", rng)
        weights = np.array([s.weight for s in self.strata])
        sizes = _apportion(weights, validate.integer("n", n, low=0), rng)
        parts = []
        for stratum, size in zip(self.strata, sizes, strict=True):
            part = stratum.fitted.sample(int(size), rng)
            if stratum.codes is not None:
                part = part.assign(**dict(zip(self.by, stratum.codes, strict=True)))
            parts.append(part[list(self.domain.columns)])
        whole = pd.concat(parts, ignore_index=True)
        whole = whole.iloc[rng.permutation(len(whole))].reset_index(drop=True)
        return self.domain.narrow(whole)


@dataclass(frozen=True, kw_only=True)
class Stratified(Synthesizer):
    """Parameters of the wrapper.

    Parameters
    ----------
    inner : Synthesizer
        Fitted in each group, on the other columns (but see ``keep_columns``).
    by : tuple of str
        Columns whose crossings are the groups.
    weights : {"public", "noisy", "projected"}, optional
        Exact group sizes, declared or (not covered by the budget) counted; or noisy
        counts at ``count_share`` of the budget, cut at 0 or projected. See the module. By default
        "public", as published; "projected" with ``threshold="break-even"`` and no ``sizes``.
    sizes : mapping of tuples of codes to rows, or array with an axis for each of ``by``, optional
        For ``weights="public"``: the sizes of all groups, zeros too, known from
        elsewhere; in rows, of which shares and the total are made. They must not be
        counted in ``data``. Kept as a sorted tuple of ``(codes, rows)``.
    count_share : float
        Used by noisy counts only.
    small : {"keep", "drop", "merge"}, optional
        What becomes of groups whose share is at most ``threshold``. By default "keep"; "merge" with
        ``threshold="break-even"``, which knows no other.
    threshold : float or "break-even"
        A share of the rows, by default the published 0.001; from 1 on every group is small. Or the
        size that :func:`~lib.synth.break_even.break_even` gives for what the models may spend.
    keep_columns : bool
        Whether the columns of ``by`` stay in each group's model, as columns of one code. That is
        what the published code does. A three-way marginal may then be one of two other columns.

    Examples
    --------
    >>> domain = Domain.of({"sex": 2, "a": 2, "b": 2})
    >>> people = pd.DataFrame({"sex": [0, 1] * 20, "a": [0, 1] * 20, "b": [0, 0, 1, 1] * 10})
    >>> from lib.synth import MST
    >>> mst = Stratified(inner=MST(iterations=50), by=("sex",))
    >>> model = mst.fit(people, domain, rho=1.0, rng=np.random.default_rng(0))
    >>> [(stratum.codes, stratum.weight) for stratum in model.strata]
    [((0,), 0.5), ((1,), 0.5)]
    """

    inner: Synthesizer
    by: tuple[str, ...]
    weights: str | None = None
    sizes: Sizes | None = None
    count_share: float = 0.05
    small: str | None = None
    threshold: float | str = 0.001
    keep_columns: bool = False

    def __post_init__(self) -> None:
        validate.instance("inner", self.inner, Synthesizer)
        validate.fields(self, "by", validate.names)
        validate.fields(self, "keep_columns", validate.boolean)
        different = len(set(self.by)) == len(self.by) > 0
        validate.require(different, "by", "a tuple of one or more different columns", self.by)
        pools = self.threshold == BREAK_EVEN
        noisy_sizes = pools and self.sizes is None
        for name, default in (
            ("weights", "projected" if noisy_sizes else "public"),
            ("small", "merge" if pools else "keep"),
        ):
            if getattr(self, name) is None:
                object.__setattr__(self, name, default)
        validate.choice("weights", self.weights, ("public", "noisy", "projected"))
        if self.sizes is not None:
            validate.require(
                self.weights == "public", "weights", "'public' with sizes", self.weights
            )
            object.__setattr__(self, "sizes", size_items(self.sizes, len(self.by)))
        share("count_share", self.count_share)
        validate.choice("small", self.small, ("merge",) if pools else ("keep", "drop", "merge"))
        if not pools:
            what = f"a positive share of the rows or {BREAK_EVEN!r}"
            fits = not isinstance(self.threshold, str)
            validate.require(fits, "threshold", what, self.threshold)
            check = validate.positive if self.small == "merge" else validate.fraction
            validate.fields(self, "threshold", check)

    @property
    def name(self) -> str:  # type: ignore[override]
        """``"aim_SEX_RAC1P"``."""
        return "_".join((self.inner.name, *self.by))

    def fit(
        self, data: pd.DataFrame, domain: Domain, *, rho: float, rng: np.random.Generator
    ) -> StratifiedModel:
        """As :meth:`Synthesizer.fit`; ``weights`` and ``sizes`` decide what ``rho`` covers."""
        accountant = open_accountant(data, domain, rho, rng)
        budget = accountant.budget
        rest = self._rest(domain)
        if self.weights != "public":
            what = f"rho={budget!r} less count_share={self.count_share!r} of it"
            validate.budget(what, (1 - self.count_share) * budget, low=BUDGET_MIN, high=BUDGET_MAX)
        self.inner.require_memory(domain if self.small == "merge" else rest)
        sizes = self._sizes(data, domain, accountant, rng)
        left = accountant.rho - accountant.spent
        least = self._least(domain, sizes, left)
        alone, pool, dropped = self._sort_out(sizes, least)

        names = list(np.ndindex(*(domain[c] for c in self.by)))
        codes = cell_codes(data, domain, self.by)
        tasks: list[tuple] = [
            (names[g], sizes[g], self._inside(data[codes == g], rest), rest) for g in alone
        ]
        if pool:
            tasks.append((None, sizes[pool].sum(), data[np.isin(codes, pool)], domain))
        whole, strata = sum(size for _, size, _, _ in tasks), []
        for (name, size, rows, columns), own in zip(tasks, rng.spawn(len(tasks)), strict=True):
            fit = self.inner.fit(rows.reset_index(drop=True), columns, rho=left, rng=own)
            strata.append(Stratum(name, float(size / whole), fit))
        costs = {self._label(stratum.codes): stratum.fitted.accountant for stratum in strata}
        accountant.spend_parallel("groups", costs, by=self.by)
        total = max(1.0, float(sizes.sum()))
        never, pooled = (tuple(names[g] for g in sorted(some)) for some in (dropped, pool))
        known = dict(zip(names, sizes.tolist(), strict=True))
        by, models = tuple(self.by), tuple(strata)
        return StratifiedModel(domain, accountant, total, by, models, never, pooled, known, least)

    def _rest(self, domain: Domain) -> Domain:
        """The domain of the columns that are fitted in each group."""
        for column in self.by:
            validate.choice("by", column, domain.columns)
        others = [c for c in domain.columns if c not in self.by]
        if not others:
            raise ValueError(f"by must leave at least one column to fit, got {self.by!r}")
        if not self.keep_columns:
            return domain.project(others)
        return Domain.of({c: 1 if c in self.by else domain[c] for c in domain.columns})

    def _inside(self, rows: pd.DataFrame, rest: Domain) -> pd.DataFrame:
        """The rows of a group, with what its model has of their columns."""
        kept = rows[list(rest.columns)]
        return kept.assign(**dict.fromkeys(self.by, 0)) if self.keep_columns else kept

    def _sizes(self, data, domain, accountant, rng) -> np.ndarray:
        if self.sizes is not None:
            return declared_sizes(dict(self.sizes), domain.project(self.by).sizes)
        sizes = group_sizes(data, domain, self.by)
        what = "group counts"
        if self.weights == "public":
            what = f"{what}: how many rows each group has, and which groups exist"
            accountant.note_exact(what, self.by)
        else:
            mechanism = gaussian(self.count_share * accountant.rho)
            counted = noisy(mechanism, sizes, rng, what, accountant, GROUP_COUNTS, by=self.by)
            sizes = (cut_at_zero if self.weights == "noisy" else project_sizes)(counted)
        if not sizes.sum() > 0:
            raise ValueError(
                "data must have rows in at least one group, got none (with noisy weights: raise the"
                " budget)"
            )
        return sizes

    def _label(self, codes: tuple[int, ...] | None) -> str:
        if codes is None:
            return "small groups"
        return ",".join(f"{c}={k}" for c, k in zip(self.by, codes, strict=True))

    def _least(self, domain: Domain, sizes: np.ndarray, rho: float) -> float:
        """Rows up to which a group is small."""
        if isinstance(self.threshold, str):
            return break_even(domain, by=self.by, rho=rho, mechanism=self.inner)
        return 0.0 if self.small == "keep" else self.threshold * float(sizes.sum())

    def _sort_out(self, sizes: np.ndarray, least: float) -> tuple[list[int], list[int], list[int]]:
        """Groups to fit alone, to pool, and to drop; one whose size is known to be 0 is in none."""
        large = np.flatnonzero(sizes > least).tolist()
        small = np.flatnonzero((sizes > 0) & (sizes <= least)).tolist()
        if self.small != "merge":
            return large, [], small
        if self.weights != "public":  # where noise says 0 there may be people
            small += np.flatnonzero(sizes == 0).tolist()
        if self.threshold == BREAK_EVEN:
            while small and large and sizes[small].sum() < least:
                small.append(large.pop(int(np.argmin(sizes[large]))))
        return large, small if sizes[small].sum() > 0 else [], []


def _apportion(weights: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """``n`` split by ``weights``: whole parts, then the rest at random by what was cut off."""
    exact = weights * n
    whole = np.floor(exact).astype(int)
    missing = n - int(whole.sum())
    if missing > 0:
        over = np.maximum(exact - whole, 1e-12)
        whole[rng.choice(len(weights), missing, replace=False, p=over / over.sum())] += 1
    return whole
