"""Faults planted in the mechanisms, which the audit must catch.

Three are mistakes that somebody could make: noise of another scale, noise that is used again, and
noise whose scale depends on the data. The fourth is that of a published experiment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

import numpy as np

from lib import validate
from lib.dp import Gaussian, noisy
from lib.synth import GEM
from lib.synth.gem import published_spending
from studies.privacy_audit.cases import (
    BUDGET,
    DELTA,
    DOMAIN,
    FEW_STEPS,
    ROUNDS,
    Case,
    Values,
    cases,
    coinpress,
)
from studies.privacy_audit.empirical_delta import Promise
from studies.privacy_audit.replay import Fit


@dataclass(frozen=True)
class Fault:
    """A mistake in one mechanism, which shows between one pair of tables.

    Attributes
    ----------
    title : str
    case, pair : str
        Of which mechanism, and where it shows.
    check : str
        The check that must fail.
    fit : callable
        The mechanism with the mistake.
    """

    title: str
    case: str
    pair: str
    check: str
    fit: Fit

    def planted(self) -> Case:
        """The case of the mechanism, with the mistake."""
        return replace(cases()[self.case], fit=self.fit)


def _with_release(release: Callable) -> Fit:
    """COINPRESS with another sampler of normal noise."""

    def fit(table: Values, rng: np.random.Generator) -> object:
        with patch("lib.dp.Gaussian.release", release):
            return coinpress(table, rng)

    return fit


def _half_noise(self: Any, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return values + rng.standard_normal(np.shape(values)) / 2 * self.sigma


def _noise_again(self: Any, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    state = rng.bit_generator.state
    rng.standard_normal(np.shape(values))
    again = np.random.default_rng(state["state"]["inc"] % 2**32)  # equal for every look of a fit
    return values + again.standard_normal(np.shape(values)) * self.sigma


def _mean_by_size(table: Any, rng: np.random.Generator) -> object:
    """Mean code with noise for the exact number of rows."""
    law = Gaussian(sensitivity=3 / max(len(table), 1), rho=BUDGET)
    return noisy(law, table["b"].mean(), rng, "mean code")


def _overspending(table: Any, rng: np.random.Generator) -> object:
    """Each round gets the declared epsilon as its own parameter, as in the published experiment."""
    spent = published_spending(Promise(rho=BUDGET).epsilon_at(DELTA), rounds=ROUNDS)["rho"]
    return GEM(**FEW_STEPS, variant="cell", alpha=0.67).fit(table, DOMAIN, rho=spent, rng=rng)


FAULTS = {
    "half_noise": Fault(
        "the sampler draws half the noise",
        "coinpress",
        "one of many changes",
        "law",
        _with_release(_half_noise),
    ),
    "noise_again": Fault(
        "every look of a fit draws the same noise",
        "coinpress",
        "one of many changes",
        "law",
        _with_release(_noise_again),
    ),
    "mean_by_size": Fault(
        "noise is scaled to the exact number of rows",
        "mst",
        "one of many leaves",
        "price",
        _mean_by_size,
    ),
    "overspending": Fault(
        "GEM's published spending: the declared ε in every round",
        "gem_cell",
        "the only one of a group leaves",
        "budget",
        _overspending,
    ),
}


def fault(name: str) -> Case:
    """A mechanism with one of :data:`FAULTS`."""
    return FAULTS[validate.choice("fault", name, FAULTS)].planted()
