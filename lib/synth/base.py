"""What all synthesizers have in common: ``fit(data, domain, rho=, rng=)``, ``sample(n, rng)``.

Neighbouring tables differ by one added or removed row, so a row moves one cell
of a marginal by one: sensitivity 1 in L1 and in L2, and the number of rows is
not taken for known. Budgets are ``rho`` of zero-concentrated DP. A fit pays for
every look at the data through an accountant that refuses to overspend, and returns
that accountant with the model. The domain is declared by the caller: a code that
never occurs still has its cell, and its noise.

One mechanism promises less: :class:`~lib.synth.stratified.Stratified` with group sizes that
it counts itself, which is its default and the paper's setting. Its sizes are
exact, so neighbours can only be tables in which one person has other values and
stays in the group. The accountant of every fit says by itself which neighbours it
covers, and at what price: ``accountant.promise``, ``accountant.price(relation)``.

Equal generators give equal models to the last bit on one processor under one set of versions, in
any process. Another processor rounds sums and exponentials otherwise, by 1e-16. Measured on 18
stored fits under other kernels and jitter, MST's and AIM's shares then differ by about 1e-9, and
no row or one of 20,000 does, unless noise drowns the rows: in a stratum of a few rows the measured
shares lie far outside [0, 1], descent ends at a distribution with zeros, and there rounding
decides whether a step counts as progress (in two of the 18 fits). Such a stratum gets
another model, as good as the first; its rows are others, and so are the selections of AIM's later
rounds. GEM trains in 32 bits and differs as one fit from another does.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from lib import validate
from lib.domain import Domain
from lib.dp import Exponential, Gaussian, PrivacyAccountant, choose, noisy
from lib.synth.workload import counts

# How far a look moves between neighbours, in L2. A row that changes leaves a cell of a marginal and
# enters another.
MARGINAL = {"add or remove": 1.0, "replace": math.sqrt(2)}
CELL = {"add or remove": 1.0, "replace": 1.0}
ROWS = {"add or remove": 1.0, "replace": 0.0}

SHARE_MIN = 1e-9
# of rho; noise of up to 1e13 rows, whose squares 32-bit training still bears
BUDGET_MIN, BUDGET_MAX = 1e-25, 1e20


class Fitted(ABC):
    """A model that was fitted under differential privacy. Everything it gives is post-processing.

    Attributes
    ----------
    domain : Domain
    accountant : PrivacyAccountant
        What the fit spent, entry by entry.
    total : float
        Estimated number of rows, at least 1.
    """

    domain: Domain
    accountant: PrivacyAccountant
    total: float

    @abstractmethod
    def marginal(self, columns: Sequence[str]) -> np.ndarray:
        """The model's shares on ``columns``, one axis a column in this order; they sum to one."""

    @abstractmethod
    def sample(self, n: int, rng: np.random.Generator) -> pd.DataFrame:
        """``n`` rows of codes, columns as the domain's, in the type of :meth:`Domain.narrow`.

        ``n`` is released with them. The number of rows of the data is covered by no promise of
        "add or remove"; ``round(total)`` is, where nothing was counted exactly.
        """


class Synthesizer(ABC):
    """A mechanism with its parameters; fitting does not change it."""

    name: str

    def require_memory(self, domain: Domain) -> None:  # noqa: B027 - a synthesizer may do without
        """Raise a ``ValueError`` if the tables over ``domain`` would take too much memory.

        It names the estimate and the limit, before anything is spent. By default nothing is
        refused.
        """

    @abstractmethod
    def fit(
        self, data: pd.DataFrame, domain: Domain, *, rho: float, rng: np.random.Generator
    ) -> Fitted:
        """Fit under ``rho``-zCDP (add or remove one row).

        The exception is :class:`~lib.synth.stratified.Stratified` where it counts the groups
        itself (``weights="public"`` without ``sizes``): which groups exist and how
        many rows each has is then released exactly and at no price.

        Parameters
        ----------
        data : DataFrame of codes
            Columns as ``domain``; may be empty.
        domain : Domain
            Declared, never read off ``data``.
        rho : float
            The budget in zCDP, from 1e-25 to 1e20, spent to the last; of an epsilon it is
            ``lib.dp.zcdp_rho(epsilon, delta)``.
        rng : np.random.Generator
            Noise and selection. Equal generators give equal models in any process of one machine
            (see the head of this module for other processors).

        Raises
        ------
        ValueError
            For a budget out of this range, data out of the domain, an ``rng`` of another
            kind, or a domain that needs more memory than the synthesizer allows itself
            (:meth:`require_memory`); nothing is spent then.
        """


