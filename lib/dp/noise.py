"""What every mechanism that adds noise to numbers has, so that a look can draw it and be paid."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np


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
