"""Error bounds of the clipped Laplace mean, plain and stratified, with the constants that the
paper's O(.) hides.

Data are normal with spread 1 and means in [-R, R]; sizes are public. A bound
holds with probability at least ``1 - 2 gamma``: ``gamma`` for a record that is
clipped anywhere, ``gamma`` for the noise. The printed formulas are here by name.
"""

from __future__ import annotations

import math

import numpy as np

from lib import validate

__all__ = [
    "SLACKS",
    "clip_slack",
    "noise_weights",
    "plain_bound",
    "laplace_sum_bound",
    "stratified_bound",
    "printed_factor",
    "clipping_probability",
]

SLACKS = ("union", "printed")


def clip_slack(n: float, gamma: float, *, reading: str = "union") -> float:
    """How far beyond [-R, R] the clip interval reaches.

    ``"union"``: ``sqrt(2 ln(2 n / gamma))``, beyond which none of ``n`` normal
    values lies with probability ``1 - gamma`` (Gaussian tail, union bound);
    ``"printed"``: ``sqrt(ln(n / gamma))``, which is too small for that.

    Raises
    ------
    ValueError
        For ``n`` below 1 (there is nobody to clip) or ``gamma`` outside of (0, 1).
    """
    if validate.positive("n", n) < 1:
        raise ValueError(f"n={n!r} is not allowed: a finite number >= 1 is")
    gamma = validate.fraction("gamma", gamma)
    validate.choice("reading", reading, SLACKS)
    return (
        math.sqrt(2 * math.log(2 * n / gamma))
        if reading == "union"
        else math.sqrt(math.log(n / gamma))
    )


def clipping_probability(n: int, gamma: float, *, reading: str = "union") -> float:
    """Probability that at least one of ``n`` normal values with mean ``R`` is above ``R`` plus
    the slack. Exact.
    """
    from scipy.special import log_ndtr

    return float(-math.expm1(n * log_ndtr(clip_slack(n, gamma, reading=reading))))


def _sizes(sizes: np.ndarray) -> np.ndarray:
    sizes = validate.reals("sizes", sizes)
    if sizes.ndim != 1 or sizes.size == 0 or not (np.isfinite(sizes).all() and (sizes >= 1).all()):
        raise ValueError(f"sizes={sizes!r} are not allowed: finite numbers >= 1 are")
    return sizes


def noise_weights(
    sizes: np.ndarray, *, radius: float, epsilon: float, gamma: float, own: bool = False
) -> np.ndarray:
    """Scales ``w_i`` of the independent Laplace terms whose sum is the stratified mean's noise,
    shape (k,).

    ``w_i = (2 R + 2 slack_i) / (n epsilon)``: the group's own size cancels
    against its weight, so a small group adds as much noise as a large one.
    ``own``: each group clips by its own size, as in Eq. 3, and not by ``n``.
    """
    sizes = _sizes(sizes)
    validate.positive("radius", radius)
    validate.epsilon(epsilon)
    validate.boolean("own", own)
    slack = np.array(
        [clip_slack(size, gamma) for size in (sizes if own else [sizes.sum()] * sizes.size)]
    )
    return (2 * radius + 2 * slack) / (sizes.sum() * epsilon)


def plain_bound(n: float, *, radius: float, epsilon: float, gamma: float) -> float:
    """Eq. 2 with constants: ``ln(1/gamma) (2 R + 2 sqrt(2 ln(2 n/gamma))) / (n epsilon)``."""
    return math.log(1 / gamma) * float(
        noise_weights(np.array([n]), radius=radius, epsilon=epsilon, gamma=gamma)[0]
    )


def laplace_sum_bound(weights: np.ndarray, gamma: float) -> float:
    """What the absolute sum of independent Laplace variables of these scales exceeds with
    probability at most ``gamma``.

    ``sqrt(8 ln(2/gamma)) max(||w||_2, ||w||_inf sqrt(2 ln(2/gamma)))``
    (Chan, Shi and Song, 2011, Lemma 2.8).
    """
    weights = validate.reals("weights", weights)
    if (
        weights.ndim != 1
        or weights.size == 0
        or not (np.isfinite(weights).all() and (weights >= 0).all())
    ):
        raise ValueError(
            f"weights={weights!r} are not allowed: finite numbers >= 0, one a variable, are"
        )
    log = math.log(2 / validate.fraction("gamma", gamma))
    return math.sqrt(8 * log) * max(
        float(np.linalg.norm(weights)), float(weights.max()) * math.sqrt(2 * log)
    )


def stratified_bound(sizes: np.ndarray, *, radius: float, epsilon: float, gamma: float) -> float:
    """Proposition 9 with constants, for ``|p - p_strat|`` and groups of these sizes."""
    return laplace_sum_bound(
        noise_weights(sizes, radius=radius, epsilon=epsilon, gamma=gamma), gamma
    )


def printed_factor(sizes: np.ndarray, *, radius: float, gamma: float) -> float:
    """The proof's factor over one plain estimate: ``sqrt(sum (R^2 + ln(g_i/gamma)) / (R^2 +
    ln(n/gamma)))``, at most sqrt(k).
    """
    sizes = _sizes(sizes)
    own = radius**2 + np.log(np.maximum(sizes / gamma, 1.0))
    return math.sqrt(float(own.sum()) / (radius**2 + math.log(sizes.sum() / gamma)))
