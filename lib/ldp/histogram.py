"""Thresholding with histogram encoding (THE): Laplace noise on a one-hot vector, then a threshold.

The report is the set of positions whose noisy entry exceeds ``theta``. Those
events are independent, so the set is drawn directly: bit ``v`` of the user is
one with probability ``p = Pr[1 + Lap(2/eps) > theta]``, any other with ``q =
Pr[Lap(2/eps) > theta]``. :meth:`THE.histogram` draws the noisy vector itself.
"""

from __future__ import annotations

import math

import numpy as np

from lib import validate
from lib.ldp.unary import UnaryEncoding

THETA_RANGES = {"paper": (0.5, 1.0), "published": (0.0, 1.0)}


def _objective(t: float, epsilon: float) -> float:
    """Variance of THE's estimate of a rare value, times the people: what the paper minimises.

    ``(2 e^(eps t/2) - 1) / (1 + e^(eps (t-1/2)) - 2 e^(eps t/2))^2``, both divided by
    ``e^(eps t)``, so that nothing overflows.
    """
    top = 2 * math.exp(-epsilon * t / 2) - math.exp(-epsilon * t)
    root = math.exp(-epsilon * t / 2) + math.exp(epsilon * (t - 1) / 2) - 2
    return top / root**2


def optimal_theta(epsilon: float, theta_range: str = "paper") -> float:
    """The threshold that minimises a rare value's variance over ``THETA_RANGES[theta_range]``.

    Parameters
    ----------
    epsilon : float
        Privacy budget, from 1e-9 up to 600 (``validate.EPSILON_MIN`` and ``EPSILON_MAX``).
    theta_range : {"paper", "published"}
        As in :class:`THE`.

    Returns
    -------
    float
        In (0.5, 1).

    Raises
    ------
    ValueError
        If ``epsilon`` is out of range or ``theta_range`` is not known.
    """
    from scipy.optimize import minimize_scalar

    epsilon = validate.budget("epsilon", epsilon)
    bounds = THETA_RANGES[validate.choice("theta_range", theta_range, THETA_RANGES)]
    found = minimize_scalar(
        _objective, bounds=bounds, args=(epsilon,), method="bounded", options={"xatol": 1e-10}
    )
    return float(found.x)


class THE(UnaryEncoding):
    """Noise ``Lap(2/eps)`` on a one-hot vector, cut at the best threshold (Wang et al. 2017).

    Parameters
    ----------
    theta_range : {"paper", "published"}
        Where the threshold is searched: (0.5, 1) as printed, or [0, 1] as in
        the published code. The optimum is the same.

    Examples
    --------
    >>> protocol = THE(k=4, epsilon=1.0)
    >>> round(protocol.theta, 2), round(protocol.p, 2), round(protocol.q, 2)
    (0.62, 0.59, 0.37)
    """

    name = "THE"

    def __init__(self, *, k: int, epsilon: float, theta_range: str = "paper") -> None:
        super().__init__(k=k, epsilon=epsilon)
        self.theta = optimal_theta(self.epsilon, theta_range)
        not_p = math.exp(self.epsilon * (self.theta - 1) / 2) / 2
        q = math.exp(-self.epsilon * self.theta / 2) / 2
        self._set(1 - not_p, not_p, q, 1 - q)

    def histogram(self, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Noisy one-hot vectors before the threshold, shape (n, k); errors as :meth:`privatise`."""
        values = self._to_draw(values, rng)
        noisy = rng.laplace(0.0, 2 / self.epsilon, size=(values.size, self.k))
        noisy[np.arange(values.size), values] += 1
        return noisy
