"""Unary encoding (RAPPOR, OUE): a one-hot vector whose bits are flipped independently."""

from __future__ import annotations

import math

import numpy as np

from lib import validate
from lib.ldp.base import Protocol
from lib.ldp.sampling import as_bits, bernoulli

_MAX_ENUMERATED = 16  # 2**16 reports; beyond it the full channel is no longer something to look at


def perturbed_bits(
    values: np.ndarray, k: int, p: float, q: float, rng: np.random.Generator
) -> np.ndarray:
    """Bits that are one with probability ``p`` at the user's value and ``q`` elsewhere, (n, k)."""
    bits = bernoulli((values.size, k), q, rng)
    bits.reshape(-1)[np.arange(values.size) * k + values] = bernoulli(values.shape, p, rng)
    return bits


def all_subsets(k: int) -> np.ndarray:
    """The indicator vectors of the 2**k subsets of ``0..k-1``, uint8 of shape (2**k, k).

    Raises
    ------
    ValueError
        If k is above 16.
    """
    what = f"at most {_MAX_ENUMERATED} to list the 2**k subsets (see support_channel)"
    validate.require(k <= _MAX_ENUMERATED, "k", what, k)
    return ((np.arange(2**k)[:, None] >> np.arange(k)) & 1).astype(np.uint8)


class UnaryEncoding(Protocol):
    """A report is a vector of k bits; it supports the positions of its ones.

    A subclass sets ``p`` and ``q`` together with their complements: for large
    budgets ``1 - p`` is lost to rounding, and the privacy loss needs it.
    """

    not_q: float

    def _set(self, p: float, not_p: float, q: float, not_q: float) -> None:
        self.p, self.not_p, self.q, self.not_q = p, not_p, q, not_q
        self.p_star, self.q_star = p, q

    def privatise(self, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Perturbed bits, uint8 of shape (n, k)."""
        return perturbed_bits(self._to_draw(values, rng), self.k, self.p, self.q, rng)

    def privatise_support(self, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """As :meth:`privatise`: the bits are the support."""
        return self.privatise(values, rng)

    def support(self, reports: np.ndarray) -> np.ndarray:
        """The reports themselves, checked: uint8 of shape (n, k)."""
        return as_bits("reports", reports, self.k)

    def channel(self) -> np.ndarray:
        """Shape (k, 2**k), k up to 16: bit ``i`` of the report ``z`` is bit ``i`` of ``z``."""
        subsets = all_subsets(self.k).astype(bool)
        if_zero = np.where(subsets, self.q, self.not_q)
        others = np.array([np.delete(if_zero, v, axis=1).prod(axis=1) for v in range(self.k)])
        return others * np.where(subsets, self.p, self.not_p).T

    def log_channel(self) -> np.ndarray:
        """Shape (k, 2**k) for k up to 16, columns as :meth:`channel`."""
        subsets = all_subsets(self.k)
        log_p, log_not_p, log_q, log_not_q = map(math.log, (self.p, self.not_p, self.q, self.not_q))
        ones = subsets.sum(axis=1, dtype=np.int64)
        if_zero = ones * log_q + (self.k - ones) * log_not_q  # as if every bit of the input were 0
        return if_zero + np.where(subsets.T, log_p - log_q, log_not_p - log_not_q)

    def privacy_loss(self) -> float:
        """Two inputs differ in two bits: ``log p (1-q) / ((1-p) q)``."""
        return math.log(self.p) + math.log(self.not_q) - math.log(self.not_p) - math.log(self.q)


class RAPPOR(UnaryEncoding):
    """Symmetric: ``p = e^(eps/2) / (e^(eps/2) + 1)``, ``q = 1 - p`` (Erlingsson et al. 2014).

    >>> protocol = RAPPOR(k=4, epsilon=2.0)
    >>> round(protocol.p, 3), round(protocol.q, 3)
    (0.731, 0.269)
    """

    name = "RAPPOR"

    def __init__(self, *, k: int, epsilon: float) -> None:
        super().__init__(k=k, epsilon=epsilon)
        p = 1 / (1 + math.exp(-self.epsilon / 2))
        q = p * math.exp(-self.epsilon / 2)
        self._set(p, q, q, p)


class OUE(UnaryEncoding):
    """Asymmetric: ``p = 1/2``, ``q = 1 / (e^eps + 1)`` (Wang et al. 2017).

    >>> protocol = OUE(k=4, epsilon=2.0)
    >>> protocol.p, round(protocol.q, 3)
    (0.5, 0.119)
    """

    name = "OUE"

    def __init__(self, *, k: int, epsilon: float) -> None:
        super().__init__(k=k, epsilon=epsilon)
        not_q = 1 / (1 + math.exp(-self.epsilon))
        self._set(0.5, 0.5, not_q * math.exp(-self.epsilon), not_q)
