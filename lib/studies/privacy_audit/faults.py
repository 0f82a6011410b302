"""Faults planted in the mechanisms, which the audit must catch, and one use of the data that it
must let pass.

Each fault is a mistake that somebody made or could make. It is planted for as long as a ``with``
lasts, by replacing a function of the package or by calling a mechanism in another way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from unittest.mock import patch

import numpy as np
import pandas as pd

from lib import validate
from lib.domain import Domain
from lib.dp import Exponential, Gaussian, Laplace, choose, noisy
from lib.means.grouped import Interval
from lib.means.stratified import strat_coinpress
from lib.studies.privacy_audit.cases import BUDGET, DELTA, DOMAIN, ROUNDS, Case, cases
from lib.studies.privacy_audit.replay import Fit
from lib.synth import GEM, MST, Stratified
from lib.synth.base import Fitted, Synthesizer
from lib.synth.domain_compression import Compression
from lib.synth.gem import published_spending
from lib.synth.marginal_model import estimate
from lib.synth.stratified import group_sizes
from lib.synth.workload import counts

__all__ = ["FAULTS", "Fault", "fault"]

LONE, MANY = "the only one of a group leaves", "one of many leaves"
LONE_VALUE, VALUE = "the only one of a group changes", "one of many changes"
_MST = MST(iterations=3)


@dataclass(frozen=True)
class Fault:
    """A mistake in one case, on one pair of tables.

    Attributes
    ----------
    name, title : str
    case, pair : str
        Where it is planted.
    check : str
        The check that must fail; empty if none may.
    target : str
        The function of the package that is replaced, as ``module.name``; empty if none is.
    instead : object
        What replaces it.
    fit : callable, optional
        Makes a fit from the case's own.
    """

    name: str
    title: str
    case: str
    pair: str
    check: str
    target: str = ""
    instead: object = None
    fit: Callable[[Fit], Fit] | None = None

    @contextmanager
    def planted(self) -> Iterator[Case]:
        """The case, with the fault in it."""
        whole = cases()[self.case]
        with patch(self.target, self.instead) if self.target else nullcontext():
            yield whole if self.fit is None else replace(whole, fit=self.fit(whole.fit))


def _release_half(self: Gaussian, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return values + rng.standard_normal(np.shape(values)) * self.sigma / 2


def _release_one(self: Gaussian, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return values + rng.standard_normal() * np.ones(np.shape(values)) * self.sigma


def _release_again(self: Gaussian, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    state = rng.bit_generator.state
    rng.standard_normal(np.shape(values))
    again = np.random.default_rng(state["state"]["inc"] % 2**32)  # equal for every look of a fit
    return values + again.standard_normal(np.shape(values)) * self.sigma


def _half_as_sensitive(mechanism: Callable) -> Callable:
    return lambda sensitivity, scale=None, **law: mechanism(sensitivity=sensitivity / 2, **law)


def _select_best(self: Exponential, scores: np.ndarray, rng: np.random.Generator) -> int:
    rng.random()
    return int(np.argmax(scores))


def _choose_uncharged(mechanism, scores, rng, what, accountant=None):
    return choose(mechanism, scores, rng, what)


def _choose_unseen(mechanism, scores, rng, what, accountant=None):
    accountant.spend(what, mechanism.rho, kind="selection")
    return int(mechanism.select(scores, rng))


_of_rho, _sizes = Exponential.of_rho, Stratified._sizes


def _exact_weights(
    self: Stratified, data: pd.DataFrame, domain: Domain, accountant: object, rng: object
) -> np.ndarray:
    _sizes(self, data, domain, accountant, rng)
    return group_sizes(data, domain, self.by)


def _strata_of_the_data(
    self: Stratified, data: pd.DataFrame, domain: Domain, accountant: object, rng: object
) -> np.ndarray:
    there = group_sizes(data, domain, self.by) > 0
    return np.where(there, np.maximum(_sizes(self, data, domain, accountant, rng), 1.0), 0.0)


def _exact_total(mechanism, values, rng, what, accountant=None, sensitivity=None):
    answer = noisy(mechanism, values, rng, what, accountant, sensitivity)
    return np.asarray(values, dtype=float) if what == "number of rows" else answer


def _overspending(fit: Fit) -> Fit:
    """Every round gets the declared epsilon as its own parameter, as in the published
    experiment.
    """
    declared = cases()["gem_cell"].promise.epsilon_at(DELTA)
    spent = published_spending(declared, rounds=ROUNDS)["rho"]
    gem = GEM(rounds=ROUNDS, steps=1, hidden=(4,), inputs=2, batch=4, variant="cell", alpha=0.67)
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
    sizes = {(0,): 9, (1,): 1}
    return lambda table, rng: Stratified(inner=_Everyone(table), by=("a",), sizes=sizes).fit(
        table, DOMAIN, BUDGET, rng
    )


def _counted_sizes(fit: Fit) -> Fit:
    return lambda table, rng: Stratified(inner=_MST, by=("a",)).fit(table, DOMAIN, BUDGET, rng)


def _interval_of_the_data(fit: Fit) -> Fit:
    groups = np.array([0, 0, 0, 0, 0, 1, 1, 2])

    def fitted(values: np.ndarray, rng: np.random.Generator) -> object:
        interval = Interval(low=values.min(), high=values.max(), sigma=0.5)
        return strat_coinpress(values, groups, 3, interval, rho=BUDGET, rng=rng)

    return fitted


def _unclipped(values: np.ndarray, sizes: np.ndarray, low: object, high: object) -> np.ndarray:
    return np.add.reduceat(values, np.cumsum(sizes) - sizes) / sizes


FAULTS: dict[str, Fault] = {
    f.name: f
    for f in (
        Fault(
            "half_noise",
            "the sampler draws half the noise",
            "coinpress",
            VALUE,
            "law",
            "lib.dp.Gaussian.release",
            _release_half,
        ),
        Fault(
            "one_noise",
            "all values of a look get the same noise",
            "coinpress",
            VALUE,
            "law",
            "lib.dp.Gaussian.release",
            _release_one,
        ),
        Fault(
            "noise_again",
            "every look of a fit draws the same noise",
            "coinpress",
            VALUE,
            "law",
            "lib.dp.Gaussian.release",
            _release_again,
        ),
        Fault(
            "best_option",
            "the best option is always picked",
            "aim",
            MANY,
            "law",
            "lib.dp.Exponential.select",
            _select_best,
        ),
        Fault(
            "half_deviation",
            "a marginal's sensitivity is taken as 1/2",
            "mst",
            LONE,
            "price",
            "lib.synth.base.gaussian",
            lambda rho: Gaussian(sensitivity=0.5, rho=rho),
        ),
        Fault(
            "half_sensitivity",
            "a mean's sensitivity is halved",
            "laplace",
            VALUE,
            "price",
            "lib.means.grouped.Laplace",
            _half_as_sensitive(Laplace),
        ),
        Fault(
            "sharp_selection",
            "a selection's sensitivity is halved",
            "mst",
            LONE,
            "price",
            "lib.synth.base.Exponential.of_rho",
            lambda rho, *, sensitivity: _of_rho(rho, sensitivity=sensitivity / 2),
        ),
        Fault(
            "no_clipping",
            "values are averaged without clipping",
            "laplace",
            LONE_VALUE,
            "price",
            "lib.means.grouped.clipped_means",
            _unclipped,
        ),
        Fault(
            "uncharged",
            "selections are not charged, so AIM goes on for longer",
            "aim",
            LONE,
            "budget",
            "lib.synth.base.choose",
            _choose_uncharged,
        ),
        Fault(
            "overspending",
            "GEM's published spending: the declared ε in every round",
            "gem_cell",
            LONE,
            "budget",
            fit=_overspending,
        ),
        Fault(
            "overlapping",
            "every stratum is fitted to all rows",
            "stratified_declared",
            MANY,
            "budget",
            fit=_overlapping,
        ),
        Fault(
            "unseen",
            "a selection is charged and then drawn outside of the funnel",
            "mst",
            MANY,
            "beside",
            "lib.synth.base.choose",
            _choose_unseen,
        ),
        Fault(
            "exact_weights",
            "noisy group counts are paid for, exact ones used",
            "stratified_noisy",
            MANY,
            "beside",
            "lib.synth.Stratified._sizes",
            _exact_weights,
        ),
        Fault(
            "strata_of_data",
            "strata are those that occur in the data",
            "stratified_noisy",
            LONE,
            "beside",
            "lib.synth.Stratified._sizes",
            _strata_of_the_data,
        ),
        Fault(
            "counted_sizes",
            "sizes are counted exactly, one row more or less is promised",
            "stratified_declared",
            LONE,
            "beside",
            fit=_counted_sizes,
        ),
        Fault(
            "domain_of_data",
            "codes are those that occur in the data",
            "mst",
            LONE,
            "beside",
            fit=_domain_of_the_data,
        ),
        Fault(
            "exact_merging",
            "codes with fewer than five rows are merged, counted exactly",
            "mst",
            MANY,
            "beside",
            fit=_merging_by_exact_counts,
        ),
        Fault(
            "exact_total",
            "the number of rows is paid for, the exact one used",
            "gem",
            MANY,
            "beside",
            "lib.synth.gem.noisy",
            _exact_total,
        ),
        Fault(
            "interval_of_data",
            "COINPRESS starts from the observed range",
            "coinpress",
            LONE_VALUE,
            "beside",
            fit=_interval_of_the_data,
        ),
        Fault(
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
    return FAULTS[validate.choice("fault", name, list(FAULTS))]
