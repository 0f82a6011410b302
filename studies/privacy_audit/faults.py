"""Faults planted in the mechanisms, which the audit must catch.

Each is a mistake that somebody made or could make. It is planted for as long as a ``with`` lasts,
by replacing a function of the package or by calling a mechanism in another way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

import numpy as np

from lib import validate
from lib.dp import Gaussian, noisy
from lib.synth import GEM
from lib.synth.gem import published_spending
from studies.privacy_audit.cases import BUDGET, DELTA, DOMAIN, FEW_STEPS, ROUNDS, Case, cases
from studies.privacy_audit.empirical_delta import Promise


@dataclass(frozen=True)
class Fault:
    """A mistake in one case, on one pair of tables.

    Attributes
    ----------
    title : str
    case, pair : str
        Where it is planted.
    check : str
        The check that must fail.
    instead : callable
        What replaces ``target``; without a target, the fit of the case.
    target : str
        The function of the package that is replaced, as ``module.name``; empty if none is.
    runs : int
        How many it takes, with some to spare.
    """

    title: str
    case: str
    pair: str
    check: str
    instead: Callable
    target: str = ""
    runs: int = 130

    @contextmanager
    def planted(self) -> Iterator[Case]:
        """The case, with the fault in it for as long as a ``with`` lasts."""
        whole = cases()[self.case]
        if self.target:
            with patch(self.target, self.instead):
                yield whole
        else:
            yield replace(whole, fit=self.instead)


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
    return GEM(**FEW_STEPS, variant="cell", alpha=0.67).fit(table, DOMAIN, spent, rng)


FAULTS = {
    "half_noise": Fault(
        title="the sampler draws half the noise",
        case="coinpress",
        pair="one of many changes",
        check="law",
        instead=_half_noise,
        target="lib.dp.Gaussian.release",
    ),
    "noise_again": Fault(
        title="every look of a fit draws the same noise",
        case="coinpress",
        pair="one of many changes",
        check="law",
        instead=_noise_again,
        target="lib.dp.Gaussian.release",
    ),
    "mean_by_size": Fault(
        title="noise is scaled to the exact number of rows",
        case="mst",
        pair="one of many leaves",
        check="price",
        instead=_mean_by_size,
    ),
    "overspending": Fault(
        title="GEM's published spending: the declared ε in every round",
        case="gem_cell",
        pair="the only one of a group leaves",
        check="budget",
        instead=_overspending,
    ),
}


def fault(name: str) -> Fault:
    """One of :data:`FAULTS`."""
    return FAULTS[validate.choice("fault", name, FAULTS)]
