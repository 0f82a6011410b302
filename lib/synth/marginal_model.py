"""A fitted graphical model under the names of its columns: what MST and AIM return."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from lib import validate
from lib.domain import Domain
from lib.dp import PrivacyAccountant
from lib.synth.base import Fitted, Measurement, estimated_total
from lib.synth.graphical import GraphicalModel, fit_model


@dataclass(frozen=True)
class Round:
    """What one round of a mechanism chose and how far the model moved.

    Nothing in it but post-processing of what was paid for.
    ``selected`` is the marginal; ``epsilon`` and ``sigma`` what choosing and
    measuring it used; ``change`` how far the model moved on it in L1 counts;
    ``annealed`` whether the next round's budget grew.
    """

    selected: tuple[str, ...]
    epsilon: float
    sigma: float
    change: float
    megabytes: float
    annealed: bool


@dataclass(frozen=True)
class MarginalModel(Fitted):
    """A graphical model over named columns, with the accountant of its fit."""

    domain: Domain
    accountant: PrivacyAccountant
    total: float
    model: GraphicalModel
    measurements: tuple[Measurement, ...]
    rounds: tuple[Round, ...] = field(default=())

    def marginal(self, columns: Sequence[str]) -> np.ndarray:
        """Shares of the cells of ``columns`` under the model."""
        return self.model.marginal(positions(self.domain, columns))

    def sample(self, n: int, rng: np.random.Generator) -> pd.DataFrame:
        """``n`` rows drawn from the model."""
        validate.generator("rng", rng)
        rows = self.model.sample(validate.integer("n", n, low=0), rng)
        return self.domain.narrow(pd.DataFrame(rows, columns=list(self.domain.columns)))


def positions(domain: Domain, columns: Sequence[str]) -> tuple[int, ...]:
    """The places of ``columns`` in ``domain``.

    Examples
    --------
    >>> positions(Domain.of({"a": 2, "b": 3}), ("b", "a"))
    (1, 0)
    """
    every = domain.columns
    return tuple(every.index(validate.choice("column", column, every)) for column in columns)


def estimate(
    domain: Domain,
    measurements: Sequence[Measurement],
    *,
    start: GraphicalModel | None = None,
    iterations: int,
) -> tuple[GraphicalModel, float]:
    """The model nearest to ``measurements``, and the number of rows they say there are."""
    total = estimated_total(measurements)
    measured = [(positions(domain, m.columns), m.noisy, m.sigma) for m in measurements]
    return fit_model(domain.sizes, measured, total, start=start, iterations=iterations), total
