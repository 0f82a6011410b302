"""Error bounds of the clipped Laplace mean, plain and stratified, with all constants.

The paper's O(.) hides the constants.
Data are normal with spread 1 and means in [-R, R]; sizes are public. A bound
holds with probability at least ``1 - 2 gamma``: ``gamma`` for a record that is
clipped anywhere, ``gamma`` for the noise. The printed formulas are here by name.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import log_ndtr

from lib import validate


def clip_slack(n: float, gamma: float, *, reading: str = "union") -> float:
    """How far beyond [-R, R] the clip interval reaches.

    ``"union"``: ``sqrt(2 ln(2 n / gamma))``, beyond which none of ``n`` normal
    values lies with probability ``1 - gamma`` (Gaussian tail, union bound);
    ``"printed"``: ``sqrt(ln(n / gamma))``, which is too small for that.

    Raises
    ------
    ValueError
        For ``n`` below 1 (there is nobody to clip) or ``gamma`` outside of (0, 1).

    Examples
    --------
    >>> round(clip_slack(1000, 0.05), 2)
    4.6
    """
    n = validate.positive("n", n)
    validate.require(n >= 1, "n", "a finite number >= 1", n)
    gamma = validate.fraction("gamma", gamma)
    factors = {"union": 2, "printed": 1}
    factor = factors[validate.choice("reading", reading, factors)]
    return math.sqrt(factor * math.log(factor * n / gamma))


def clipping_probability(n: float, gamma: float, *, reading: str = "union") -> float:
    """Exact probability that one of ``n`` normal values with mean ``R`` is above ``R`` plus slack.

    Examples
    --------
    >>> round(clipping_probability(1000, 0.05), 3)  # at most gamma / 2
    0.002
    """
    return float(-math.expm1(n * log_ndtr(clip_slack(n, gamma, reading=reading))))


def vector(name: str, values: np.ndarray, low: float, least: int = 1) -> np.ndarray:
    """``values`` as floats, shape (k,), if there are ``least`` or more, all finite and >= ``low``.

    Examples
    --------
    >>> vector("sizes", [3, 4], 1).tolist()
    [3.0, 4.0]
    """
    given = validate.reals(name, values)
    good = given.ndim == 1 and given.size >= least and (np.isfinite(given) & (given >= low)).all()
    validate.require(good, name, f"at least {least} finite numbers >= {low:g}", values)
    return given


def _radius(radius: float) -> float:
    number = validate.positive("radius", radius)
    validate.require(number <= 1e100, "radius", "a number <= 1e+100", radius)
    return number


def noise_weights(
    sizes: np.ndarray, *, radius: float, epsilon: float, gamma: float, own: bool = False
) -> np.ndarray:
    """Scales ``w_i`` of the Laplace terms that add up to the stratified mean's noise, shape (k,).

    ``w_i = (2 R + 2 slack_i) / (n epsilon)``: the group's own size cancels
    against its weight, so a small group adds as much noise as a large one.
    ``own``: each group clips by its own size, as in Eq. 3, and not by ``n``.

    Examples
    --------
    >>> noise_weights([900, 100], radius=3, epsilon=1, gamma=0.05).round(4).tolist()
    [0.0152, 0.0152]
    """
    sizes = vector("sizes", sizes, 1)
    radius, epsilon = _radius(radius), validate.positive("epsilon", epsilon)
    validate.require(epsilon >= 1e-100, "epsilon", "a number >= 1e-100", epsilon)
    validate.boolean("own", own)
    clipped_by = sizes if own else [sizes.sum()] * sizes.size
    slack = np.array([clip_slack(size, gamma) for size in clipped_by])
    return (2 * radius + 2 * slack) / (sizes.sum() * epsilon)


def laplace_sum_bound(weights: np.ndarray, gamma: float) -> float:
    """Bound on a sum of Laplace variables of these scales: exceeded with probability <= ``gamma``.

    ``sqrt(8 ln(2/gamma)) max(||w||_2, ||w||_inf sqrt(2 ln(2/gamma)))``
    (Chan, Shi and Song, 2011, Lemma 2.8).

    Examples
    --------
    >>> round(laplace_sum_bound([1.0, 1.0], 0.05), 2)
    14.76
    """
    weights = vector("weights", weights, 0)
    largest = float(weights.max())  # whose square must be a float, too
    validate.require(largest <= 1e150, "weights", "numbers of at most 1e150", largest)
    log = math.log(2 / validate.fraction("gamma", gamma))
    return math.sqrt(8 * log) * max(float(np.linalg.norm(weights)), largest * math.sqrt(2 * log))


def stratified_bound(sizes: np.ndarray, *, radius: float, epsilon: float, gamma: float) -> float:
    """Proposition 9 with constants, for ``|p - p_strat|`` and groups of these sizes.

    Examples
    --------
    >>> round(stratified_bound([900, 100], radius=3, epsilon=1, gamma=0.05), 3)
    0.224
    """
    return laplace_sum_bound(
        noise_weights(sizes, radius=radius, epsilon=epsilon, gamma=gamma), gamma
    )


def printed_factor(sizes: np.ndarray, *, radius: float, gamma: float) -> float:
    """How many times the plain estimate's noise the proof allows the stratified one's to be.

    ``sqrt(sum (R^2 + ln(g_i/gamma)) / (R^2 + ln(n/gamma)))``, at most sqrt(k).

    Examples
    --------
    >>> round(printed_factor([900, 100], radius=3, gamma=0.05), 3)
    1.368
    """
    sizes = vector("sizes", sizes, 1)
    radius = _radius(radius)
    gamma = validate.fraction("gamma", gamma)
    own = radius**2 + np.log(np.maximum(sizes / gamma, 1.0))
    return math.sqrt(float(own.sum()) / (radius**2 + math.log(sizes.sum() / gamma)))
