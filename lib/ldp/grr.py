"""Generalised randomised response: tell the truth with probability p, else any other value."""

from __future__ import annotations

import math

import numpy as np

from lib import validate
from lib.ldp.base import Protocol
from lib.ldp.sampling import bernoulli, indicators


def randomised_response(
    values: np.ndarray, k: int, p: float, rng: np.random.Generator
) -> np.ndarray:
    """Keep each value with probability ``p``, else replace it by another one, uniformly.

    Parameters
    ----------
    values : array of int, shape (n,)
        True values in ``0 .. k-1``.
    k : int
        Size of the domain, from 2 up to 2**63.
    p : float
        In [0, 1].
    rng : np.random.Generator

    Returns
    -------
    int64 array of shape (n,)

    Raises
    ------
    ValueError
        If an argument is out of range or ``rng`` is no generator.
    """
    k, p = validate.integer("k", k, low=2, high=1 << 63), validate.fraction("p", p, open_ends=False)
    validate.generator("rng", rng)
    values = validate.codes("values", values, k)
    keep = bernoulli(values.shape, p, rng).view(bool)
    other = rng.integers(0, k - 1, size=values.shape, dtype=np.int64)
    other += other >= values
    return np.where(keep, values, other)


class GRR(Protocol):
    """``p = e^eps / (e^eps + k - 1)``, ``q = 1 / (e^eps + k - 1)`` (Kairouz et al. 2016).

    A report is a value; it supports itself only.

    >>> protocol = GRR(k=4, epsilon=1.0)
    >>> round(protocol.p, 3), round(protocol.q, 3), protocol.privacy_loss()
    (0.475, 0.175, 1.0)
    """

    name = "GRR"

    def __init__(self, *, k: int, epsilon: float) -> None:
        super().__init__(k=k, epsilon=epsilon)
        # divided through by e^eps, which overflows for large budgets
        self.p = self.p_star = 1 / (1 + (self.k - 1) * math.exp(-self.epsilon))
        self.q = self.q_star = self.p * math.exp(-self.epsilon)
        self.not_p = (self.k - 1) * self.q

    def privatise(self, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Perturbed values, int64 of shape (n,)."""
        return randomised_response(values, self.k, self.p, rng)

    def privatise_support(self, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """As ``support(privatise(values, rng))``; reports that were just made need no check."""
        return indicators(self.privatise(values, rng), self.k)

    def support(self, reports: np.ndarray) -> np.ndarray:
        """One-hot vectors of the reported values, uint8 of shape (n, k)."""
        return indicators(self._reports(reports), self.k)

    def support_counts(self, reports: np.ndarray) -> np.ndarray:
        """How often each value is reported, int64 of shape (k,)."""
        return np.bincount(self._reports(reports), minlength=self.k)

    def _reports(self, reports: np.ndarray) -> np.ndarray:
        return validate.codes("reports", reports, self.k)

    def channel(self) -> np.ndarray:
        """Shape (k, k): column ``z`` is the report ``z``."""
        return self.support_channel()

    def log_channel(self) -> np.ndarray:
        """Shape (k, k), columns as :meth:`channel`."""
        return np.where(np.eye(self.k, dtype=bool), math.log(self.p), math.log(self.q))

    def privacy_loss(self) -> float:
        """``log p / q``."""
        return math.log(self.p) - math.log(self.q)
