"""One binary column published in the clear (Section 7): Theorems 9 and 11, and what their proofs
bear.
"""

from __future__ import annotations

import math

import numpy as np

from lib import validate
from lib.coherence.bounds.paper import _coherence
from lib.coherence.bounds.tightened import half_sample_size

__all__ = [
    "theorem9_size",
    "theorem9_repaired_size",
    "theorem11_size",
    "hoeffding",
    "column_distances",
]


def hoeffding(distance: float, m: int) -> float:
    """One tail of the mean of ``m`` draws without replacement from 0s and 1s (Theorem 10):
    ``exp(-2 m distance^2)``.
    """
    return math.exp(-2 * m * distance**2)


def theorem9_size(*, alpha: float, beta: float, n: float, collection: int) -> float:
    """``4 sqrt(n ln(|C|/beta)) / alpha``: the predictor sees the published column only."""
    _coherence(alpha, beta, collection)
    return 4 * math.sqrt(validate.positive("n", n) * math.log(collection / beta)) / alpha


def theorem9_repaired_size(*, alpha: float, beta: float, collection: int) -> float:
    """Ours: a group of this size has W1 at most alpha under the column's lens, whatever is
    published.

    The proof of Theorem 9 takes ``|N_a - N_b| = |M_a - M_b|`` (false for a
    proper subgroup, whose halves differ in size), drops a factor of 2 and
    bounds one side. With one threshold, ``W1 = |h(1) - h(0)| |N_a/V_a - N_b/V_b|
    <= 2 |F - G|``, whatever h is, and :mod:`lib.coherence.bounds.tightened` bounds
    that. It does not grow with ``n``: the report plays no part.
    """
    _coherence(alpha, beta, collection)
    return half_sample_size(alpha, math.log(beta / collection))


def theorem11_size(*, alpha: float, beta: float, n: float, collection: int) -> float:
    """``112 sqrt(n ln(10 n |C| / beta)) / alpha``: the column is published shuffled, the
    predictor sees everything.
    """
    _coherence(alpha, beta, collection)
    return 112 * math.sqrt(validate.positive("n", n) * math.log(10 * n * collection / beta)) / alpha


def column_distances(
    ones: int, members: int, n: int, *, size: int, rng: np.random.Generator
) -> np.ndarray:
    """Simulated ``2 |N_a/V_a - N_b/V_b|`` of a group: the W1 distance of the worst predictor under
    the column's lens.

    Parameters
    ----------
    ones, members, n : int
        People of the group with a 1; in the group; in the data set (even).
    size : int
        Random halves to draw.

    Returns
    -------
    float array of shape (size,)
        2 where a half has nobody of the group.
    """
    if not 0 <= ones <= members <= n:
        raise ValueError(
            f"ones={ones!r}, members={members!r}, n={n!r} are not allowed: 0 <= ones <= members <="
            " n is"
        )
    half = n // 2
    in_a = (
        rng.hypergeometric(members, n - members, half, size=size)
        if n > members
        else np.full(size, half)
    )
    ones_a = (
        rng.hypergeometric(ones, members - ones, in_a)
        if 0 < ones < members
        else np.where(ones, in_a, 0)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = 2 * np.abs(ones_a / in_a - (ones - ones_a) / (members - in_a))
    return np.where(np.isfinite(gap), gap, 2.0)
