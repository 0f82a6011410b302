"""Laplace, Gaussian and exponential mechanism, over whole arrays at once.

These samplers are for experiments: noise is made of floating-point numbers, whose gaps
betray the value below it (Mironov, 2012). A release of real data needs a
library that is built against that; the chapter on budgets shows the attack.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from lib import validate
from lib.dp.conversion import rho_of_pure


class Noise(ABC):
    """Noise on numbers, at a price: :func:`~lib.dp.looks.noisy` draws it; an accountant pays.

    A subclass of your own needs no entry anywhere. Its price is an attribute, too, ``rho`` or
    ``epsilon``, for accountants that count in this unit.
    """

    sensitivity: float | np.ndarray

    @abstractmethod
    def price(self, unit: str, times: float = 1.0) -> float:
        """The price in ``unit`` if the values move by ``times`` the sensitivity."""

    @abstractmethod
    def checked(self, values: np.ndarray | float) -> np.ndarray:
        """``values`` if this mechanism can release them; a ``ValueError`` if not."""

    @abstractmethod
    def release(self, values: np.ndarray | float, rng: np.random.Generator) -> np.ndarray:
        """``values`` with noise, of the same shape."""


PRICE_MIN, PRICE_MAX = 1e-100, 1e100  # of every budget
_FINE = 2.0**-10  # of the noise: the gap between floats, at most
_WHOLE = 2.0**53  # beyond, a float holds not every whole number
# relative: how far a law given in two ways may be from itself, and a sum of costs above a budget
ROUNDING = 1e-9


def _price(name: str, value: float) -> float:
    """A budget in [1e-100, 1e100]: its square is a number above 0, too."""
    return validate.budget(name, value, low=PRICE_MIN, high=PRICE_MAX)


def _scale(sensitivity: float | np.ndarray, divisor: float) -> np.ndarray:
    found = validate.reals("sensitivity", sensitivity)
    if found.size == 0 or not (np.isfinite(found).all() and (found > 0).all()):
        raise ValueError(f"sensitivity must be finite numbers > 0, got {sensitivity!r}")
    with np.errstate(over="ignore", under="ignore"):
        scale = found / divisor
        squares = np.square(scale)
    if not (np.isfinite(squares).all() and (squares > 0).all()):
        raise ValueError(
            "sensitivity must give noise of a finite variance > 0 at this budget, got"
            f" {sensitivity!r}"
        )
    return _fixed(scale)


def _fixed(value: Any) -> Any:
    """``value``; a copy that nobody can write into if it is an array."""
    if isinstance(value, np.ndarray):
        value = value.copy()
        value.flags.writeable = False
    return value


def _agreed(
    name: str, given: float | np.ndarray | None, value: np.ndarray | float
) -> np.ndarray | float:
    """``value``, or what the caller has for it if that is the same up to rounding."""
    if given is None:
        return value
    found = validate.reals(name, given)
    if found.shape != np.shape(value) or not (np.abs(found - value) <= ROUNDING * value).all():
        raise ValueError(f"{name} must be {value!r} up to rounding, got {given!r}")
    return _fixed(given)


def _exact(values: np.ndarray | float, scale: np.ndarray) -> np.ndarray:
    """``values`` as floats, once it is clear that each of them gets its own noise, and one only.

    The answer is a float, and near a large value there are few: the noise would be rounded away.
    So their gap may be at most ``2**-10`` of the scale of the noise.
    """
    given, values = values, validate.finite("values", values)
    if np.abs(values).max(initial=0.0) >= _WHOLE:
        what = "numbers that a float can hold"
        for entry, exact in zip(values.flat, np.asarray(given, object).flat, strict=True):
            validate.require(float(entry) == exact, "values", what, exact)
    validate.broadcastable("sensitivity", np.shape(scale), values.shape, "values")
    if np.broadcast_shapes(values.shape, np.shape(scale)) != values.shape:
        raise ValueError(
            f"sensitivity must have at most the shape of values {values.shape}, got"
            f" {np.shape(scale)}"
        )
    far = np.spacing(np.abs(values)) > scale * _FINE
    if far.any():
        what = "so small that the gap to the next float is at most 2**-10 of the noise"
        raise validate.refusal("values", what, float(values[far].flat[0]))
    return values


@dataclass(frozen=True, kw_only=True)
class Laplace(Noise):
    """Adds Laplace noise of scale ``sensitivity / epsilon``: epsilon-DP by L1 sensitivity.

    Parameters
    ----------
    sensitivity : float or array
        One for all values, or one that broadcasts against them (a group's 1/n, say).
    epsilon : float
    scale : float or array, optional
        ``b``, where a caller has rounded it in another order: stored results keep their last bit.

    Examples
    --------
    >>> law = Laplace(sensitivity=1.0, epsilon=0.5)
    >>> float(law.scale), float(law.variance())
    (2.0, 8.0)
    """

    sensitivity: float | np.ndarray
    epsilon: float
    scale: Any = None

    def __post_init__(self) -> None:
        scale = _scale(self.sensitivity, _price("epsilon", self.epsilon))
        object.__setattr__(self, "scale", _agreed("scale", self.scale, scale))
        object.__setattr__(self, "sensitivity", _fixed(self.sensitivity))

    @property
    def rho(self) -> float:
        """Exact zCDP of this noise on one number, ``epsilon + e^-epsilon - 1``."""
        return rho_of_pure(self.epsilon, of="laplace")

    def price(self, unit: str, times: float = 1.0) -> float:
        """``"rho"`` or ``"epsilon"`` if the values move by ``times`` the sensitivity."""
        epsilon = self.epsilon * times
        return epsilon if unit == "epsilon" else rho_of_pure(epsilon, of="laplace")

    def variance(self) -> np.ndarray:
        """``2 b^2``."""
        return 2 * self.scale**2

    def quantile(self, beta: float) -> np.ndarray:
        """What ``|noise|`` exceeds with probability ``beta``: ``b ln(1/beta)``."""
        return self.scale * math.log(1 / validate.fraction("beta", beta))

    def log_density(self, noise: np.ndarray | float) -> np.ndarray:
        """``ln`` of the density at ``noise``."""
        return -np.abs(validate.reals("noise", noise)) / self.scale - np.log(2 * self.scale)

    def release(self, values: np.ndarray | float, rng: np.random.Generator) -> np.ndarray:
        """``values`` with noise; ``sensitivity`` is for all together, or broadcasts to each."""
        values = self.checked(values)
        validate.generator("rng", rng)
        return values + rng.laplace(0.0, 1.0, values.shape) * self.scale

    def checked(self, values: np.ndarray | float) -> np.ndarray:
        """``values`` as floats if this mechanism can release them; a ``ValueError`` if not."""
        return _exact(values, self.scale)


@dataclass(frozen=True, kw_only=True)
class Gaussian(Noise):
    """Adds normal noise of deviation ``sensitivity / sqrt(2 rho)``: rho-zCDP by L2 sensitivity.

    Parameters
    ----------
    sensitivity : float or array
        One for all values together; or one for each, if a record is in one of them only.
    rho : float
    sigma : float or array, optional
        Standard deviation, where a caller has rounded it in another order: stored results keep
        their last bit.

    Examples
    --------
    >>> law = Gaussian(sensitivity=1.0, rho=0.5)
    >>> float(law.sigma), law.mu
    (1.0, 1.0)
    """

    sensitivity: float | np.ndarray
    rho: float
    sigma: Any = None

    def __post_init__(self) -> None:
        sigma = _scale(self.sensitivity, math.sqrt(2 * _price("rho", self.rho)))
        object.__setattr__(self, "sigma", _agreed("sigma", self.sigma, sigma))
        object.__setattr__(self, "sensitivity", _fixed(self.sensitivity))

    @property
    def mu(self) -> float:
        """Sensitivity over deviation, for :func:`lib.dp.gaussian.gaussian_delta`."""
        return math.sqrt(2 * self.rho)

    def price(self, unit: str, times: float = 1.0) -> float:
        """``"rho"`` if the values move by ``times`` the sensitivity; no epsilon bounds it."""
        return self.rho * times**2 if unit == "rho" else math.inf

    def variance(self) -> np.ndarray:
        """``sigma^2``."""
        return self.sigma**2

    def log_density(self, noise: np.ndarray | float) -> np.ndarray:
        """``ln`` of the density at ``noise``."""
        with np.errstate(over="ignore"):  # so far out the logarithm is minus infinity
            half_squares = 0.5 * (validate.reals("noise", noise) / self.sigma) ** 2
        return -half_squares - np.log(self.sigma) - 0.5 * math.log(2 * math.pi)

    def release(self, values: np.ndarray | float, rng: np.random.Generator) -> np.ndarray:
        """``values`` with noise; ``sensitivity`` is for all together, or broadcasts to each."""
        values = self.checked(values)
        validate.generator("rng", rng)
        return values + rng.standard_normal(values.shape) * self.sigma

    def checked(self, values: np.ndarray | float) -> np.ndarray:
        """``values`` as floats if this mechanism can release them; a ``ValueError`` if not."""
        return _exact(values, self.sigma)


@dataclass(frozen=True, kw_only=True)
class Exponential:
    """Picks an index with probability proportional to ``exp(epsilon score / (2 sensitivity))``.

    Parameters
    ----------
    sensitivity : float
        How far a score moves between neighbours, at most.
    epsilon : float
    rho : float, optional
        The price, where it comes first (:meth:`of_rho`): a square root and a square do not give it
        back to the last bit.

    Examples
    --------
    >>> law = Exponential(sensitivity=1.0, epsilon=2.0)
    >>> law.probabilities([0.0, 1.0]).round(2).tolist()
    [0.27, 0.73]
    """

    sensitivity: float
    epsilon: float
    rho: float | None = None

    def __post_init__(self) -> None:
        validate.positive("sensitivity", self.sensitivity)
        # the mechanism has bounded range (Cesar and Rogers, 2021): epsilon^2 / 8
        rho = _price("epsilon", self.epsilon) ** 2 / 8
        object.__setattr__(self, "rho", _agreed("rho", self.rho, rho))

    @classmethod
    def of_rho(cls, rho: float, *, sensitivity: float) -> Exponential:
        """The mechanism that costs ``rho``: ``epsilon = sqrt(8 rho)``."""
        epsilon = math.sqrt(8 * _price("rho", rho))
        return cls(sensitivity=sensitivity, epsilon=epsilon, rho=rho)

    def price(self, unit: str, times: float = 1.0) -> float:
        """``"rho"`` or ``"epsilon"`` if the scores move by ``times`` the sensitivity."""
        return self.epsilon * times if unit == "epsilon" else self.rho * times**2

    def checked(self, scores: np.ndarray) -> np.ndarray:
        """``scores`` as floats if this mechanism can choose from them; a ``ValueError`` if not."""
        scores = validate.finite("scores", scores)
        if scores.ndim == 0 or scores.shape[-1] == 0:
            raise ValueError(
                "scores must have at least one entry along the last axis, got the shape"
                f" {scores.shape}"
            )
        return scores

    def _behind(self, scores: np.ndarray) -> np.ndarray:
        """The exponents, less the largest."""
        scores = self.checked(scores)
        # a score that far below the best has probability 0
        with np.errstate(over="ignore", invalid="ignore"):
            logits = self.epsilon / (2 * self.sensitivity) * scores
            if np.isfinite(logits).all():
                return logits - logits.max(axis=-1, keepdims=True)
            behind = scores - scores.max(axis=-1, keepdims=True)
            return self.epsilon / 2 * (behind / self.sensitivity)

    def probabilities(self, scores: np.ndarray) -> np.ndarray:
        """``Pr[index]`` along the last axis of ``scores``, shape as ``scores``."""
        weights = np.exp(self._behind(scores))
        return weights / weights.sum(axis=-1, keepdims=True)

    def log_probabilities(self, scores: np.ndarray) -> np.ndarray:
        """``ln Pr[index]`` along the last axis of ``scores``, shape as ``scores``."""
        behind = self._behind(scores)
        return behind - np.log(np.exp(behind).sum(axis=-1, keepdims=True))

    def select(self, scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """An index for each row of ``scores``, shape ``scores.shape[:-1]``, drawn by inversion."""
        validate.generator("rng", rng)
        ends = np.cumsum(self.probabilities(scores), axis=-1)
        ends /= ends[..., -1:]
        return (ends <= rng.random((*ends.shape[:-1], 1))).sum(axis=-1)
