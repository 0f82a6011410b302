"""Laplace, Gaussian and exponential mechanism, over whole arrays at once.

These samplers are for experiments: noise is made of floating-point numbers, whose gaps
betray the value below it (Mironov, 2012). A release of real data needs a
library that is built against that; the chapter on budgets shows the attack.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lib import validate
from lib.dp.accounting import rho_of_pure

__all__ = ["Laplace", "Gaussian", "Exponential"]


def _sensitivity(value: float | np.ndarray) -> np.ndarray:
    array = np.asarray(value, dtype=float)
    if array.size == 0 or not (np.isfinite(array).all() and (array > 0).all()):
        raise ValueError(f"sensitivity={value!r} is not allowed: finite numbers > 0 are")
    return array


def _finite(name: str, values: np.ndarray) -> np.ndarray:
    array = np.asarray(values, dtype=float)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} has {int((~np.isfinite(array)).sum())} values that are not finite; none is allowed")
    return array


@dataclass(frozen=True, kw_only=True)
class Laplace:
    """Adds Laplace noise of scale ``sensitivity / epsilon``: epsilon-DP for values of that L1 sensitivity.

    Parameters
    ----------
    sensitivity : float or array
        One for all values, or one that broadcasts against them (a group's 1/n, say).
    epsilon : float
    """

    sensitivity: float | np.ndarray
    epsilon: float

    def __post_init__(self) -> None:
        _sensitivity(self.sensitivity)
        validate.epsilon(self.epsilon)

    @property
    def scale(self) -> np.ndarray:
        """``b``."""
        return _sensitivity(self.sensitivity) / self.epsilon

    @property
    def rho(self) -> float:
        """Exact zCDP of this noise on one number, ``epsilon + e^-epsilon - 1``."""
        return rho_of_pure(self.epsilon, of="laplace")

    def variance(self) -> np.ndarray:
        """``2 b^2``."""
        return 2 * self.scale**2

    def quantile(self, beta: float) -> np.ndarray:
        """What ``|noise|`` exceeds with probability ``beta``: ``b ln(1/beta)``."""
        return self.scale * math.log(1 / validate.fraction("beta", beta))

    def log_density(self, noise: np.ndarray) -> np.ndarray:
        """``ln`` of the density at ``noise``."""
        return -np.abs(noise) / self.scale - np.log(2 * self.scale)

    def release(self, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """``values`` with noise: the shape of ``values`` and ``sensitivity`` broadcast."""
        values = _finite("values", values)
        return values + rng.laplace(0.0, 1.0, np.broadcast_shapes(values.shape, self.scale.shape)) * self.scale


@dataclass(frozen=True, kw_only=True)
class Gaussian:
    """Adds normal noise of deviation ``sensitivity / sqrt(2 rho)``: rho-zCDP for values of that L2 sensitivity."""

    sensitivity: float | np.ndarray
    rho: float

    def __post_init__(self) -> None:
        _sensitivity(self.sensitivity)
        validate.positive("rho", self.rho)

    @property
    def sigma(self) -> np.ndarray:
        """Standard deviation."""
        return _sensitivity(self.sensitivity) / math.sqrt(2 * self.rho)

    @property
    def mu(self) -> float:
        """Sensitivity over deviation, for :func:`lib.dp.gaussian.gaussian_delta`."""
        return math.sqrt(2 * self.rho)

    def variance(self) -> np.ndarray:
        """``sigma^2``."""
        return self.sigma**2

    def log_density(self, noise: np.ndarray) -> np.ndarray:
        """``ln`` of the density at ``noise``."""
        return -0.5 * (noise / self.sigma) ** 2 - np.log(self.sigma) - 0.5 * math.log(2 * math.pi)

    def release(self, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """``values`` with noise: the shape of ``values`` and ``sensitivity`` broadcast."""
        values = _finite("values", values)
        return values + rng.standard_normal(np.broadcast_shapes(values.shape, self.sigma.shape)) * self.sigma


@dataclass(frozen=True, kw_only=True)
class Exponential:
    """Picks an index with probability proportional to ``exp(epsilon score / (2 sensitivity))``: epsilon-DP.

    Scores whose changes all have one sign (``monotone``) need no factor 2.
    """

    sensitivity: float
    epsilon: float
    monotone: bool = False

    def __post_init__(self) -> None:
        validate.positive("sensitivity", self.sensitivity)
        validate.epsilon(self.epsilon)

    @property
    def rho(self) -> float:
        """``epsilon^2 / 8``: the mechanism has bounded range (Cesar and Rogers, 2021)."""
        return rho_of_pure(self.epsilon, of="bounded range")

    @classmethod
    def of_rho(cls, rho: float, *, sensitivity: float, monotone: bool = False) -> Exponential:
        """The mechanism that costs ``rho``: ``epsilon = sqrt(8 rho)``."""
        return cls(sensitivity=sensitivity, epsilon=math.sqrt(8 * validate.positive("rho", rho)), monotone=monotone)

    def log_probabilities(self, scores: np.ndarray) -> np.ndarray:
        """``ln Pr[index]`` along the last axis of ``scores``, shape as ``scores``."""
        scores = _finite("scores", scores)
        if scores.ndim == 0 or scores.shape[-1] == 0:
            raise ValueError(f"scores of shape {scores.shape} are not allowed: at least one score is")
        with np.errstate(over="ignore"):  # a score that far below the best has probability 0
            behind = (scores - scores.max(axis=-1, keepdims=True)) / self.sensitivity
            logits = self.epsilon / (1 if self.monotone else 2) * behind
        return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))

    def select(self, scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """An index for each row of ``scores``, shape ``scores.shape[:-1]``, by the Gumbel trick."""
        log = self.log_probabilities(scores)
        return np.argmax(log + rng.gumbel(size=log.shape), axis=-1)
