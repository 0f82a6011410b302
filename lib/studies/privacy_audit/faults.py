"""Faults planted in the mechanisms, which the audit must catch, and one use that is no fault.

Each fault is a mistake that somebody made or could make. It is planted for as long as a ``with``
lasts, by replacing a function of the package or by calling a mechanism in another way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from unittest.mock import patch

import numpy as np
import pandas as pd

from lib import validate
from lib.domain import Domain
from lib.dp import Exponential, Gaussian, Laplace, choose, noisy
from lib.dp.empirical_delta import Promise
from lib.files import read_yaml
from lib.paths import DATA
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
from lib.synth import GEM, MST, Stratified
from lib.synth.base import Fitted, Synthesizer
from lib.synth.domain_compression import Compression
from lib.synth.gem import published_spending
from lib.synth.marginal_model import estimate
from lib.synth.stratified import group_sizes
from lib.synth.workload import counts

_MST = MST(iterations=3)


@dataclass(frozen=True)
class Fault:
    """A mistake in one case, on one pair of tables.

    Attributes
    ----------
    title : str
    case, pair : str
        Where it is planted.
    instead : callable
        What replaces ``target``; without a target, the fit of the case.
    check : str
        The check that must fail; empty if none may.
    target : str
        The function of the package that is replaced, as ``module.name``; empty if none is.
    """

    title: str
    case: str
    pair: str
    instead: Callable
    check: str = ""
    target: str = ""

    @contextmanager
    def planted(self) -> Iterator[Case]:
        """The case, with the fault in it for as long as a ``with`` lasts."""
        whole = cases()[self.case]
        if self.target:
            with patch(self.target, self.instead):
                yield whole
        else:
            yield replace(whole, fit=self.instead)


# --- what replaces a function of the package


def _release_again(self, values, rng):
    state = rng.bit_generator.state
    rng.standard_normal(np.shape(values))
    again = np.random.default_rng(state["state"]["inc"] % 2**32)  # equal for every look of a fit
    return values + again.standard_normal(np.shape(values)) * self.sigma


def _half_deviation(rho):
    """A law that states a sensitivity of 1 and has the noise for a half."""
    law = Gaussian(sensitivity=1.0, rho=rho)
    object.__setattr__(law, "sigma", law.sigma / 2)  # a stated half would be refused
    return law


def _half_as_sensitive(sensitivity, scale, **law):
    return Laplace(sensitivity=sensitivity / 2, **law)


def _select_best(self, scores, rng):
    rng.random()
    return int(np.argmax(scores))


def _choose_unseen(mechanism, scores, rng, what, accountant):
    accountant.spend(what, mechanism.rho, kind="selection")
    return int(mechanism.select(scores, rng))


_of_rho, _sizes = Exponential.of_rho, Stratified._sizes


def _exact_weights(self, data, domain, *rest):
    _sizes(self, data, domain, *rest)
    return group_sizes(data, domain, self.by)


def _strata_of_the_data(self, data, domain, *rest):
    sizes = np.maximum(_sizes(self, data, domain, *rest), 1.0)
    return np.where(group_sizes(data, domain, self.by) > 0, sizes, 0.0)


def _exact_total(mechanism, values, rng, what, *rest):
    answer = noisy(mechanism, values, rng, what, *rest)
    return np.asarray(values, dtype=float) if what == "number of rows" else answer


# --- what replaces the fit of a case


def _overspending(table, rng):
    """Each round gets the declared epsilon as its own parameter, as in the published experiment."""
    declared = Promise(rho=BUDGET).epsilon_at(DELTA)
    spent = published_spending(declared, rounds=ROUNDS)["rho"]
    return GEM(**FEW_STEPS, variant="cell", alpha=0.67).fit(table, DOMAIN, spent, rng)


def _domain_of_the_data(table, rng):
    domain = Domain.of({c: int(table[c].max()) + 1 for c in table})
    return _MST.fit(table, domain, BUDGET, rng)


def _merging_by_exact_counts(table, rng):
    merge = Compression.of

    def of(domain, ones, threshold):
        exact = (replace(m, noisy=counts(table, domain, m.columns), sigma=1.0) for m in ones)
        return merge(domain, tuple(exact), 4.5)  # fewer than five rows are merged

    with patch("lib.synth.mst.Compression.of", of):
        return _MST.fit(table, DOMAIN, BUDGET, rng)


@dataclass(frozen=True)
class _Everyone(Synthesizer):
    """Fits each stratum to the whole table."""

    table: pd.DataFrame
    name: str = "everyone"

    def fit(self, data, domain, budget, rng) -> Fitted:
        return _MST.fit(self.table[list(domain.columns)], domain, budget, rng)


def _overlapping(table, rng):
    strata = Stratified(inner=_Everyone(table), by=("a",), sizes=SIZES)
    return strata.fit(table, DOMAIN, BUDGET, rng)


_INSTEAD: dict[str, Callable] = {
    "half_noise": lambda self, values, rng: (
        values + rng.standard_normal(np.shape(values)) * self.sigma / 2
    ),
    "one_noise": lambda self, values, rng: (
        values + rng.standard_normal() * np.ones(np.shape(values)) * self.sigma
    ),
    "noise_again": _release_again,
    "best_option": _select_best,
    "half_deviation": _half_deviation,
    "half_sensitivity": _half_as_sensitive,
    "sharp_selection": lambda rho, *, sensitivity: _of_rho(rho, sensitivity=sensitivity / 2),
    "no_clipping": lambda parts, low, high: parts.total / parts.own,
    "uncharged": lambda mechanism, scores, rng, what, accountant: choose(
        mechanism, scores, rng, what
    ),
    "overspending": _overspending,
    "overlapping": _overlapping,
    "unseen": _choose_unseen,
    "exact_weights": _exact_weights,
    "strata_of_data": _strata_of_the_data,
    "counted_sizes": lambda table, rng: Stratified(inner=_MST, by=("a",)).fit(
        table, DOMAIN, BUDGET, rng
    ),
    "domain_of_data": _domain_of_the_data,
    "exact_merging": _merging_by_exact_counts,
    "exact_total": _exact_total,
    "interval_of_data": lambda values, rng: coinpress(
        values, rng, low=values.min(), high=values.max()
    ),
    "twice": lambda domain, measured, **options: estimate(
        domain, [*measured, *measured], **options
    ),
}
FAULTS: dict[str, Fault] = {
    name: Fault(**about, instead=_INSTEAD[name])
    for name, about in read_yaml(DATA / "privacy_faults.yml", dict).items()
}


def fault(name: str) -> Fault:
    """One of :data:`FAULTS`."""
    return FAULTS[validate.choice("fault", name, FAULTS)]
