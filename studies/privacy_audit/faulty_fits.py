"""Fits that release what no look covers, or spend what they do not have; each has the name of its
fault in ``data/privacy_faults.yml``, behind an underscore.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from unittest.mock import patch

import numpy as np
import pandas as pd

from lib.domain import Domain
from lib.dp import Exponential, Gaussian, choose, noisy
from lib.synth import GEM, MST, Stratified
from lib.synth.base import Fitted, Synthesizer
from lib.synth.domain_compression import Compression
from lib.synth.gem import published_spending
from lib.synth.marginal_model import estimate
from lib.synth.workload import counts
from studies.privacy_audit.cases import (
    BUDGET,
    DELTA,
    DOMAIN,
    FEW_STEPS,
    ROUNDS,
    SIZES,
    clipped_laplace,
    coinpress,
)
from studies.privacy_audit.empirical_delta import Promise

_MST = MST(iterations=3)


def _fit(table: pd.DataFrame, rng: np.random.Generator) -> Fitted:
    return _MST.fit(table, DOMAIN, BUDGET, rng)


def _with(extra: Callable) -> Callable:
    """MST's model, and beside it ``extra(table, model)``."""

    def fit(table, rng):
        model = _fit(table, rng)
        return model, extra(table, model)

    return fit


def _overspending(table, rng):
    """Each round gets the declared epsilon as its own parameter, as in the published experiment."""
    spent = published_spending(Promise(rho=BUDGET).epsilon_at(DELTA), rounds=ROUNDS)["rho"]
    return GEM(**FEW_STEPS, variant="cell", alpha=0.67).fit(table, DOMAIN, spent, rng)


def _domain_of_data(table, rng):
    return _MST.fit(table, Domain.of({c: int(table[c].max()) + 1 for c in table}), BUDGET, rng)


def _exact_merging(table, rng):
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


def _mean_by_size(table, rng):
    """Mean code with noise for the exact number of rows."""
    law = Gaussian(sensitivity=3 / max(len(table), 1), rho=BUDGET)
    return noisy(law, table["b"].mean(), rng, "mean code")


def _choice_by_size(table, rng):
    law = Exponential.of_rho(BUDGET, sensitivity=10 / (1 + len(table)))
    return choose(law, np.bincount(table["b"], minlength=4), rng, "commonest code")


def _looks_until_small(table, rng):
    """As many looks as there are rows with code 0 in column ``b``."""
    law = Gaussian(sensitivity=1.0, rho=BUDGET / 20)
    return [noisy(law, len(table), rng, "rows") for _ in range(int((table["b"] == 0).sum()))]


def _refusing(table, rng):
    if len(table) < 10:
        raise ValueError(f"data must have 10 rows or more, got {len(table)}")
    return _fit(table, rng)


@_with
def _subclass(table, model):
    class Shares(np.ndarray):
        rows = 0

    shares = np.zeros(3).view(Shares)
    shares.rows = len(table)
    return shares


def _fitted_on(table, rng):
    model = _fit(table, rng)
    object.__setattr__(model, "fitted_on", table)
    return model


def _counted_sizes(table, rng):
    return Stratified(inner=_MST, by=("a",)).fit(table, DOMAIN, BUDGET, rng)


def _interval_of_data(table, rng):
    return coinpress(table, rng, low=table.values.min(), high=table.values.max())


def _range_of_data(table, rng, mean=clipped_laplace):
    most = np.abs(table.values).max()
    return mean(table, rng, low=-most, high=most)


_radius_of_data = partial(_range_of_data, mean=coinpress)
_negative_zero = _with(lambda table, model: -0.0 if len(table) % 2 else 0.0)
_narrow_type = _with(lambda table, model: np.zeros(2, np.int16 if len(table) % 2 else np.int32))
_order_of_keys = _with(lambda table, model: dict.fromkeys(table["b"].value_counts().index, 0))
_row_labels = _with(lambda table, model: pd.DataFrame({"x": [0]}, index=[len(table)]))
_closure = _with(lambda table, model: lambda: table)
_parity = _with(lambda table, model: 2 * round(model.total / 2) + len(table) % 2)


@_with
def _table_note(table, model):
    frame = pd.DataFrame({"x": [0]})
    frame.attrs["source"] = f"{len(table)} rows"
    return frame


def _twice(domain, measured, **options):
    return estimate(domain, [*measured, *measured], **options)
