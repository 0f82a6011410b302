"""Faults planted in the mechanisms, which the audit must catch, and one use that is no fault.

Each fault is a mistake that somebody made or could make. It is planted for as long as a ``with``
lasts, by replacing a function of the package or by calling a mechanism in another way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from lib import validate
from lib.domain import Domain
from lib.dp import Exponential, Gaussian, Laplace, choose, noisy
from lib.studies.privacy_audit.cases import (
    BUDGET,
    DELTA,
    DOMAIN,
    FEW_STEPS,
    ROUNDS,
    SIZES,
    Case,
    cases,
    coinpress,
)
from lib.studies.privacy_audit.replay import Fit
from lib.synth import GEM, MST, Stratified
from lib.synth.base import Fitted, Synthesizer
from lib.synth.domain_compression import Compression
from lib.synth.gem import published_spending
from lib.synth.marginal_model import estimate
from lib.synth.stratified import group_sizes
from lib.synth.workload import counts

LONE, MANY = "the only one of a group leaves", "one of many leaves"
LONE_VALUE, VALUE = "the only one of a group changes", "one of many changes"
_MST = MST(iterations=3)


@dataclass(frozen=True)
class Fault:
    """A mistake in one case, on one pair of tables.

    Attributes
    ----------
    title : str
    case, pair : str
        Where it is planted.
    check : str
        The check that must fail; empty if none may.
    target : str
        The function of the package that is replaced, as ``module.name``; empty if none is.
    instead : object
        What replaces it; without a target, makes a fit from the case's own.
    """

    title: str
    case: str
    pair: str
    check: str
    target: str
    instead: Callable

    @contextmanager
    def planted(self) -> Iterator[Case]:
        """The case, with the fault in it for as long as a ``with`` lasts."""
        whole = cases()[self.case]
        if self.target:
            with patch(self.target, self.instead):
                yield whole
        else:
            yield replace(whole, fit=self.instead(whole.fit))


# --- what replaces a function of the package


def _release_again(self: Gaussian, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    state = rng.bit_generator.state
    rng.standard_normal(np.shape(values))
    again = np.random.default_rng(state["state"]["inc"] % 2**32)  # equal for every look of a fit
    return values + again.standard_normal(np.shape(values)) * self.sigma


def _half_as_sensitive(sensitivity: float, scale: object = None, **law: float) -> Laplace:
    return Laplace(sensitivity=sensitivity / 2, **law)


def _select_best(self: Exponential, scores: np.ndarray, rng: np.random.Generator) -> int:
    rng.random()
    return int(np.argmax(scores))


def _choose_unseen(mechanism, scores, rng, what, accountant=None):
    accountant.spend(what, mechanism.rho, kind="selection")
    return int(mechanism.select(scores, rng))


_of_rho, _sizes = Exponential.of_rho, Stratified._sizes


def _exact_weights(self: Stratified, data: pd.DataFrame, domain: Domain, *rest) -> np.ndarray:
    _sizes(self, data, domain, *rest)
    return group_sizes(data, domain, self.by)


def _strata_of_the_data(self: Stratified, data: pd.DataFrame, domain: Domain, *rest) -> np.ndarray:
    sizes = np.maximum(_sizes(self, data, domain, *rest), 1.0)
    return np.where(group_sizes(data, domain, self.by) > 0, sizes, 0.0)


def _exact_total(mechanism, values, rng, what, accountant=None, sensitivity=None):
    answer = noisy(mechanism, values, rng, what, accountant, sensitivity)
    return np.asarray(values, dtype=float) if what == "number of rows" else answer


def _unclipped(parts: Any, low: object, high: object) -> np.ndarray:
    return parts.total / parts.own


# --- what makes a fit from the case's own


def _overspending(fit: Fit) -> Fit:
    """Each round gets the declared epsilon as its own parameter, as in the published experiment."""
    declared = cases()["gem_cell"].promise.epsilon_at(DELTA)
    spent = published_spending(declared, rounds=ROUNDS)["rho"]
    gem = GEM(**FEW_STEPS, variant="cell", alpha=0.67)
    return lambda table, rng: gem.fit(table, DOMAIN, spent, rng)


def _domain_of_the_data(fit: Fit) -> Fit:
    return lambda table, rng: _MST.fit(
        table, Domain.of({c: int(table[c].max()) + 1 for c in table}), BUDGET, rng
    )


def _merging_by_exact_counts(fit: Fit) -> Fit:
    merge = Compression.of

    def merging(table: pd.DataFrame, rng: np.random.Generator) -> object:
        def of(domain, ones, threshold):
            exact = (replace(m, noisy=counts(table, domain, m.columns), sigma=1.0) for m in ones)
            return merge(domain, tuple(exact), 4.5)  # fewer than five rows are merged

        with patch("lib.synth.mst.Compression.of", of):
            return fit(table, rng)

    return merging


@dataclass(frozen=True)
class _Everyone(Synthesizer):
    """Fits each stratum to the whole table."""

    table: pd.DataFrame
    name: str = "everyone"

    def fit(
        self, data: pd.DataFrame, domain: Domain, budget: float, rng: np.random.Generator
    ) -> Fitted:
        return _MST.fit(self.table[list(domain.columns)], domain, budget, rng)


def _overlapping(fit: Fit) -> Fit:
    return lambda table, rng: Stratified(inner=_Everyone(table), by=("a",), sizes=SIZES).fit(
        table, DOMAIN, BUDGET, rng
    )


def _counted_sizes(fit: Fit) -> Fit:
    return lambda table, rng: Stratified(inner=_MST, by=("a",)).fit(table, DOMAIN, BUDGET, rng)


def _interval_of_the_data(fit: Fit) -> Fit:
    return lambda values, rng: coinpress(values, rng, low=values.min(), high=values.max())


FAULTS: dict[str, Fault] = {
    name: Fault(*fault)  # type: ignore[arg-type]
    for name, *fault in (
        (
            "half_noise",
            "the sampler draws half the noise",
            "coinpress",
            VALUE,
            "law",
            "lib.dp.Gaussian.release",
            lambda self, values, rng: (
                values + rng.standard_normal(np.shape(values)) * self.sigma / 2
            ),
        ),
        (
            "one_noise",
            "all values of a look get the same noise",
            "coinpress",
            VALUE,
            "law",
            "lib.dp.Gaussian.release",
            lambda self, values, rng: (
                values + rng.standard_normal() * np.ones(np.shape(values)) * self.sigma
            ),
        ),
        (
            "noise_again",
            "every look of a fit draws the same noise",
            "coinpress",
            VALUE,
            "law",
            "lib.dp.Gaussian.release",
            _release_again,
        ),
        (
            "best_option",
            "the best option is always picked",
            "aim",
            MANY,
            "law",
            "lib.dp.Exponential.select",
            _select_best,
        ),
        (
            "half_deviation",
            "a marginal's sensitivity is taken as 1/2",
            "mst",
            LONE,
            "price",
            "lib.synth.base.gaussian",
            lambda rho: Gaussian(sensitivity=0.5, rho=rho),
        ),
        (
            "half_sensitivity",
            "a mean's sensitivity is halved",
            "laplace",
            VALUE,
            "price",
            "lib.means.grouped.Laplace",
            _half_as_sensitive,
        ),
        (
            "sharp_selection",
            "a selection's sensitivity is halved",
            "mst",
            LONE,
            "price",
            "lib.synth.base.Exponential.of_rho",
            lambda rho, *, sensitivity: _of_rho(rho, sensitivity=sensitivity / 2),
        ),
        (
            "no_clipping",
            "values are averaged without clipping",
            "laplace",
            LONE_VALUE,
            "price",
            "lib.means.grouped._Parts.means",
            _unclipped,
        ),
        (
            "uncharged",
            "selections are not charged, so AIM goes on for longer",
            "aim",
            LONE,
            "budget",
            "lib.synth.base.choose",
            lambda mechanism, scores, rng, what, accountant=None: choose(
                mechanism, scores, rng, what
            ),
        ),
        (
            "overspending",
            "GEM's published spending: the declared ε in every round",
            "gem_cell",
            LONE,
            "budget",
            "",
            _overspending,
        ),
        (
            "overlapping",
            "every stratum is fitted to all rows",
            "stratified_declared",
            MANY,
            "budget",
            "",
            _overlapping,
        ),
        (
            "unseen",
            "a selection is charged and then drawn outside of the funnel",
            "mst",
            MANY,
            "beside",
            "lib.synth.base.choose",
            _choose_unseen,
        ),
        (
            "exact_weights",
            "noisy group counts are paid for, exact ones used",
            "stratified_noisy",
            MANY,
            "beside",
            "lib.synth.Stratified._sizes",
            _exact_weights,
        ),
        (
            "strata_of_data",
            "strata are those that occur in the data",
            "stratified_noisy",
            LONE,
            "beside",
            "lib.synth.Stratified._sizes",
            _strata_of_the_data,
        ),
        (
            "counted_sizes",
            "sizes are counted exactly, one row more or less is promised",
            "stratified_declared",
            LONE,
            "beside",
            "",
            _counted_sizes,
        ),
        (
            "domain_of_data",
            "codes are those that occur in the data",
            "mst",
            LONE,
            "beside",
            "",
            _domain_of_the_data,
        ),
        (
            "exact_merging",
            "codes with fewer than five rows are merged, counted exactly",
            "mst",
            MANY,
            "beside",
            "",
            _merging_by_exact_counts,
        ),
        (
            "exact_total",
            "the number of rows is paid for, the exact one used",
            "gem",
            MANY,
            "beside",
            "lib.synth.gem.noisy",
            _exact_total,
        ),
        (
            "interval_of_data",
            "COINPRESS starts from the observed range",
            "coinpress",
            LONE_VALUE,
            "beside",
            "",
            _interval_of_the_data,
        ),
        (
            "twice",
            "no fault: every measurement is used twice, and paid once",
            "mst",
            LONE,
            "",
            "lib.synth.mst.estimate",
            lambda domain, measured, **options: estimate(domain, [*measured, *measured], **options),
        ),
    )
}


def fault(name: str) -> Fault:
    """One of :data:`FAULTS`."""
    return FAULTS[validate.choice("fault", name, FAULTS)]