def open_accountant(
    data: pd.DataFrame, domain: Domain, rho: float, rng: np.random.Generator
) -> PrivacyAccountant:
    """Check the arguments of a fit; returns an accountant over ``rho``.

    Parameters
    ----------
    data, domain, rho, rng
        As :meth:`Synthesizer.fit` has them.

    Examples
    --------
    >>> people = pd.DataFrame({"a": [0, 1]})
    >>> open_accountant(people, Domain.of({"a": 2}), 0.5, np.random.default_rng(0)).left
    0.5
    """
    validate.generator("rng", rng)
    if len(validate.instance("domain", domain, Domain)) < 1:
        raise ValueError("domain must have at least 1 column, got none")
    domain.check(data, "data")
    return PrivacyAccountant(validate.budget("rho", rho, low=BUDGET_MIN, high=BUDGET_MAX))


def share(name: str, value: float) -> float:
    """A part of a budget, from 1e-9 to 1 - 1e-9: what it buys is noise that a computer can draw."""
    return validate.budget(name, value, low=SHARE_MIN, high=1 - SHARE_MIN)


def require_megabytes(needed: float, limit: float, what: str) -> None:
    """Raise a ``ValueError`` if ``what`` needs more than ``limit`` megabytes (2^20 bytes)."""
    if needed > limit:
        raise ValueError(
            f"memory must be at least the {needed:,.0f} MB of {what}, got {limit:g} MB;"
            " or use fewer or coarser columns, or a smaller degree"
        )


@dataclass(frozen=True)
class Measurement:
    """A marginal with Gaussian noise: ``noisy[t] = M_S(D)[t] + N(0, sigma^2)``, flat in C order.

    ``sigma`` is one number, or one for each cell.
    """

    columns: tuple[str, ...]
    noisy: np.ndarray
    sigma: float | np.ndarray


def gaussian_cost(sigma: float) -> float:
    """``rho`` of Gaussian noise of scale ``sigma`` on a marginal: ``1 / (2 sigma^2)``."""
    return 1 / (2 * sigma**2)


def gaussian_scale(rho: float) -> float:
    """The ``sigma`` that costs ``rho``: ``sqrt(1 / (2 rho))``."""
    return math.sqrt(1 / (2 * rho))


def gaussian(rho: float, sigma: float | None = None) -> Gaussian:
    """The noise of a look that one row moves by 1; ``sigma`` is :func:`gaussian_scale`'s."""
    return Gaussian(sensitivity=1.0, rho=rho, sigma=gaussian_scale(rho) if sigma is None else sigma)


def selection_cost(epsilon: float) -> float:
    """``rho`` of an exponential mechanism of parameter ``epsilon``: ``epsilon^2 / 8``.

    It has bounded range.
    """
    return epsilon**2 / 8


def selection_epsilon(rho: float) -> float:
    """The ``epsilon`` of the exponential mechanism that costs ``rho``: ``sqrt(8 rho)``."""
    return math.sqrt(8 * rho)


def measure(
    data: pd.DataFrame,
    domain: Domain,
    columns: tuple[str, ...],
    rho: float,
    accountant: PrivacyAccountant,
    rng: np.random.Generator,
) -> Measurement:
    """Measure one marginal at the price of ``rho``."""
    rho = validate.positive("rho", rho)
    sigma = gaussian_scale(rho)
    exact = counts(data, domain, columns)
    what = "measure " + ",".join(columns)
    return Measurement(columns, noisy(gaussian(rho), exact, rng, what, accountant, MARGINAL), sigma)


def select(
    scores: np.ndarray,
    rho: float,
    sensitivity: float,
    accountant: PrivacyAccountant,
    rng: np.random.Generator,
) -> int:
    """Draw an index by the exponential mechanism at the price of ``rho``."""
    return choose(
        Exponential.of_rho(rho, sensitivity=sensitivity), scores, rng, "select", accountant
    )


def estimated_total(measurements: Sequence[Measurement]) -> float:
    """The number of rows by inverse-variance weighting of the measurements' sums; at least 1."""
    validate.require(len(measurements) > 0, "measurements", "at least one", measurements)
    cells = [np.broadcast_to(np.square(m.sigma), m.noisy.shape) for m in measurements]
    weights = np.array([1 / variances.sum() for variances in cells])
    sums = np.array([m.noisy.sum() for m in measurements])
    return max(1.0, float(weights @ sums / weights.sum()))
